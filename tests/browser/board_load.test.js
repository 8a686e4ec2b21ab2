// How long a board's pages take over networks of several lengths, and over one that loses frames: figures, no judgement. The
// board's image has the feature `bad-wire`. PARLOR_LOADS says how often each page is loaded.

import { setTimeout as pause } from "node:timers/promises";
import { Board } from "./board.js";
import { Chromium } from "./devtools.js";
import { scene } from "./stage.js";

const LOADS = Number(process.env.PARLOR_LOADS ?? 6);
// Milliseconds there and back, and how many of a hundred frames are lost each way.
const NETWORKS = [[0, 0], [8, 0], [40, 0], [8, 1], [40, 1]];
const PAGES = { "/": ".games:not(:has(.about:empty))", "/pimp": ".hero" };

// In the page, before its own scripts: when there is something drawn by them.
function watchFor(drawn) {
  const look = () => {
    const path = location.pathname;
    if (!drawn[path] || !document.querySelector(drawn[path])) return;
    observer.disconnect();
    globalThis.drawnAt = performance.now();
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true });
}

// From when it was asked for until it is drawn. The old document may be gone before it could answer.
async function timed(page, go) {
  await page.run(() => void (globalThis.drawnAt = 0));
  await page.send(...go);
  for (;;) {
    const at = await page.run(() => globalThis.drawnAt ?? 0).catch(() => 0);
    if (at) return Math.round(at);
    await pause(20);
  }
}

const summary = (times) => {
  times.sort((one, other) => one - other);
  return `${times[times.length >> 1]} | ${times.at(-1)}`;
};

scene(
  "first load and reload, in milliseconds",
  async () => {
    const chromium = new Chromium();
    const rows = ["| page | round trip | lost | first load, median | slowest | loaded anew, median | slowest |"];
    rows.push("|---|---:|---:|---:|---:|---:|---:|");
    for (const [trip, lost] of NETWORKS) {
      const board = await Board.start(`delay=${trip / 2}`, `drop=${lost}`, "wire-seed=7");
      for (const path of Object.keys(PAGES)) {
        const [first, again] = [[], []];
        for (let n = 0; n < LOADS; n++) {
          const init = `(${watchFor})(${JSON.stringify(PAGES)})`;
          const page = await chromium.page({ width: 390, height: 844, init });
          first.push(await timed(page, ["Page.navigate", { url: board.url + path }]));
          again.push(await timed(page, ["Page.reload"]));
          // With the connections that it keeps: one at a time has the board.
          const { targetInfo } = await page.send("Target.getTargetInfo");
          await chromium.send("Target.disposeBrowserContext", { browserContextId: targetInfo.browserContextId });
        }
        rows.push(`| ${path} | ${trip} ms | ${lost} % | ${summary(first)} | ${summary(again)} |`);
      }
      board.isWell();
      await board.close();
    }
    console.log(rows.map((row) => `# ${row}`).join("\n"));
  },
  900,
);
