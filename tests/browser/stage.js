// The real server and real browsers for the tests: each test starts its own server on free ports and ends it.
//
// PARLOR_BIN is the program; CHROMIUM the browser, if it is not on the path. PARLOR_WEB, a folder, serves the page's files from there instead of from
// the program: quicker while the page is being written.

import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const program = process.env.PARLOR_BIN ?? join(here, "../../target/debug/parlor");
export const shots = process.env.PARLOR_SHOTS ?? join(here, "shots");

// Does the program come back with its games after a restart?
export const keepsGames = () =>
  execFileSync(program, ["serve", "--help"], { encoding: "utf8" }).includes("--durability");

// A seed whose throws begin as told: bytes like 0x35 are a throw of 3 and 5, 0x80 + card a card on top of its pile.
export function script(...steps) {
  const seed = Buffer.alloc(32);
  seed.write("scripted");
  if (steps.length > 24) throw new Error("a seed carries 24 steps");
  seed.set(steps, 8);
  return seed.toString("hex");
}

// A test that fails in the middle leaves no server behind.
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

export class Server {
  static async start(...flags) {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), "parlor-"));
    server.flags = flags;
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
      "--http",
      http,
      "--log",
      "warn",
      "--data",
      this.folder,
    ];
    this.child = spawn(program, [...flags, ...this.flags], { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
    running.add(this.child);
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

  async end(signal = "SIGKILL") {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill(signal);
    await ended;
    running.delete(this.child);
  }

  async close() {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // The turn that a table is at.
  async turn(table = 1) {
    const { tables } = await (await fetch(`${this.url}/lobby`)).json();
    return tables.find((row) => row.table === table).turn;
  }

  // A figure of /metrics.
  async figure(name) {
    const text = await (await fetch(`${this.url}/metrics`)).text();
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
    const wire = new Wire();
    wire.sockets = new Set();
    wire.whole = true;
    wire.listener = createServer((near) => {
      if (!wire.whole) return near.destroy();
      const far = connect({ host: "127.0.0.1", port: Number(server.http.split(":")[1]) });
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

export const chromiumPath = () =>
  process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();

export async function launch() {
  browser ??= await chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", ...folderFlags],
  });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
  browser = null;
}

export const KINDS = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

async function fromFolder(context, folder) {
  await context.route(/\/([\w.]*)(\?.*)?$/, (route) => {
    const path = new URL(route.request().url()).pathname;
    const page = `${path.slice(1) || "index"}.html`;
    const name = existsSync(join(folder, page)) ? page : path.slice(1);
    const kind = KINDS[name.split(".").pop()];
    if (!kind || route.request().method() !== "GET") return route.continue();
    return route.fulfill({ body: readFileSync(join(folder, name)), contentType: kind });
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

// A browser of one person.
export async function person(options = {}) {
  const context = await (
    await launch()
  ).newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", ...options });
  if (process.env.PARLOR_WEB) await fromFolder(context, process.env.PARLOR_WEB);
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("websocket", listen);
  page.on("pageerror", (error) => faults.push(String(error.stack ?? error)));
  page.on("console", (said) => {
    const isOurs = said.type() === "error" && !/WebSocket|ERR_|Failed to load resource/.test(said.text());
    if (isOurs) faults.push(said.text());
  });
  return page;
}

export async function sit(page, server, name, { table = 1, play = true, piece = 0 } = {}) {
  await page.goto(`${server.url}/?table=${table}`);
  await page.getByLabel("Your name").fill(name);
  if (piece) await page.locator(".pick").nth(piece).click();
  if (!play) await page.getByLabel("Only watch").check();
  await page.getByRole("button", { name: "Sit down" }).click();
}

export async function shot(page, name) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
