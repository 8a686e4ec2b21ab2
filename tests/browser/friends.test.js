// Friends who go and come: a blink of the connection costs nothing, and who is gone is seen to be gone.

import assert from "node:assert/strict";
import { audit } from "./eyes.js";
import { act, has, openTab, says, settle, status, two } from "./hands.js";
import { Server, Wire, scene, script, shot } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];
const button = (page, name) => page.getByRole("button", { name, exact: true });

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
  await ann.getByText("Bob is gone.").waitFor();
  await says(ann, "Bob can't be reached.");
  await button(ann, "Vote Bob out").waitFor();
  await audit(ann, "somebody is gone");
  await shot(ann, "gone");
  await bob.goBack();
  await status(bob, /Your turn/);
  await ann.getByText("Bob is gone.").waitFor({ state: "detached" });

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
