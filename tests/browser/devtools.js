// Chromium by its own protocol over a pipe, for pages that are measured. Playwright is told of every WebSocket message of
// every page and can't be asked not to be: with a table of fast bots that is work which nobody who plays has.

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserPath, end, faults, fileFor, folderFlags, keep, opens, remove } from "./stage.js";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--no-first-run",
  "--mute-audio",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Every page is somebody's: none is behind another one.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--remote-debugging-pipe",
];

export class Chromium {
  #asked = new Map();
  #pages = new Map();
  #last = 0;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "parlor-chromium-"));
    this.child = spawn(browserPath, [...FLAGS, ...folderFlags, `--user-data-dir=${this.folder}`], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    opens(this);
    // A browser that is ended does not read to the end.
    for (const pipe of this.child.stdio.slice(3)) pipe.on("error", () => {});
    let parts = [];
    this.child.stdio[4].on("data", (data) => {
      for (let end; (end = data.indexOf(0)) >= 0; data = data.subarray(end + 1)) {
        this.#hear(JSON.parse(Buffer.concat([...parts, data.subarray(0, end)])));
        parts = [];
      }
      parts.push(data);
    });
  }

  #hear({ id, result, error, method, params, sessionId }) {
    if (method) return this.#pages.get(sessionId)?.hear(method, params);
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error) asked?.no(new Error(`${asked.method}: ${error.message}`));
    else asked?.yes(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((yes, no) => this.#asked.set(id, { yes, no, method }));
  }

  // A window of somebody else's browser: nothing is shared with the others. `init` runs before the page's own scripts.
  async page({ width, height, init }) {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const where = { url: "about:blank", browserContextId, newWindow: true, width, height };
    const { targetId } = await this.send("Target.createTarget", where);
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.#pages.set(sessionId, page);
    await page.send("Runtime.enable");
    await page.send("Page.enable");
    await page.send("Performance.enable");
    await page.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    const screen = { width, height, deviceScaleFactor: 1, mobile: false };
    await page.send("Emulation.setDeviceMetricsOverride", screen);
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: init });
    if (process.env.PARLOR_WEB) await page.send("Fetch.enable");
    return page;
  }

  async look(name) {
    for (const [n, page] of [...this.#pages.values()].entries()) {
      const { data } = await page.send("Page.captureScreenshot");
      keep(`${name}-${n}`, Buffer.from(data, "base64"));
    }
  }

  // Its helpers write to the profile until they have noticed that the browser is gone.
  async close() {
    await end(this.child);
    remove(this.folder);
  }
}

class Page {
  // By the names of the browser's events.
  #hears = {};

  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // From now on `then` hears of such events.
  on(method, then) {
    this.#hears[method] = then;
  }

  hear(method, params) {
    this.#hears[method]?.(params);
    if (method === "Runtime.exceptionThrown") faults.push(params.exceptionDetails.exception?.description);
    else if (method === "Fetch.requestPaused" && process.env.PARLOR_WEB) this.#fetch(params);
  }

  // The page's files from a folder.
  #fetch({ requestId, request }) {
    const found = fileFor(request.url);
    if (!found) return this.send("Fetch.continueRequest", { requestId });
    const body = found.body.toString("base64");
    const responseHeaders = [{ name: "Content-Type", value: found.kind }];
    return this.send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders, body });
  }

  // What a function gives in the page.
  async run(what, ...given) {
    const expression = `(${what})(...${JSON.stringify(given)})`;
    const how = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", how);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Until a selector finds something (or nothing, with `gone`). Did it, within so many milliseconds?
  wait(selector, { gone = false, limit = 60000 } = {}) {
    return this.run(
      async (selector, gone, limit) => {
        const isSo = () => !document.querySelector(selector) === gone;
        const end = performance.now() + limit;
        while (!isSo() && performance.now() < end) await new Promise((done) => setTimeout(done, 10));
        return isSo();
      },
      selector,
      gone,
      limit,
    );
  }

  // A press of a real mouse in the middle of what is found, once it takes one.
  async click(selector) {
    await this.wait(`${selector}:not([data-fresh])`);
    const [x, y] = await this.run((selector) => {
      const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    }, selector);
    const press = { x, y, button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { ...press, type: "mousePressed" });
    await this.send("Input.dispatchMouseEvent", { ...press, type: "mouseReleased" });
  }
}
