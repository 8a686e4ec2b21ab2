// The real server and real browsers for the tests: each test starts its own server on free ports and ends it.
//
// PARLOR_BIN is the program; CHROMIUM the browser, if it is not on the path. PARLOR_WEB, a folder, serves the page's files
// from there instead of from the program, and PARLOR_PATIENCE, in milliseconds, waits less long for what does not come:
// quicker while the page is being written.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const program = process.env.PARLOR_BIN ?? join(here, "../../target/debug/parlor");
export const shots = process.env.PARLOR_SHOTS ?? join(here, "shots");
export const browserPath = join(here, "leash");

// The program, for as long as this one lives: however a test ends, it leaves no server behind.
export const start = (flags, options) => spawn("setpriv", ["--pdeathsig", "KILL", program, ...flags], options);

// A folder that a process may have written to until just now. What can't be removed is no fault of the page.
export function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  } catch (error) {
    console.log(`# left behind: ${error.message}`);
  }
}

// Ends a process and waits until it is gone.
export async function end(child, signal = "SIGKILL") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await ended;
}

// --- a test, and what it leaves when it fails ------------------------------------------------------------------------------

// What a test has started, and what is closed at its end; what comes last is closed first.
const opened = [];
export const opens = (what) => (opened.push(what), what);
const within = (milliseconds, what) => Promise.race([what, pause(milliseconds)]);
// Never fails a test.
const close = async (what) => {
  try {
    await what.close();
  } catch (error) {
    console.log(`# not closed: ${error.message}`);
  }
};
let hasFailed = false;

// A picture of every page, and the end of every journal; the data directories stay where they are.
async function tell(name) {
  const file = name.replace(/\W+/g, "-").slice(0, 40);
  for (const [n, one] of opened.entries()) await within(5000, one.look?.(`failed-${file}-${n}`)).catch(() => {});
  console.log(`# pictures of all pages: ${join(shots, `failed-${file}-*.png`)}`);
  for (const one of opened) await one.tell?.();
}

// A test that fails after so many seconds at the latest and closes what it has opened; no page may throw anything in it.
// After a failure the rest of a file is not run.
export function scene(name, play, seconds = 240) {
  test(name, async (t) => {
    if (hasFailed) return t.skip("after a failure");
    let timer;
    const late = new Promise((_, no) => {
      timer = setTimeout(() => no(new Error(`still not done after ${seconds} s`)), seconds * 1000);
    });
    try {
      await Promise.race([play(), late]);
      assert.deepEqual(faults, []);
    } catch (error) {
      hasFailed = true;
      await tell(name);
      throw error;
    } finally {
      clearTimeout(timer);
      while (opened.length) await within(10000, close(opened.pop()));
    }
  });
}

// A seed whose throws begin as told: bytes like 0x35 are a throw of 3 and 5, 0x80 + card a card on top of its pile.
export function script(...steps) {
  const seed = Buffer.alloc(32);
  seed.write("scripted");
  if (steps.length > 24) throw new Error("a seed carries 24 steps");
  seed.set(steps, 8);
  return seed.toString("hex");
}

// Whoever asks for no dice of their own has these: a game that begins badly would begin so every time.
const SEED = ["--seed", "07".repeat(32)];

export class Server {
  static async start(...flags) {
    const server = opens(new Server());
    server.folder = mkdtempSync(join(tmpdir(), "parlor-"));
    server.flags = flags.includes("--seed") ? flags : [...SEED, ...flags];
    await server.run("127.0.0.1:0");
    return server;
  }

  // At this address: after `end`, the server begins again where it was.
  async run(http) {
    const flags = [
      "serve",
      "--pimp",
      "127.0.0.1:0",
      "--pimp-ws",
      "off",
      "--yard",
      "127.0.0.1:0",
      "--venus",
      "127.0.0.1:0",
      "--http",
      http,
      "--log",
      "warn",
      "--bot-pace",
      "0",
      "--data",
      this.folder,
    ];
    this.child = start([...flags, ...this.flags], { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    for await (const chunk of this.child.stdout.iterator?.({ destroyOnReturn: false }) ?? this.child.stdout) {
      text += chunk;
      if (text.includes("\n")) break;
    }
    const ports = Object.fromEntries(
      text
        .trim()
        .split(" ")
        .slice(1)
        .map((word) => word.split("=")),
    );
    this.http = ports.http;
    this.pimp = ports.pimp;
    this.url = `http://${ports.http}`;
  }

  end(signal) {
    return end(this.child, signal);
  }

  async close() {
    await this.end();
    if (!hasFailed) remove(this.folder);
  }

  // Where the journal is, and how it ends.
  async tell() {
    await this.end();
    const limits = { encoding: "utf8", timeout: 20000, maxBuffer: 1 << 28 };
    const { stdout, stderr } = spawnSync(program, ["replay", this.folder], limits);
    const lines = `${stdout}${stderr}`.trim().split("\n").slice(-15);
    console.log([`the server's data directory: ${this.folder}`, ...lines].map((line) => `# ${line}`).join("\n"));
  }

  // A connection that was idle may be closed by the server just when it is used again: that is no fault of either.
  async get(path) {
    for (let tries = 0; ; tries++) {
      try {
        return await fetch(this.url + path);
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  }

  // The turn that a table is at.
  async turn(table = 1) {
    const { tables } = await (await this.get("/lobby")).json();
    return tables.find((row) => row.table === table).turn;
  }

  // A figure of /metrics.
  async figure(name) {
    const text = await (await this.get("/metrics")).text();
    return Number(text.match(new RegExp(`^parlor_${name} (.*)$`, "m"))[1]);
  }

  async bots(table, players, strength = "plain", seed = 1) {
    const body = JSON.stringify({ players, strength, seed });
    return (await fetch(`${this.url}/tables/${table}/bots`, { method: "POST", body })).status;
  }
}

// A wire between browsers and a server that can be cut and mended.
export class Wire {
  static async start(server) {
    const wire = opens(new Wire());
    wire.sockets = new Set();
    wire.fars = new Set();
    wire.whole = true;
    wire.listener = createServer((near) => {
      if (!wire.whole) return near.destroy();
      const far = connect({ host: "127.0.0.1", port: Number(server.http.split(":")[1]) });
      wire.fars.add(far);
      far.on("close", () => wire.fars.delete(far));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ]) {
        wire.sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => (wire.sockets.delete(one), other.destroy()));
        one.pipe(other);
      }
    });
    await new Promise((done) => wire.listener.listen(0, "127.0.0.1", done));
    wire.url = `http://127.0.0.1:${wire.listener.address().port}`;
    return wire;
  }

  cut() {
    this.whole = false;
    this.sockets.forEach((socket) => socket.destroy());
  }

  mend() {
    this.whole = true;
  }

  // What the server says is held back on its way, until it may pass; what browsers say is not.
  hold() {
    this.fars.forEach((far) => far.pause());
  }

  pass() {
    this.fars.forEach((far) => far.resume());
  }

  close() {
    this.cut();
    this.listener.close();
  }
}

let browser = null;

// A page that comes from no address may not speak to this machine, unless told otherwise.
export const folderFlags = process.env.PARLOR_WEB
  ? ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"]
  : [];

// An address that is not this machine's own to the browser, though it leads there.
const NAMES = "--host-resolver-rules=MAP table.example 127.0.0.1";

async function launch() {
  browser ??= await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", NAMES, ...folderFlags] });
  return browser;
}

after(() => within(10000, browser?.close()));

const KINDS = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

const LANGUAGES = ["en", "de", "he"];

// A page in the language that is asked for, as the program's build script would write it.
function pageIn(folder, html, asked = "") {
  const language = LANGUAGES.find((one) => asked.startsWith(one)) ?? "en";
  const known = { language, languages: LANGUAGES.join(" ") };
  const table = (of) => readFileSync(join(process.env.PARLOR_WEB, of, `words.${language}.js`), "utf8");
  const word = (key) =>
    `${table(folder)}\n${table("lib")}`.match(new RegExp(`^  ${key}: "(.*)",$`, "m"))[1].replaceAll('"', "&quot;");
  return html.replace(/\{(\w+)\}/g, (_, key) => known[key] ?? word(key));
}

// A page's file out of the folder, as the program would serve it: { body, kind }, or null.
export function fileFor(url, language) {
  const { pathname } = new URL(url);
  const [folder, file = "index.html"] = pathname.slice(1).split("/");
  const path = join(process.env.PARLOR_WEB, folder || "front", file);
  if (!existsSync(path)) return null;
  const body = readFileSync(path);
  const isPage = file === "index.html";
  return { body: isPage ? pageIn(folder || "front", String(body), language) : body, kind: KINDS[file.split(".").pop()] };
}

async function fromFolder(context) {
  await context.route(/./, (route) => {
    const found = fileFor(route.request().url(), route.request().headers()["accept-language"]);
    return found ? route.fulfill({ body: found.body, contentType: found.kind }) : route.continue();
  });
}

// Faults of every page of this run: a page of ours throws nothing and asks for nothing that is not there.
export const faults = [];

// Types of all messages that pages have sent, for the last test: every control was used by somebody.
const said = new Set();
process.on("exit", () => process.env.PARLOR_SAID && appendFileSync(process.env.PARLOR_SAID, [...said, ""].join("\n")));

function listen(socket) {
  // Text is another game's.
  socket.on("framesent", ({ payload }) => typeof payload !== "string" && said.add(payload[0]));
}

// Until a hand could press it: what has just come takes no press yet.
export const ready = (locator) => locator.and(locator.page().locator(":not([data-fresh])")).waitFor();

// What takes no press yet Playwright tries again at its own pace, half a second later; a hand presses as soon as it can.
let hasHands = false;
function giveHands(page) {
  if (hasHands) return;
  hasHands = true;
  const locators = Object.getPrototypeOf(page.locator("body"));
  const { click } = locators;
  locators.click = async function (...how) {
    await ready(this);
    await click.apply(this, how);
  };
}

// A browser of one person.
export async function person(options = {}) {
  const context = await (
    await launch()
  ).newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", ...options });
  if (process.env.PARLOR_WEB) await fromFolder(context);
  const page = await context.newPage();
  giveHands(page);
  opens({ look: (name) => shot(page, name), close: () => context.close() });
  // A limit for machines that do much else, not a pause: whatever is waited for comes sooner.
  page.setDefaultTimeout(Number(process.env.PARLOR_PATIENCE ?? 60000));
  page.on("websocket", listen);
  page.on("pageerror", (error) => faults.push(String(error.stack ?? error)));
  page.on("console", (said) => {
    const isOurs = said.type() === "error" && !/WebSocket|ERR_|Failed to load resource/.test(said.text());
    if (isOurs) faults.push(said.text());
  });
  return page;
}

// The program has the modules of a page in one script: from here on this page can import each by itself, below /source/.
// Its browser keeps no files any more.
export const sources = (page) =>
  page.route(/\/source\//, (route) => {
    const [, path] = route.request().url().split("/source/");
    return route.fulfill({ body: readFileSync(join(here, "../../host/web", path)), contentType: "text/javascript" });
  });

export async function sit(page, server, name, { table = 1, play = true, piece = 0 } = {}) {
  await page.goto(`${server.url}/pimp?table=${table}`);
  await page.getByLabel("Your name").fill(name);
  if (piece) await page.locator(".pick").nth(piece).click();
  if (!play) await page.getByLabel("Only watch").check();
  await page.getByRole("button", { name: "Sit down" }).click();
}

export function keep(name, png) {
  mkdirSync(shots, { recursive: true });
  writeFileSync(join(shots, `${name}.png`), png);
}

export async function shot(page, name) {
  keep(name, await page.screenshot());
}
