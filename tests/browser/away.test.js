// Who is away is told elsewhere that it is their turn, at an address that is set on the page.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { audit } from "./eyes.js";
import { act, hunt, says, status, two } from "./hands.js";
import { Server, opens, person, scene, script, shot } from "./stage.js";

// Takes what is sent, like ntfy; `next()` waits for it.
async function listener() {
  const came = [];
  const waiting = [];
  const server = createServer((request, answer) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      answer.writeHead(request.url === "/gone" ? 404 : 200).end();
      (waiting.shift() ?? ((one) => came.push(one)))({ path: request.url, text });
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  opens({ close: () => server.close() });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    came,
    next: () => (came.length ? came.shift() : new Promise((done) => waiting.push(done))),
  };
}

const LABEL = "Address for when it is my turn";

scene("an address that is set on the page is told of each turn until it is taken back", async () => {
  const ears = await listener();
  const server = await Server.start(
    ...["--seed", script(0x12, 0x21), "--claim-grace", "0", "--vote-pause", "0"],
    ...["--notify", "--notify-network", "127.0.0.1", "--notify-after", "0"],
  );
  const [ann, bob] = await two(server);
  // A house without a clock shows none.
  assert.equal(await bob.getByRole("timer").count(), 0);
  await ann.getByRole("button", { name: "Menu" }).click();
  const dialog = ann.getByRole("dialog");
  const tell = dialog.getByRole("button", { name: "Tell me there" });
  await dialog.getByLabel(LABEL).fill(`${ears.url}/gone`);
  await tell.click();
  await ann.getByText("What was sent there was not taken.").waitFor();
  assert.equal((await ears.next()).path, "/gone");
  // What was typed is still there to be mended.
  assert.equal(await dialog.getByLabel(LABEL).inputValue(), `${ears.url}/gone`);
  await dialog.getByLabel(LABEL).fill(`${ears.url}/ann`);
  await tell.click();
  await ann.getByText("A first word was sent there.").waitFor();
  assert.deepEqual(await ears.next(), {
    path: "/ann",
    text: "You will be told here when it is your turn, Ann: Monopoly, table 1.",
  });
  await audit(ann, "told elsewhere");
  await shot(ann, "away");
  await dialog.getByRole("button", { name: "Close" }).click();

  // Bob's turn is nothing to Ann; hers is.
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $60");
  assert.deepEqual(await ears.next(), { path: "/ann", text: "It is your turn, Ann: Monopoly, table 1." });

  await ann.getByRole("button", { name: "Menu" }).click();
  await dialog.getByRole("button", { name: "Tell me no more" }).click();
  await dialog.getByRole("button", { name: "Tell me no more" }).waitFor({ state: "detached" });
  assert.deepEqual(ears.came, []);
});

scene("where nobody may set an address, none is asked for", async () => {
  const server = await Server.start();
  const [ann] = await two(server);
  const asked = ann.waitForResponse(`${server.url}/notify`);
  await ann.getByRole("button", { name: "Menu" }).click();
  assert.deepEqual(await (await asked).json(), { is_allowed: false });
  assert.equal(await ann.getByLabel(LABEL).count(), 0);
});

scene("where a table has a clock the page counts down, and the game goes on without who lets it run out", async () => {
  const server = await Server.start("--seed", script(0x12), "--claim-grace", "0", "--vote-pause", "0", "--move-timeout", "2");
  const left = (page) => page.getByRole("timer").filter({ hasText: /^◷ +00:00:0[0-2]$/ });
  const [ann, bob] = await two(server);
  for (const page of [ann, bob]) await left(page).waitFor();
  await audit(bob, "a clock");
  await shot(bob, "clock");
  // Bob presses nothing: his dice are thrown, what he lands on is not bought, and nobody bids.
  await says(ann, /^Bob throws 1 and 2/);
  await status(ann, /^Your turn/);
  // The same at Scotland Yard, where Ann lets Mr. X stand and Bob the first detective.
  const [eve, dan] = [await person(), await person()];
  await hunt(server, eve, dan);
  for (const page of [eve, dan]) await page.getByRole("button", { name: "I am ready" }).click();
  for (const page of [eve, dan]) await left(page).waitFor();
  await status(dan, "Your turn: move Red.");
  await status(dan, "Your turn: move Yellow.");
});
