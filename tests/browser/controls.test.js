// Every control that the whole game did not need: taxes, salaries, cards, votes, kicks, leaving, lobby.

import assert from "node:assert/strict";
import { audit } from "./eyes.js";
import { Server, person, scene, script, sit } from "./stage.js";
import { act, has, quiet, says, settle, status } from "./hands.js";

const card = (n) => 0x80 + n;
const DICE = script(
  0x13,
  0x13,
  0x12,
  card(0),
  0x12,
  0x12,
  card(7),
  0x21,
  0x31,
  card(9),
  0x64,
  card(21),
  0x13,
  card(6),
  0x12,
  0x12,
  0x12,
);

async function menu(page, name) {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

scene("votes, taxes, salary, cards, a waived rent, a kick, leaving", async () => {
  const server = await Server.start("--seed", DICE, "--claim-grace", "0", "--vote-pause", "0");
  const [ann, bob, carl, dora] = [await person(), await person(), await person(), await person()];
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  await sit(bob, server, "Bob");
  await act(ann, "Let in");
  await status(bob, /Your turn/);
  await quiet(bob);

  // Refused, and told so; a name that is taken.
  await sit(dora, server, "Dora");
  await act(ann, "Refuse");
  await act(bob, "Refuse");
  await dora.getByText("The others did not let you in.").waitFor();
  await sit(dora, server, "ann");
  await dora.getByText("This name is taken").waitFor();

  // Both pay income tax, each in another way.
  await act(bob, "Throw the dice");
  await act(bob, /Pay a tenth: \$150/);
  await act(ann, "Throw the dice");
  await act(ann, "Pay $200");

  // A watcher who asks to play.
  await sit(carl, server, "Carl", { play: false });
  await act(ann, "Let in");
  await act(bob, "Let in");
  await status(carl, /Bob is about to throw/);
  await act(carl, "Ask to play");
  await act(ann, "Let in");
  await act(bob, "Let in");
  await says(carl, "You play now.");

  // Bob to Go by a card: the salary is claimed by hand.
  await act(bob, "Throw the dice");
  await act(bob, "Claim your salary");
  await says(bob, "You claim a salary of $200.");
  await has(bob, "Bob", 1550);
  await act(carl, "Throw the dice");
  await act(carl, "Buy for $60");
  await act(ann, "Throw the dice");
  await says(ann, "You keep a card that pays bail.");

  // The card in an offer, out of it, and the trade called off.
  await ann.locator(".p-deals").getByRole("button", { name: "Trade with Bob" }).click();
  const offer = ann.locator(".p-deals .deal");
  for (const pressed of ["true", "false"]) {
    await offer.getByRole("button", { name: "Bail card" }).click();
    await offer.locator(`.chips [aria-pressed="${pressed}"]`, { hasText: "Bail card" }).waitFor();
  }
  await offer.getByRole("button", { name: "Call it off" }).click();
  await offer.waitFor({ state: "detached" });

  // Bob lands on Carl's deed; the page claims for Carl, who waives it.
  await act(bob, "Throw the dice");
  await carl.locator(".p-deals").getByRole("button", { name: "Waive it" }).click();
  await says(bob, /Deal \d+ was called off\./);

  await act(carl, "Throw the dice");
  await says(carl, "You go to jail.");
  await act(ann, "Throw the dice");
  await says(ann, "You go to jail.");
  await act(bob, "Throw the dice");
  await says(bob, "You get $50 (Chance).");

  // Carl pays with cash, Ann with her card.
  await act(carl, /^Pay \$50 bail/);
  await act(carl, "Pay $50");
  await act(carl, "Throw again");
  await act(carl, "Buy for $140");
  await act(ann, /bail or use the card/);
  await act(ann, "Pay with the card");
  await act(ann, "Throw again");

  // Ann would rather pay nine of the ten, and Carl agrees to it.
  const owed = ann.locator(".p-deals .deal");
  await owed.getByText("Pay with something else").click();
  await owed.getByLabel("Your cash").fill("9");
  await owed.getByRole("button", { name: "Put in" }).click();
  await owed.getByRole("button", { name: "My side is ready" }).click();
  const claim = carl.locator(".p-deals .deal");
  await claim.getByText("This is not the plain payment").waitFor();
  await claim.getByText("Settle it another way").click();
  await claim.getByText("Ann has changed the offer: $9 instead of $10.").waitFor();
  await claim.getByRole("button", { name: "I have seen it" }).click();
  await claim.getByRole("button", { name: "Agree" }).click();
  await owed.getByRole("button", { name: "Agree" }).click();
  await says(carl, "Ann pays $9 to you.");
  await act(bob, "Throw the dice");

  // A trade called off; a deed by its square and the keyboard.
  await status(carl, /Your turn/);
  await bob.locator(".p-deals").getByRole("button", { name: "Trade with Carl" }).click();
  await carl.locator(".p-deals").getByRole("button", { name: "Call it off" }).click();
  await carl.locator('[data-square="3"]').focus();
  await carl.keyboard.press("Enter");
  await carl.getByRole("dialog", { name: "Baltic Avenue" }).getByText("Owned by you").waitFor();
  await audit(carl, "a deed");
  await carl.getByRole("dialog").getByRole("button", { name: "Mortgage Baltic Avenue" }).click();
  await carl.getByRole("dialog").getByText("Owned by you, mortgaged").waitFor();
  await carl.keyboard.press("Escape");

  // Two of three vote Carl out.
  for (const page of [ann, bob]) {
    await page.locator(".player", { hasText: "Carl" }).getByRole("button", { name: "Vote out" }).click();
    await page.getByRole("button", { name: "Vote to remove" }).click();
  }
  await says(bob, "Carl was voted out.");
  // Everybody at the page was told of the votes.
  for (const name of ["Ann", "Bob"])
    await carl.locator(".chat li").filter({ hasText: `${name} I vote to put Carl out of the game.` }).waitFor();

  // Settings that only the page knows.
  await settle(ann, "A sound when it is my turn", true);
  await ann.getByRole("button", { name: "Menu" }).click();
  await ann.getByLabel("Pieces move").selectOption("fast");
  assert.match(await ann.getByLabel("Link for friends").inputValue(), /\/pimp\?table=1$/);
  await ann.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
  await ann.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  // Away and back; the state anew; then Ann leaves her seat to Carl, who watches.
  await menu(ann, "I'm away");
  await ann.getByText("You are away").waitFor();
  await act(ann, "I'm back");
  await ann.getByText("You are away").waitFor({ state: "detached" });
  await menu(ann, "Ask for the state anew");
  await status(ann, /Your turn/);
  await ann.getByRole("button", { name: "Menu" }).click();
  await ann.getByLabel("Give everything to").selectOption({ label: "Carl (watches: takes over your seat)" });
  await ann.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await ann.getByRole("button", { name: "Yes, leave" }).click();
  await says(carl, "You take over the seat of Ann.");
  await status(carl, /Your turn/);
  await menu(carl, "Leave");
  await carl.getByRole("button", { name: "Yes, leave" }).click();
  await status(bob, /Waiting for players/);
});

scene("the lobby: tables, a new one, bots, the rules, the token", async () => {
  const server = await Server.start("--token", "sesame", "--pot", "off", "--max-tables", "2", "--claim-grace", "0");
  const page = await person();
  await page.goto(`${server.url}/pimp`);
  await page.getByText("No pot on Free Parking").waitFor();
  // Where there is a token, it is asked of everybody, of this machine too.
  await page.getByText("or with its token").click();
  assert.equal(await page.getByRole("button", { name: "New table" }).count(), 0);
  await page.getByLabel("Token").fill("sesame");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByRole("heading", { name: "Table 2" }).waitFor();
  await page.getByRole("button", { name: "New table" }).click();
  await page.getByText("There are as many tables as there may be.").waitFor();
  await page.getByRole("button", { name: "Add a bot to table 2" }).click();
  await page.getByText("1 playing").waitFor();
  await page.locator(".table-card").nth(1).getByRole("link", { name: "Sit down" }).click();
  await page.getByLabel("Your name").fill("Zoë 北京");
  await page.getByRole("button", { name: "Sit down" }).click();
  await page.getByText("Zoë 北京 (you)").waitFor();
  await settle(page, "Let newcomers in without asking me", true);
  await page.getByRole("button", { name: "Add a bot" }).click();
  await page.locator(".player").nth(2).waitFor();

  await page.goto(`${server.url}/?table=9`);
  await page.getByText("There is no table 9").waitFor();

  // Without one, commands are for this machine: not for whom a proxy speaks for.
  const open = await Server.start();
  const far = await person({ extraHTTPHeaders: { "X-Forwarded-For": "10.0.0.9" } });
  await far.goto(`${open.url}/pimp`);
  await far.getByText("or with its token").waitFor();
  assert.equal(await far.getByRole("button", { name: "New table" }).count(), 0);
  const near = await person();
  await near.goto(`${open.url}/pimp`);
  await near.getByRole("button", { name: "New table" }).waitFor();
});
