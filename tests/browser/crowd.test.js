// Many pages, many turns, and strangers at one table.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Chromium } from "./devtools.js";
import { Server, person, scene, sit } from "./stage.js";
import { Stranger } from "./stranger.js";
import { status } from "./hands.js";
import { Bots, Watcher } from "./watch.js";

const WATCHERS = Number(process.env.PARLOR_WATCHERS ?? 10);
const TURNS = Number(process.env.PARLOR_TURNS ?? 300);
const RECORDED = 2000;
const QUICK = ["--claim-grace", "0", "--vote-pause", "0", "--rate", "0"];
// Where nobody can build, nobody goes bankrupt: such a game has no end.
const ENDLESS = [...QUICK, "--termites", "100"];
// A log is full after so many turns: from there on memory has no reason to grow.
const LOG_FULL = 600;

const spread = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${at(0.5)} / ${at(0.95)} / ${at(1)}`;
};
const kilobytes = (many) => many.map((bytes) => bytes >> 10);
const each = (watchers, what) => Promise.all(watchers.map(what));
const same = (many) => many.forEach((one) => assert.deepEqual(one, many[0]));

// A drawing may be due yet: what does not come true in a while does not come true.
async function become(isSo) {
  for (let tries = 0; ; tries++) {
    try {
      return await isSo();
    } catch (error) {
      if (tries === 600) throw error;
      await pause(100);
    }
  }
}

// Until the bots stand still and every page has heard all that was said.
async function rest(server, bots, watchers) {
  bots.hold();
  let turn = -1;
  for (let calm = 0; calm < 5;) {
    const now = await server.turn();
    const seen = await each(watchers, (watcher) => watcher.seen());
    calm = now === turn && seen.every(({ turns }) => turns === now) ? calm + 1 : 0;
    turn = now;
    await pause(100);
  }
  const seen = await each(watchers, (watcher) => watcher.seen());
  // Nobody lost a message, a line or a connection, and no drawing showed less than had arrived.
  same(seen.map(({ turns, hash }) => ({ turns, hash })));
  for (const { sockets, closed, stale } of seen) assert.deepEqual([sockets, closed, stale], [1, 0, 0]);
  assert.equal(await server.figure("lagging_links_total"), 0);
  await become(async () => same(await each(watchers, (watcher) => watcher.table())));
  await become(async () => same(await each(watchers, (watcher) => watcher.newest())));
  const memory = await each(watchers, (watcher) => watcher.memory());
  const resident = await server.figure("resident_bytes");
  const heaps = memory.map(({ heap }) => heap);
  const nodes = memory.map(({ nodes }) => nodes);
  console.log(`# turn ${turn}: heaps ${kilobytes(heaps)} KB, nodes ${nodes}, server ${resident >> 10} KB`);
  return { turn, heaps, nodes, resident };
}

// Somebody presses something in one page after the other, for as long as the bots play, and in every page at least once.
async function play(server, watchers, until, told) {
  const enough = told.whole.length + watchers.length / 3;
  for (;;) {
    const n = told.whole.length;
    const turn = await server.turn();
    if (turn >= until && n >= enough) return;
    const watcher = watchers[n % watchers.length];
    told.behind.push(Math.max(0, turn - (await watcher.seen()).turns));
    const start = performance.now();
    await watcher.press(n % (2 * watchers.length) < watchers.length ? "menu" : "log");
    told.whole.push(Math.round(performance.now() - start));
  }
}

async function tell(watchers, before, turns, told) {
  const slow = await each(watchers, (watcher) => watcher.slow());
  const all = (name) => slow.flatMap((times) => times[name]);
  const drawings = (await each(watchers, (watcher) => watcher.seen())).map((seen) => seen.drawings);
  const costs = await each(watchers, (watcher) => watcher.cost());
  const cost = (name) => {
    const sum = costs.reduce((sum, after, n) => sum + after[name] - before[n][name], 0);
    return Math.round((sum * 1e6) / watchers.length / turns);
  };
  const presses = all("presses");
  console.log(`# median / 95 % / longest, in ms: press to handler ${spread(presses.map(([delay]) => delay))},`);
  console.log(`#   press to next frame ${spread(presses.map(([, whole]) => whole))} (${presses.length} presses),`);
  console.log(`#   opened, seen, closed, seen ${spread(told.whole)}; a timer is late by ${spread(all("late"))}`);
  console.log(`# tasks of more than 50 ms: ${all("tasks").length}, ${spread(all("tasks"))} ms; drawings ${drawings}`);
  console.log(`# a page behind the server, in turns: ${spread(told.behind)}`);
  const parts = ["Task", "Script", "RecalcStyle", "Layout"].map((name) => cost(`${name}Duration`));
  console.log(`# us a turn and page, all / script / style / layout: ${parts.join(" / ")}`);
}

scene(
  `${WATCHERS} pages watch ${TURNS} turns of fast bots and answer all the while`,
  async () => {
    const server = await Server.start(...ENDLESS);
    const browser = new Chromium();
    const watchers = [];
    for (let n = 0; n < WATCHERS; n++) watchers.push(await Watcher.come(browser, server, `W${n}`));
    const before = await each(watchers, (watcher) => watcher.cost());
    const bots = new Bots(server, 4);
    const told = { whole: [], behind: [] };
    const start = performance.now();
    const marks = [];
    for (const share of [0.25, 0.5, 1]) {
      bots.goOn();
      await play(server, watchers, TURNS * share, told);
      marks.push(await rest(server, bots, watchers));
    }
    const turns = marks.at(-1).turn;
    console.log(`# ${turns} turns in ${Math.round((performance.now() - start) / 1000)} s`);
    await tell(watchers, before, turns, told);
    for (const mark of marks) {
      for (const heap of mark.heaps) assert.ok(heap < 12e6, `a heap of ${heap}`);
      for (const nodes of mark.nodes) assert.ok(nodes < 12000, `${nodes} nodes`);
    }
    const [early, , late] = marks;
    if (early.turn >= LOG_FULL) {
      late.heaps.forEach((heap, n) => assert.ok(heap < early.heaps[n] * 1.2 + 5e5, `${early.heaps[n]} -> ${heap}`));
      assert.ok(late.resident < early.resident * 1.2 + 2e6, `${early.resident} -> ${late.resident}`);
    }
    // What one page has kept by changes alone is what the server tells it anew.
    const [one] = watchers;
    const known = await one.table();
    await one.reload();
    await become(async () => assert.deepEqual(await one.table(), known));
  },
  1800,
);

const board = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".player")].map((row) =>
      [".name", ".cash", ".tags"].map((part) => row.querySelector(part)?.textContent).join(" "),
    ),
  );

scene("three pages watch a whole game of bots and see the same end", async () => {
  const server = await Server.start(...QUICK);
  const pages = [];
  for (let n = 0; n < 3; n++) {
    const page = await person({ viewport: { width: 1200, height: 800 } });
    await page.addInitScript(() => localStorage.setItem("parlor:settings", JSON.stringify({ admit: true })));
    await sit(page, server, `W${n}`, { play: false });
    await page.locator(".board").waitFor();
    pages.push(page);
  }
  await server.bots(1, 4, "plain", 3);
  const won = (page) => page.locator("#status", { hasText: /has won/ }).waitFor({ timeout: 120000 });
  await Promise.all(pages.map(won));
  await become(async () => {
    const seen = await Promise.all(pages.map(board));
    assert.ok(seen[0].length >= 1);
    same(seen);
  });
});

// The server's side of a recorded game, said again and again to one page.
scene(
  `memory stays flat over ${RECORDED} recorded turns`,
  async () => {
    const server = await Server.start();
    const [, , hex] = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
      .split("\n")
      .map((line) => line.split("\t"))
      .find(([kind, name]) => kind === "heard" && name.startsWith("bots 1 0"));
    const bytes = Buffer.from(hex, "hex");
    const frames = [];
    for (let at = 0; at < bytes.length; at += 2 + bytes[at + 1])
      frames.push(bytes.subarray(at, at + 2 + bytes[at + 1]));
    // Without its end: a game that is won is shown, and nothing follows.
    const said = frames.filter((frame) => frame[0] !== 0xdf);
    const turns = said.filter((frame) => frame[0] === 0x20).length;
    assert.ok(turns > 50, `${turns} turns in the record`);
    const page = await person();
    const [HANDSHAKE, JOIN] = [0x00, 0x02];
    let line = null;
    await page.routeWebSocket(/\/ws\/pimp\/1/, (socket) =>
      socket.onMessage((data) => {
        if (data[0] === HANDSHAKE) socket.send(said[0]);
        if (data[0] === JOIN) line = socket;
      }),
    );
    await sit(page, server, "bot0");
    await become(() => assert.ok(line));
    const heap = async () => {
      const tool = await page.context().newCDPSession(page);
      await tool.send("HeapProfiler.collectGarbage");
      const { usedSize } = await tool.send("Runtime.getHeapUsage");
      const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
      return { usedSize, nodes };
    };
    let played = 0;
    const again = async (until) => {
      while (played < until) {
        for (let at = 1; at < said.length; at += 400) {
          line.send(Buffer.concat(said.slice(at, at + 400)));
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        }
        played += turns;
      }
    };
    await again(Math.max(turns, RECORDED / 4));
    const early = await heap();
    await again(RECORDED);
    const late = await heap();
    console.log(
      `# ${played} turns: heap ${early.usedSize >> 10} KB after a quarter, ${late.usedSize >> 10} KB after all; ${early.nodes} and ${late.nodes} elements`,
    );
    assert.ok(late.usedSize < early.usedSize * 1.3 + 2e6, `${early.usedSize} -> ${late.usedSize}`);
    assert.ok(late.nodes < 2500, `${late.nodes} elements`);
    // Two thousand lines can be walked to, once the page has drawn the end of the flood, and the oldest still shows its board.
    await become(async () => {
      await page.locator(".log").press("Home");
      const lines = await page.locator(".log li").count();
      assert.ok(lines >= 2000, `${lines} lines`);
    });
    await page.evaluate(() => document.querySelector(".log button").click());
    await page.getByText("Then:").waitFor();
  },
  600,
);

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

scene("a page, a bot over TCP and a stranger over WebSocket finish a game", async () => {
  const server = await Server.start("--seed", "07", "--claim-grace", "0", "--vote-pause", "0", "--rate", "0");
  const ann = await person();
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  await ann.evaluate(hurry);
  const stranger = new Stranger(server.http, "/ws/pimp/1", "stranger");
  await stranger.seated;
  const bot = new Bots(server, 1);
  const ended = new Promise((done) => bot.child.once("exit", done));
  await ann.locator("#status").filter({ hasText: /won/ }).waitFor({ timeout: 200000 });
  assert.equal(await ended, 0);
  await become(() => assert.ok(stranger.winner > 0));
  stranger.leave();
});
