// A watcher's page and what is measured in it while a game runs: everything that arrives, every drawing, every press.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { end, opens, start } from "./stage.js";

// In the page, before its own scripts. Nothing of the page is changed: a second listener hears what its socket hears.
function gauge() {
  const seen = { sockets: 0, closed: 0, messages: 0, frames: 0, turns: 0, hash: 0, drawings: 0, stale: 0 };
  const slow = { presses: [], tasks: [], late: [] };
  Object.assign(window, { seen, slow });
  let dice = "Dice";
  // What the whole room is told: answers to one user differ from page to page.
  const isPublic = (code) => code < 0x91 || (code >= 0xc0 && code < 0xe0 && code !== 0xd0);

  function frame(bytes) {
    const [code, , , die1, die2] = bytes;
    seen.frames += 1;
    if (code === 0x20) seen.turns += 1;
    if (code === 0x22) dice = `Dice: ${die1} and ${die2}`;
    if (!seen.turns || !isPublic(code)) return;
    for (const byte of bytes) seen.hash = Math.imul(seen.hash ^ byte, 0x01000193) >>> 0;
  }

  window.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      seen.sockets += 1;
      let rest = new Uint8Array(0);
      this.addEventListener("message", ({ data }) => {
        seen.messages += 1;
        const all = new Uint8Array(rest.length + data.byteLength);
        all.set(rest);
        all.set(new Uint8Array(data), rest.length);
        let at = 0;
        for (let end; at + 2 <= all.length && (end = at + 2 + all[at + 1]) <= all.length; at = end)
          frame(all.subarray(at, end));
        rest = all.slice(at);
      });
      this.addEventListener("close", () => (seen.closed += 1));
    }
  };

  // A drawing that does not show the last throw that has arrived is one of a page that has fallen behind.
  const drawings = new MutationObserver(() => {
    seen.drawings += 1;
    const isPast = document.querySelector(".whose").textContent.startsWith("As it was");
    if (!isPast && document.querySelector(".dice").getAttribute("aria-label") !== dice) seen.stale += 1;
  });
  const find = setInterval(() => {
    const log = document.querySelector(".log");
    if (!log) return;
    clearInterval(find);
    drawings.observe(log, { childList: true });
  }, 50);

  new PerformanceObserver((list) => {
    for (const { name, startTime, processingStart, duration } of list.getEntries())
      if (name === "click") slow.presses.push([Math.round(processingStart - startTime), duration]);
  }).observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) slow.tasks.push(Math.round(duration));
  }).observe({ type: "longtask" });
  // How late a timer is: what the page does not do for itself in that time it does not do for a press either. No frame is
  // asked for: that would be work the page does not have by itself.
  const BEAT = 100;
  let due = performance.now() + BEAT;
  setInterval(() => {
    const now = performance.now();
    slow.late.push(Math.max(0, Math.round(now - due)));
    due = now + BEAT;
  }, BEAT);
}

export class Watcher {
  static async come(browser, server, name) {
    const watcher = new Watcher();
    const settings = JSON.stringify({ admit: true, speed: "fast" });
    const init = `localStorage.setItem("parlor:settings", ${JSON.stringify(settings)}); (${gauge})()`;
    watcher.page = await browser.page({ width: 1200, height: 800, init });
    await watcher.page.send("Page.navigate", { url: `${server.url}/pimp?table=1` });
    assert.ok(await watcher.page.wait("form.door"), "there is a door");
    await watcher.page.run((name) => {
      document.querySelector("[name=name]").value = name;
      document.querySelectorAll("[name=way]")[1].click();
      document.querySelector("form.door .primary").click();
    }, name);
    assert.ok(await watcher.page.wait(".board"), "there is a board");
    return watcher;
  }

  // Comes back into the same seat.
  async reload() {
    await this.page.run(() => void (window.isOld = true));
    await this.page.send("Page.reload");
    const isBack = () => !window.isOld && document.querySelector(".board .token") !== null;
    // The old page may answer, or be gone before it could.
    while (!(await this.page.run(isBack).catch(() => false))) await pause(100);
  }

  seen() {
    return this.page.run(() => window.seen);
  }

  // Times since this was last asked.
  slow() {
    return this.page.run(() => {
      const told = { ...window.slow };
      for (const name of Object.keys(told)) window.slow[name] = [];
      return told;
    });
  }

  // The table as it is on the screen: everybody's name, cash and deeds, where the pieces stand, what stands on the deeds.
  table() {
    return this.page.run(() => ({
      players: [...document.querySelectorAll(".player")].map((row) =>
        [".name", ".cash", ".tags"].map((part) => row.querySelector(part)?.textContent).join(" "),
      ),
      squares: [...document.querySelectorAll("[data-square]")].map((square) => square.getAttribute("aria-label")),
      stock: document.querySelector(".stock").textContent,
    }));
  }

  newest() {
    return this.page.run(() => document.querySelector(".log li:last-child")?.textContent);
  }

  // Presses a real control with a real mouse, sees what it does, and puts it back: the menu, or a line of the log.
  async press(what) {
    const { page } = this;
    if (what === "menu") {
      await page.click(".top button");
      assert.ok(await page.wait("dialog[open]"), "the menu opens");
      await page.click("dialog .close");
      assert.ok(await page.wait("dialog", { gone: true }), "the menu closes");
    } else {
      const then = ".board-place .banner";
      assert.ok(await page.wait(".log li:nth-child(3)"), "there is a log");
      // Lines move while bots play: whoever aims at one may hit the gap above another.
      for (let tries = 0; tries === 0 || !(await page.wait(then, { limit: 3000 })); tries++) {
        assert.ok(tries < 10, "a line of the log can be hit");
        await page.click(".log li:nth-last-child(3)");
      }
      await page.click(`${then} > button`);
      assert.ok(await page.wait(then, { gone: true }), "back to now");
    }
  }

  async cost() {
    const { metrics } = await this.page.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }

  // What is in use once the garbage is gone.
  async memory() {
    await this.page.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.page.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners } = await this.page.send("Memory.getDOMCounters");
    return { heap: usedSize, nodes, listeners: jsEventListeners };
  }
}

// Bots in a process of their own, over TCP: it can be held still, and goes on where it was.
export class Bots {
  constructor(server, players, strength = "plain") {
    const flags = ["bot", "--connect", server.pimp, "--players", String(players), "--strength", strength];
    this.child = start(flags, { stdio: "ignore" });
    opens(this);
  }

  hold() {
    this.child.kill("SIGSTOP");
  }

  goOn() {
    this.child.kill("SIGCONT");
  }

  close() {
    return end(this.child);
  }
}
