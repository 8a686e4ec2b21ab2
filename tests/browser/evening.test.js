// A whole game between two pages, by the buttons alone, with dice that are known: a phone and a wide screen at one table.

import assert from "node:assert/strict";
import { audit } from "./eyes.js";
import { Server, person, scene, script, shot, sit } from "./stage.js";
import { act, has, middle, openTab, quiet, says, status, until } from "./hands.js";

const JAIL = 0x80 + 21;
const PAY_EACH = 0x80 + 14;
const DICE = script(0x42, 0x53, 0x12, 0x21, 0x62, JAIL, 0x12, 0x12, 0x13, 0x13, 0x13, PAY_EACH);

async function trade(page, offer) {
  await openTab(page, "Deals");
  const deal = page.locator(".p-deals .deal").last();
  await deal.waitFor();
  if (offer.cash !== undefined) {
    await deal.getByLabel("Your cash").fill(String(offer.cash));
    await deal.getByRole("button", { name: "Put in" }).click();
  }
  for (const name of offer.deeds ?? []) await deal.locator(".chips").getByRole("button", { name }).click();
  return deal;
}

scene("a whole game: buy, auction, trade, build, jail, rent, bankruptcy", async () => {
  const server = await Server.start("--seed", DICE, "--claim-grace", "0", "--vote-pause", "0");
  const ann = await person();
  const bob = await person({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    colorScheme: "dark",
  });

  // Two by link, one vote.
  await sit(ann, server, "Ann", { piece: 7 });
  await status(ann, /Waiting for players/);
  await quiet(ann);
  await sit(bob, server, "Bob", { piece: 10 });
  await bob.getByText("The players vote").waitFor();
  await ann.getByText("Bob asks to play.", { exact: true }).first().waitFor();
  await act(ann, "Let in");
  await status(bob, /Your turn/);
  await quiet(bob);
  await until(bob, () => document.title.includes("Your turn"));
  await until(ann, () => document.title.includes("Bob's turn"));

  await act(bob, "Throw the dice");
  await act(bob, "Buy for $100");
  await act(ann, "Throw the dice");
  await act(ann, "Buy for $100");
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $120");

  // An auction; Ann reloads in the middle of it and sits in the same seat.
  await act(ann, "Throw the dice");
  await act(ann, "Auction it");
  await status(bob, /no bid yet/);
  await ann.getByLabel("Your bid").fill("10");
  await act(ann, "Bid");
  await status(bob, /Ann leads with \$10/);
  await ann.reload();
  await status(ann, /you lead with \$10/i);
  assert.equal(
    await ann
      .locator(".bidders .leads")
      .innerText()
      .then((text) => text.replace(/\s+/g, " ")),
    "you $10",
  );
  await shot(ann, "auction-1400");
  await act(bob, "Bid 20 dollars");
  await status(ann, /Bob leads with \$20/);
  await shot(bob, "auction-360");
  await ann.locator(".actions").getByRole("button", { name: "Pass" }).click();
  await says(bob, "You win the auction.");

  // A trade in three steps, opened again once.
  await openTab(bob, "Deals");
  await bob.locator(".p-deals").getByRole("button", { name: "Trade with Ann" }).click();
  const mine = await trade(bob, { cash: 150 });
  const hers = await trade(ann, { deeds: [/Vermont/] });
  const vermont = (pressed) => hers.locator(`.chips [aria-pressed="${pressed}"]`, { hasText: "Vermont" });
  await vermont(true).click();
  await vermont(false).click();
  await vermont(true).waitFor();
  await shot(ann, "trade-1400");
  await mine.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByRole("button", { name: "My side is ready" }).click();
  await mine.getByRole("button", { name: "Agree" }).click();
  await hers.getByText("agreed").waitFor();
  await hers.getByRole("button", { name: "Change my side" }).click();
  await mine.getByText("Ann is not ready yet.").first().waitFor();
  await shot(bob, "trade-360");
  await hers.getByLabel("Your cash").fill("5");
  await hers.getByRole("button", { name: "Put in" }).click();
  await hers.getByLabel("Your cash").fill("0");
  await hers.getByRole("button", { name: "Put in" }).click();
  await hers.getByRole("button", { name: "My side is ready" }).click();
  await mine.getByRole("button", { name: "Agree" }).click();
  await hers.getByRole("button", { name: "Agree" }).click();
  await says(bob, "You own Vermont Avenue now.");
  await has(ann, "Ann", 1500 - 100 + 150);

  // Evenly, up to three hotels; one down and up again.
  await openTab(bob, "Yours");
  const build = (street) => bob.locator(".p-mine").getByRole("button", { name: `Build on ${street} Avenue` });
  const sell = bob.getByRole("button", { name: "Sell a building of Vermont Avenue" });
  const before = await middle(sell);
  for (let level = 0; level < 5; level++) {
    for (const street of ["Oriental", "Vermont", "Connecticut"]) {
      await build(street).click();
      const lot = bob.locator(".p-mine > ul > li").filter({ hasText: street });
      await lot.filter({ hasText: level === 4 ? "Hotel" : `${level + 1}⌂` }).waitFor();
      if (level === 0 && street === "Oriental") {
        assert.ok(await build("Oriental").isDisabled());
        await bob.getByText("Build evenly").first().waitFor();
      }
    }
  }
  // The ways up and down keep their places: nobody sells who wants to build.
  assert.ok(Math.abs((await middle(sell))[0] - before[0]) < 10);
  await sell.click();
  await says(bob, "Vermont Avenue has 4 houses now.");
  await build("Vermont").click();
  await says(bob, "Vermont Avenue has a hotel now.");
  // Both lines were said before: the board tells when it is so again.
  await bob.locator(".board .a-hotel").nth(2).waitFor();
  assert.equal(await bob.locator(".board .a-hotel").count(), 3);
  await shot(bob, "hotels-360");

  // Off to jail by a card.
  await act(bob, "Throw the dice");
  await says(bob, "You go to jail.");
  await act(ann, "Throw the dice");
  await act(ann, "Buy for $160");
  await act(bob, /Try for a double/);
  await act(ann, "Throw the dice");
  await act(ann, "Buy for $180");

  // Bail, then onto Ann's Virginia Avenue: she claims by hand, he pays.
  await act(bob, /^Pay \$50 bail/);
  await act(bob, "Pay $50");
  await act(bob, "Throw again");
  await act(ann, /Claim rent from Bob for Virginia Avenue/);
  await openTab(bob, "Deals");
  await bob.locator(".p-deals").getByRole("button", { name: "Pay $12" }).click();
  await says(ann, "Bob pays $12 to you.");
  await ann.evaluate(() => scrollTo(0, 0));
  await shot(ann, "board-1400");

  // All three hotels sold at once.
  await openTab(bob, "Yours");
  await bob.getByRole("button", { name: "Sell all buildings of the group of Vermont Avenue" }).click();
  await says(bob, "You get $375 for buildings.");
  await bob.locator(".board .a-hotel").first().waitFor({ state: "detached" });

  // Mortgage and back; the past board.
  await ann.getByRole("button", { name: "Mortgage Virginia Avenue" }).click();
  await says(ann, "Virginia Avenue is mortgaged.");
  await ann.getByRole("button", { name: "Free Virginia Avenue of its mortgage" }).click();
  await says(ann, "Virginia Avenue is free of its mortgage.");
  await ann.locator(".log button", { hasText: "Virginia Avenue is mortgaged." }).last().click();
  await ann.getByText("Then: Virginia Avenue is mortgaged.").waitFor();
  assert.equal(await ann.locator(".board .mort").count(), 1);
  await ann.keyboard.press("Escape");
  await ann.getByText("Then:").waitFor({ state: "detached" });
  assert.equal(await ann.locator(".board .mort").count(), 0);

  // Ann gives almost all away, owes by a card, and is bankrupt.
  await ann.locator(".p-deals").getByRole("button", { name: "Trade with Bob" }).click();
  await has(ann, "Ann", 1500 - 100 + 150 - 160 - 180 + 12 + 80 - 88);
  const last = await trade(ann, { cash: 1204, deeds: [/Virginia/, /Tennessee/] });
  const his = await trade(bob, {});
  await last.getByRole("button", { name: "My side is ready" }).click();
  await his.getByRole("button", { name: "My side is ready" }).click();
  await last.getByRole("button", { name: "Agree" }).click();
  await his.getByRole("button", { name: "Agree" }).click();
  await says(ann, "Bob owns Tennessee Avenue now.");
  await act(ann, "Throw the dice");
  const debt = ann.locator(".deal.owing").first();
  await debt.getByText("All you own is not enough").waitFor();
  await debt.getByRole("button", { name: "Go bankrupt" }).click();
  await audit(ann, "a question in a dialog");
  await shot(ann, "bankrupt-1400");
  await ann.getByRole("button", { name: "Yes, I am bankrupt" }).click();
  await status(bob, /You have won!/);
  await status(ann, /Bob has won/);
  await shot(bob, "won-360");
  for (const page of [ann, bob]) await audit(page, "the end");
  // Who ended how, what each had by rents, and their luck: the mean of what they threw.
  const rows = ann.locator(".standings tbody tr");
  const standings = (await rows.allInnerTexts()).map((row) => row.trim().split(/\s+/));
  assert.deepEqual(standings.map(([name, , rents]) => [name, rents]), [["Bob", "$0"], ["Ann", "$12"]]);
  for (const [, , , luck] of standings) assert.ok(luck >= 2 && luck <= 12, luck);
  await ann.getByRole("img", { name: /^Worth over time: .*Bob ends with/ }).waitFor();

  // Another one: the table is free when the last of the old game has left.
  await act(ann, "Play again");
  await ann.getByText("The last game is being cleared away.").waitFor();
  await act(bob, "Play again");
  // One press each: the same people as who they were, and nobody is asked to let the other in.
  for (const page of [ann, bob]) {
    await status(page, /Your turn|about to throw/);
    for (const name of ["Ann", "Bob"]) await has(page, name, 1500);
  }
});
