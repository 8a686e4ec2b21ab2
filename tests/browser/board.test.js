// Eight tabs at one board: a game of each kind to its end, with a page that is loaded anew and a connection that is cut.

import assert from "node:assert/strict";
import { Board } from "./board.js";
import { act, choose, openTab, placesOn, says, status } from "./hands.js";
import { Wire, person, scene, script, shot, sit } from "./stage.js";
import { prepare } from "./wander.js";
import { plan } from "./yard_plan.js";

const NAMES = ["Ann", "Bob", "Cem", "Dan", "Eve", "Fay", "Gil", "Hal"];
// From Go to the income tax, for everybody but Ann, who throws last.
const DICE = script(...NAMES.slice(1).map(() => 0x13));

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

// The wire of one of the tabs is cut: it finds its way back by itself.
async function blink(page, wire) {
  wire.cut();
  await page.getByText("The connection is lost.").waitFor();
  wire.mend();
  await page.getByText("The connection is lost.").waitFor({ state: "detached" });
}

// All of a player's money for nothing.
async function giveAll(page, ann) {
  await openTab(page, "Deals");
  await page.locator(".p-deals").getByRole("button", { name: "Trade with Ann" }).click();
  await openTab(ann, "Deals");
  const [his, hers] = [page, ann].map((one) => one.locator(".p-deals .deal").last());
  await his.getByLabel("Your cash").fill("1500");
  await his.getByRole("button", { name: "Put in" }).click();
  await his.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByRole("button", { name: "My side is ready" }).click();
  await his.getByRole("button", { name: "Agree" }).click();
  await hers.getByRole("button", { name: "Agree" }).click();
  await page.locator(".p-deals .deal").first().waitFor({ state: "detached" });
}

async function monopoly(tabs, board, wire) {
  const [ann, ...others] = tabs;
  for (const [n, page] of tabs.entries()) {
    await sit(page, n === 3 ? wire : board, NAMES[n], { piece: n + 1 });
    await page.locator(".board").waitFor();
    await ann.locator(".player", { hasText: NAMES[n] }).first().waitFor();
  }
  for (const page of others) await giveAll(page, ann);
  for (const [n, page] of others.entries()) {
    // The first to throw is Bob.
    await status(page, /Your turn/);
    if (n === 1) await page.reload();
    if (n === 2) await blink(page, wire);
    await act(page, "Throw the dice");
    await act(page, "Pay $200");
    await page.locator(".deal.owing").first().getByRole("button", { name: "Go bankrupt" }).click();
    await press(page, "Yes, I am bankrupt");
    await says(ann, `${NAMES[n + 1]} is bankrupt.`);
  }
  await status(ann, /You have won!/);
  for (const page of others) await status(page, /Ann has won/);
  await shot(ann, "board-monopoly");
}

async function yard(tabs, board, wire) {
  const [ann, ...others] = tabs;
  const players = tabs.slice(0, 6);
  const come = async (page, path, name, button) => {
    await page.goto(`${page === tabs[3] ? wire.url : board.url}${path}`);
    await page.getByLabel("Your name").fill(name);
    await press(page, button);
  };
  await come(ann, "/yard", "Ann", "Come in");
  await ann.getByLabel("Name of the game").fill("Fog");
  await press(ann, "Open it");
  await ann.getByRole("button", { name: "I am ready" }).waitFor();
  for (const [n, page] of players.entries()) {
    if (n > 0) await come(page, "/yard?game=Fog", NAMES[n], "Sit down");
    await page.getByRole("button", { name: "I am ready" }).waitFor();
  }
  for (const page of players) await press(page, "I am ready");
  await status(ann, "Your turn: move Mr. X.");
  for (const n of [6, 7]) {
    await come(tabs[n], "/yard?game=Fog", NAMES[n], "Sit down");
    await tabs[n].getByText("You are watching").first().waitFor();
  }

  const moves = plan(await placesOn(ann));
  await ann.getByRole("button", { name: /Double move/ }).click();
  for (const move of moves.slice(0, 2)) await choose(ann, move);
  for (const [n, move] of moves.slice(2).entries()) {
    const asks = `Your turn: move ${move.pawn.replace("X", "Mr. X")}.`;
    const page = await Promise.any(players.map((one) => status(one, asks).then(() => one)));
    if (n === 1) {
      await page.reload();
      await status(page, asks);
    }
    if (n === 2) await blink(tabs[3], wire);
    await choose(page, move);
  }
  const last = moves.at(-1);
  for (const page of others) await status(page, `Mr. X is caught: ${last.pawn} caught Mr. X at ${last.to}.`);
  await status(ann, "You have lost.");
  await shot(others[0], "board-yard");
}

// Tabs that wander about would need hours for a thousand: two of the board's own bots know what they do.
async function venus(tabs, board, wire) {
  const [ann] = tabs;
  const players = tabs.slice(0, 4);
  const come = async (page, path, name, button) => {
    await prepare(page);
    await page.goto(`${page === tabs[3] ? wire.url : board.url}${path}`);
    await page.getByLabel("Your name").fill(name);
    await press(page, button);
  };
  await come(ann, "/venus", "Ann", "Come in");
  await ann.getByLabel("Name of the room").fill("Deep");
  await press(ann, "Open it");
  await status(ann, "Waiting for players");
  for (const [n, page] of players.entries()) if (n > 0) await come(page, "/venus?room=Deep", NAMES[n], "Sit down");
  for (const n of [5, 6]) {
    await press(ann, "Add a bot");
    await status(ann, `${n} players`);
  }
  await ann.getByLabel("The first with this much wins").selectOption("1000");
  await press(ann, "Begin with these players");
  for (const page of players) await page.getByRole("button", { name: "I agree" }).click();
  for (const page of players) await page.getByText("What can I do here?").waitFor();
  for (const n of [4, 5, 6, 7]) {
    await come(tabs[n], "/venus?room=Deep", NAMES[n], "Sit down");
    await tabs[n].locator(".board-place svg").first().waitFor();
  }

  // By whoever is asked so: one page is loaded anew, and the wire of another is cut.
  const shaken = [];
  const wanders = async (page, n) => {
    const seen = [];
    for (;;) {
      const what = await page.evaluate((seen) => globalThis.wander(seen), seen);
      if (what === "the end") return;
      seen.push(what);
      if (what !== "move") continue;
      if (n === 2) await page.reload();
      else if (n === 3) await blink(page, wire);
      else continue;
      shaken.push(NAMES[n]);
    }
  };
  await Promise.all(players.map(wanders));
  assert.deepEqual(shaken.sort(), ["Cem", "Dan"]);
  for (const page of tabs) await status(page, /won the game/);
  await shot(ann, "board-venus");
}

scene(
  "eight tabs play a game of each kind",
  async () => {
    const board = await Board.start(`seed=${DICE}`, "rate=0", "vote-pause=0", "claim-grace=0");
    const wire = await Wire.start(board);
    const tabs = [];
    while (tabs.length < NAMES.length) {
      const page = await person({ viewport: { width: 1000, height: 800 } });
      // Everybody is let in without being asked for.
      await page.addInitScript(`localStorage.setItem("parlor:settings", '{"admit":true,"speed":"fast"}')`);
      tabs.push(page);
    }
    for (const [name, play] of Object.entries({ monopoly, yard, venus })) {
      const start = Date.now();
      await play(tabs, board, wire);
      board.isWell();
      console.log(`# ${name}: ${Math.round((Date.now() - start) / 1000)} s; ${await board.status()}`);
    }
  },
  1500,
);
