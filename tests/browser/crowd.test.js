// Many pages, many turns, and strangers at one table.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { Server, closeBrowser, faults, person, sit } from "./stage.js";
import { Stranger } from "./stranger.js";
import { status } from "./hands.js";

after(closeBrowser);

const WATCHERS = Number(process.env.PARLOR_WATCHERS ?? 4);
const TURNS = Number(process.env.PARLOR_TURNS ?? 2000);

const board = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".player")].map((row) =>
      [
        row.querySelector(".name").textContent,
        row.querySelector(".cash").textContent,
        row.querySelectorAll(".tags button").length,
      ].join(" "),
    ),
  );

test(`${WATCHERS} pages watch a game of fast bots and see the same`, { timeout: 180000 }, async () => {
  const server = await Server.start("--claim-grace", "0", "--vote-pause", "0", "--rate", "0");
  const pages = [];
  for (let n = 0; n < WATCHERS; n++) {
    const page = await person({ viewport: { width: 1200, height: 800 } });
    await page.addInitScript(() => localStorage.setItem("parlor:settings", JSON.stringify({ admit: true })));
    await sit(page, server, `W${n}`, { play: false });
    await page.locator(".board").waitFor();
    pages.push(page);
  }
  await server.bots(1, 4, "plain", 3);
  await Promise.all(
    pages.map((page) =>
      page
        .locator("#status")
        .filter({ hasText: /has won/ })
        .waitFor({ timeout: 120000 }),
    ),
  );
  const seen = await Promise.all(pages.map(board));
  for (const other of seen) assert.deepEqual(other, seen[0]);
  assert.ok(seen[0].length >= 1);
  // Still there for a click: how soon is told, not asserted.
  const soon = await Promise.all(
    pages.map((page) =>
      page.evaluate(async () => {
        const start = performance.now();
        document.querySelector(".top button").click();
        await new Promise((done) => requestAnimationFrame(done));
        return Math.round(performance.now() - start);
      }),
    ),
  );
  console.log(`# the menu opened after ${soon} ms`);
  for (const page of pages) await page.getByRole("dialog").waitFor();
  assert.deepEqual(faults, []);
  await server.close();
});

// The server's side of a recorded game, said again and again to one page.
test(`memory stays flat over ${TURNS} turns`, { timeout: 600000 }, async () => {
  const server = await Server.start();
  const [, , hex] = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    .find(([kind, name]) => kind === "heard" && name.startsWith("bots 1 0"));
  const bytes = Buffer.from(hex, "hex");
  const frames = [];
  for (let at = 0; at < bytes.length; at += 2 + bytes[at + 1]) frames.push(bytes.subarray(at, at + 2 + bytes[at + 1]));
  // Without its end: a game that is won is shown, and nothing follows.
  const said = frames.filter((frame) => frame[0] !== 0xdf);
  const turns = said.filter((frame) => frame[0] === 0x20).length;
  assert.ok(turns > 50, `${turns} turns in the record`);
  const page = await person();
  let line = null;
  await page.routeWebSocket(/\/ws\/pimp\/1/, (socket) => {
    line = socket;
    socket.onMessage((data) => data[0] === 0x00 && socket.send(said[0]));
  });
  await sit(page, server, "bot0");
  await page.waitForTimeout(500);
  const heap = async () => {
    const tool = await page.context().newCDPSession(page);
    await tool.send("HeapProfiler.collectGarbage");
    const { usedSize } = await tool.send("Runtime.getHeapUsage");
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    return { usedSize, nodes };
  };
  let played = 0;
  const play = async (until) => {
    while (played < until) {
      for (let at = 1; at < said.length; at += 400) {
        line.send(Buffer.concat(said.slice(at, at + 400)));
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      }
      played += turns;
    }
  };
  await play(Math.max(turns, TURNS / 4));
  const early = await heap();
  await play(TURNS);
  const late = await heap();
  console.log(
    `# ${played} turns: heap ${early.usedSize >> 10} KB after a quarter, ${late.usedSize >> 10} KB after all; ${early.nodes} and ${late.nodes} elements`,
  );
  assert.ok(late.usedSize < early.usedSize * 1.3 + 2e6, `${early.usedSize} -> ${late.usedSize}`);
  assert.ok(late.nodes < 8000, `${late.nodes} elements`);
  assert.ok((await page.locator(".log li").count()) >= 2000);
  // The oldest line that is kept still shows its board.
  await page.evaluate(() => document.querySelector(".log button").click());
  await page.getByText("Then:").waitFor();
  assert.deepEqual(faults, []);
  await server.close();
});

// Presses what a person in a hurry would press.
const hurry = () =>
  setInterval(() => {
    const names = [
      /^Yes, I am bankrupt/,
      /^Let in/,
      /^Pay with the card/,
      /^Pay /,
      /^Go bankrupt/,
      /^Throw/,
      /^Try for/,
      /^Auction it/,
      /^Pass$/,
    ];
    const buttons = [...document.querySelectorAll("dialog button, .actions button, .deal button")].filter(
      (button) => !button.disabled,
    );
    for (const name of names) {
      const found = buttons.find((button) => name.test(button.textContent));
      if (found) return found.click();
    }
  }, 25);

test("a page, a bot over TCP and a stranger over WebSocket finish a game", { timeout: 240000 }, async () => {
  const server = await Server.start("--seed", "07", "--claim-grace", "0", "--vote-pause", "0", "--rate", "0");
  const ann = await person();
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  await ann.evaluate(hurry);
  const stranger = new Stranger(server.http, "/ws/pimp/1", "stranger");
  await stranger.seated;
  const bot = spawn(
    process.env.PARLOR_BIN ?? new URL("../../target/debug/parlor", import.meta.url).pathname,
    ["bot", "--connect", server.pimp, "--players", "1"],
    { stdio: "ignore" },
  );
  const ended = new Promise((done) => bot.once("exit", done));
  await ann.locator("#status").filter({ hasText: /won/ }).waitFor({ timeout: 200000 });
  assert.equal(await ended, 0);
  assert.ok(stranger.winner > 0);
  assert.deepEqual(faults, []);
  stranger.leave();
  await server.close();
});
