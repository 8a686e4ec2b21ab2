// Friends who go and come: a blink of the connection costs nothing, and who is gone is seen to be gone.

import assert from "node:assert/strict";
import { audit } from "./eyes.js";
import { act, fly, has, hunt, middle, openTab, ready, says, settle, status, two } from "./hands.js";
import { Server, Wire, person, scene, script, shot } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];
const button = (page, name) => page.getByRole("button", { name, exact: true });
// What the table is told of Bob, with the time since when.
const gone = (page) => page.getByText(/^Bob has been gone since \d+:\d\d.*The seat is kept/);

scene("a blink of the connection passes nobody in an auction", async () => {
  const server = await Server.start("--seed", script(0x12, 0x12), ...CALM);
  const wire = await Wire.start(server);
  const [ann, bob] = await two(server, wire);
  await act(bob, "Throw the dice");
  await act(bob, "Auction it");
  await status(ann, "no bid yet");
  wire.cut();
  await bob.getByText("The connection is lost.").waitFor();
  // The server has noticed by now; nobody may have lost anything by it.
  await act(ann, "Bid 10 dollars");
  await status(ann, "you lead with $10");
  wire.mend();
  await bob.getByText("The connection is lost.").waitFor({ state: "detached" });
  await status(bob, "Ann leads with $10");
  await act(bob, "Bid 20 dollars");
  await status(ann, "Bob leads with $20");
  await act(ann, "Pass");
  await says(ann, "Bob owns Baltic Avenue now.");
  assert.equal(await ann.locator(".log button").filter({ hasText: "Bob passes." }).count(), 0);
});

scene("who is gone is seen to be gone, with what can be done, and seen to be back", async () => {
  const server = await Server.start("--seed", script(0x12, 0x21), "--presence", "0.3", ...CALM);
  const [ann, bob] = await two(server);
  await bob.goto("about:blank");
  await gone(ann).waitFor();
  await says(ann, "Bob can't be reached.");
  await button(ann, "Vote Bob out").waitFor();
  await audit(ann, "somebody is gone");
  await shot(ann, "gone");
  await bob.goBack();
  await status(bob, /Your turn/);
  await gone(ann).waitFor({ state: "detached" });

  // Rents are paid without a press by who wants it so.
  await settle(ann, "Pay rents for me", true);
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $60");
  await act(ann, "Throw the dice");
  await has(ann, "Ann", 1496);

  // A deal says in one sentence what it does; one that is called off says so.
  await openTab(bob, "Deals");
  await bob.locator(".p-deals").getByRole("button", { name: "Trade with Ann" }).click();
  const [his, hers] = [bob, ann].map((page) => page.locator(".p-deals .deal"));
  await his.getByLabel("Your cash").fill("200");
  await his.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByText("You get $200, Bob gets nothing.").waitFor();
  await his.getByRole("button", { name: "Call it off" }).click();
  await ann.getByText("Bob has called off deal").waitFor();

  // Talk beside the game; a page that comes later has it too, and nobody is heard who is not wanted.
  const speak = async (page, text) => {
    await page.getByLabel("What you say").fill(text);
    await page.getByLabel("What you say").press("Enter");
  };
  await speak(bob, "Nice street you have there.");
  await ann.locator(".chat li").filter({ hasText: "Bob Nice street you have there." }).waitFor();
  await ann.reload();
  await ann.locator(".chat li").filter({ hasText: "Bob Nice street" }).waitFor();
  await speak(ann, "It is not for sale.");
  await bob.locator(".chat li").filter({ hasText: "It is not for sale." }).waitFor();
  await ann.getByText("Whom I hear").click();
  await ann.getByLabel("Bob", { exact: true }).uncheck();
  await ann.locator(".chat li").filter({ hasText: "Bob Nice street" }).waitFor({ state: "detached" });
  await audit(ann, "talk");

  // Letters do nothing where somebody does not want them to.
  await settle(bob, "Keys do things", false);
  await status(bob, /Your turn/);
  await bob.keyboard.press("t");
  await settle(bob, "Keys do things", true);
  await status(bob, /Your turn/);
});

// Bob goes and comes back: Ann is told, also after a reload, and nothing of hers (`own`) moves.
async function goesAndComes(ann, bob, own) {
  await ready(own);
  const before = await middle(own);
  await bob.goto("about:blank");
  await gone(ann).waitFor();
  await says(ann, "Bob leaves.");
  assert.deepEqual(await middle(own), before);
  await audit(ann, "somebody is gone");
  await ann.reload();
  await gone(ann).waitFor();
  await bob.goBack();
  await gone(ann).waitFor({ state: "detached" });
  await says(ann, "Bob is back.");
  await bob.goto("about:blank");
  await gone(ann).waitFor();
}

scene("at Scotland Yard: who is gone, who is back, and a new game without waiting", async () => {
  const server = await Server.start();
  const [ann, bob] = [await person(), await person()];
  await hunt(server, ann, bob);
  for (const page of [ann, bob]) await button(page, "I am ready").click();
  await status(ann, "Your turn: move Mr. X.");
  await goesAndComes(ann, bob, ann.locator(".stations button").first());
  await ann.getByText("When it is Bob's turn, the game waits.").waitFor();
  await shot(ann, "gone-yard");
  await button(ann, "A new game without Bob").click();
  await ann.getByRole("heading", { name: "“Fog 2” is about to begin" }).waitFor();
  await button(ann, "Be a detective").waitFor();
  // The old seat is still hers.
  await ann.goto(`${server.url}/yard?game=Fog`);
  await status(ann, "Your turn: move Mr. X.");
});

scene("in Merchant of Venus: who is gone, who is back, and a server that decides for who stays away", async () => {
  const server = await Server.start("--patience", "3600");
  const [ann, bob] = [await person(), await person()];
  await fly(server, ann, bob);
  await goesAndComes(ann, bob, ann.getByText("What can I do here?"));
  await ann.getByText("When it is Bob's turn, the server decides after a while.").waitFor();
  await shot(ann, "gone-venus");
  await button(ann, "A new game without Bob").click();
  await ann.getByRole("heading", { name: "Deep 2" }).waitFor();
  await status(ann, "Waiting for players");
});
