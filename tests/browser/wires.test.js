// What happens to a seat when the wire, the tab or the server does not hold.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { Server, Wire, person, scene, script, sit } from "./stage.js";
import { act, openTab, says, settle, status, two, until } from "./hands.js";
import { entries } from "../../host/web/pimp/codec.js";

const PONG = entries.find((entry) => entry.type === "PONG").code;
const calm = ["--claim-grace", "0", "--vote-pause", "0"];

scene("a lost connection is shown, and heals by itself", async () => {
  const server = await Server.start("--seed", script(0x12), "--ping-interval", "1", ...calm);
  const wire = await Wire.start(server);
  const [ann, bob] = await two(wire, server);
  wire.cut();
  await ann.getByText("The connection is lost. Your seat is kept").waitFor();
  // Whoever listens is told once, not every second that passes.
  const heard = () =>
    ann.evaluate(() => {
      const banner = document.querySelector(".banner[role=alert]").cloneNode(true);
      banner.querySelectorAll("[aria-hidden=true]").forEach((one) => one.remove());
      return banner.textContent;
    });
  assert.equal(await heard(), "The connection is lost. Your seat is kept. ");
  await act(bob, "Throw the dice");
  await status(bob, "Baltic Avenue is free.");
  wire.mend();
  await status(ann, /Bob may buy Baltic Avenue/);
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
});

scene("a blink of the connection before a game of Merchant of Venus: the seat is taken again, and the room laid again", async () => {
  const server = await Server.start();
  const wire = await Wire.start(server);
  const [ann, bob] = [await person(), await person()];
  const blink = async () => {
    wire.cut();
    await ann.getByText("The connection is lost.").waitFor();
    wire.mend();
    await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  };
  const seated = ann.locator(".seats").getByText("Ann (you)");
  await ann.goto(`${wire.url}/venus?room=Deep`);
  await ann.getByLabel("Your name").fill("Ann");
  await ann.getByRole("button", { name: "Sit down" }).click();
  await seated.waitFor();
  // Alone, and the room is gone with her.
  await blink();
  await seated.waitFor();
  assert.equal(new URL(ann.url()).search, "?room=Deep");
  await bob.goto(`${server.url}/venus?room=Deep`);
  await bob.getByLabel("Your name").fill("Bob");
  await bob.getByRole("button", { name: "Sit down" }).click();
  await status(bob, "2 players");
  await blink();
  await status(bob, "2 players");
  await seated.waitFor();
  // Who has stood up stays so.
  await ann.getByRole("button", { name: "Stand up" }).click();
  await ann.getByRole("button", { name: "Sit down" }).waitFor();
  await blink();
  await ann.getByText("You are watching.").waitFor();
  await ann.getByRole("button", { name: "Sit down" }).waitFor();
});

scene("at Scotland Yard a press without a connection is answered, and what was typed stays", async () => {
  const server = await Server.start();
  const wire = await Wire.start(server);
  const ann = await person();
  await ann.goto(`${wire.url}/yard`);
  await ann.getByLabel("Your name").fill("Ann");
  await ann.getByRole("button", { name: "Come in" }).click();
  const name = ann.getByLabel("Name of the game");
  await name.fill("Fog");
  wire.cut();
  await ann.getByText("The connection is lost.").waitFor();
  await ann.getByRole("button", { name: "Open it" }).click();
  await ann.locator(".toast", { hasText: "There is no connection just now." }).waitFor();
  wire.mend();
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  assert.equal(await name.inputValue(), "Fog");
  await ann.getByRole("button", { name: "Open it" }).click();
  await ann.getByRole("button", { name: "I am ready" }).waitFor();
});

scene("a command that reaches no server is answered in the page's own words", async () => {
  const server = await Server.start();
  const page = await person();
  await page.goto(`${server.url}/pimp`);
  const make = page.getByRole("button", { name: "New table" });
  await make.waitFor();
  await server.end();
  await make.click();
  await page.locator(".toast").filter({ hasText: /^The server does not answer\. $/ }).waitFor();
});

scene("a server that says nothing any more is noticed", async () => {
  const server = await Server.start(...calm);
  const [ann] = await two(server);
  await ann.clock.install();
  await ann.reload();
  await status(ann, /Bob/);
  // Quiet, because nobody does anything: it answers, and nothing is lost.
  const asked = ann.waitForResponse(/\/lobby$/);
  await ann.clock.fastForward(30000);
  await (await asked).finished();
  assert.equal(await ann.locator(".banner").count(), 0);
  server.child.kill("SIGSTOP");
  await ann.clock.fastForward(30000);
  await ann.getByText("The connection is lost. Your seat is kept").waitFor();
  server.child.kill("SIGCONT");
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
});

scene("a device without a network says so, and comes back with it", async () => {
  const server = await Server.start("--seed", script(0x12), ...calm);
  const [ann, bob] = await two(server);
  // No network, but the server is still there: it is this machine's own, and nothing is lost.
  const asked = ann.waitForResponse(/\/lobby$/);
  await ann.evaluate(() => dispatchEvent(new Event("offline")));
  await (await asked).finished();
  await act(bob, "Throw the dice");
  await says(ann, /^Bob throws/);
  assert.equal(await ann.locator(".banner").count(), 0);

  await ann.context().setOffline(true);
  await ann.locator(".banner").filter({ hasText: "This device is offline" }).waitFor();
  await act(bob, "Buy for $60");
  await ann.context().setOffline(false);
  await status(ann, /Your turn/);
  await ann.locator(".banner").waitFor({ state: "detached" });

  // The front door says it too.
  await ann.goto(server.url);
  await ann.locator(".game").first().waitFor();
  await ann.context().setOffline(true);
  await ann.getByText("This device is offline").waitFor();
  await ann.context().setOffline(false);
  await ann.getByText("This device is offline").waitFor({ state: "detached" });
});

scene("a seat at the next free table is found again, and the log with it", async () => {
  const server = await Server.start("--pimp-lobby", "127.0.0.1:0", "--max-players", "2", ...calm);
  const [ann, bob, carl] = [await person(), await person(), await person()];
  await ann.goto(`${server.url}/pimp`);
  await ann.getByRole("link", { name: "Sit at the next free table" }).click();
  await ann.getByText("Sit down at the next free table").waitFor();
  await sit(ann, server, "Ann", { table: "lobby" });
  await status(ann, /Waiting/);
  // Nobody is asked before the first throw: a lobby is for strangers.
  await sit(bob, server, "Bob", { table: "lobby" });
  await status(bob, /Your turn/);
  await act(bob, "Throw the dice");
  await says(bob, /^You throw/);
  // There is talk here, too.
  await ann.getByLabel("What you say").fill("Well met.");
  await ann.getByLabel("What you say").press("Enter");
  await bob.locator(".chat li").filter({ hasText: "Ann Well met." }).waitFor();
  // Their table is full: the next one is another, and it is that one which greets them when they come back.
  await sit(carl, server, "Carl", { table: "lobby" });
  await status(carl, /Waiting/);
  const lines = await bob.locator(".log li").allTextContents();
  await bob.reload();
  await bob.locator(".player", { hasText: "Ann" }).waitFor();
  assert.deepEqual((await bob.locator(".log li").allTextContents()).slice(0, lines.length), lines);
  // The board as it was before the reload.
  await bob.locator(".log button", { hasText: "You throw" }).first().click();
  await bob.getByText("Then: You throw").waitFor();
  await ann.goto(`${server.url}/pimp`);
  await ann.getByRole("link", { name: "Back to your seat" }).click();
  await ann.locator(".player", { hasText: "Bob" }).waitFor();
});

scene("a hidden page follows, and draws when it is looked at", async () => {
  const server = await Server.start("--seed", script(0x12), ...calm);
  const [ann, bob] = await two(server);
  await status(ann, "Bob is about to throw.");
  // Whoever wants it is told by the device, which is asked for leave once it is wanted.
  await ann.evaluate(() => {
    globalThis.notes = [];
    globalThis.Notification = class {
      static permission = "default";
      static requestPermission() {
        this.permission = "granted";
        globalThis.notes.push("asked");
      }
      constructor(text) {
        globalThis.notes.push(text);
      }
    };
  });
  await settle(ann, "A note from this device", true);
  assert.deepEqual(await ann.evaluate(() => globalThis.notes), ["asked"]);
  await ann.evaluate(() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $60");
  await until(ann, () => document.title.includes("Your turn"));
  assert.deepEqual(await ann.evaluate(() => globalThis.notes.splice(1)), ["Monopoly: it is your turn."]);
  assert.equal(await ann.locator(".dice").getAttribute("aria-label"), "Dice");
  await ann.evaluate(() => {
    delete document.hidden;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await status(ann, /Your turn/);
  await ann.locator('.dice[aria-label="Dice: 1 and 2"]').waitFor();
  // What happened meanwhile can be gone through, line by line, with the board as it was.
  await ann.getByRole("button", { name: "While you looked elsewhere: " }).click();
  await ann.getByText("Then: Bob throws 1 and 2.").waitFor();
  assert.ok(await ann.locator('[data-square="0"]').getAttribute("aria-label").then((told) => told.includes("Bob")));
  await ann.getByRole("button", { name: "One line on" }).click();
  await ann.getByText("Then: Bob lands on Baltic Avenue.").waitFor();
  await ann.locator('[data-square="3"][aria-label*="here: Bob"]').waitFor();
  await ann.getByRole("button", { name: "One line back" }).click();
  await ann.getByText("Then: Bob throws 1 and 2.").waitFor();
  await ann.getByRole("button", { name: "Back to now" }).click();
  await ann.getByText("Then:").waitFor({ state: "detached" });
  assert.equal(await ann.getByRole("button", { name: "While you looked elsewhere" }).count(), 0);
});

scene("the server's pings are answered", async () => {
  const server = await Server.start("--ping-interval", "1", "--ping-timeout", "5");
  const ann = await person();
  const connected = ann.waitForEvent("websocket");
  await sit(ann, server, "Ann");
  const isPong = ({ payload }) => payload[0] === PONG;
  await (await connected).waitForEvent("framesent", { predicate: isPong, timeout: 30000 });
});

scene("the seat is kept by the browser: reload, closed tab, second tab", async () => {
  const server = await Server.start("--seed", script(0x12), ...calm);
  const [ann, bob] = await two(server);
  await bob.reload();
  await status(bob, /Your turn/);
  const context = bob.context();
  const second = await context.newPage();
  await second.goto(`${server.url}/pimp?table=1`);
  await second
    .locator("#status")
    .filter({ hasText: /Your turn/ })
    .waitFor();
  // The older tab gives way, and does not fight for the seat.
  await bob.getByText("You play in another tab.").waitFor();
  await second.close();
  await bob.getByRole("button", { name: "Play here" }).click();
  await act(bob, "Throw the dice");
  await says(ann, "Bob lands on Baltic Avenue.");
  await bob.close();
  const third = await context.newPage();
  await third.goto(`${server.url}/pimp`);
  await third.getByRole("link", { name: "Back to your seat" }).click();
  await third
    .locator("#status")
    .filter({ hasText: /Baltic Avenue is free/ })
    .waitFor();
});

scene("a server that begins anew has a new game: the page says so, and asks", async () => {
  const server = await Server.start(...calm);
  const [ann] = await two(server);
  await server.end("SIGKILL");
  await ann.getByText("The connection is lost.").waitFor();
  // Without its files the server knows nothing of the old game.
  rmSync(server.folder, { recursive: true, force: true });
  server.folder = mkdtempSync(`${server.folder}-`);
  server.flags = ["--seed", "08".repeat(32), ...calm];
  await server.run(server.http);
  await ann.getByText("A new game has begun at this table.").waitFor();
  assert.equal(await ann.getByLabel("Your name").inputValue(), "Ann");
});

scene("a restart of the server in the middle of a trade", async () => {
  const server = await Server.start("--seed", script(0x12), ...calm);
  const [ann, bob] = await two(server);
  await openTab(bob, "Deals");
  await bob.locator(".p-deals").getByRole("button", { name: "Trade with Ann" }).click();
  await bob.locator(".deal").getByLabel("Your cash").fill("77");
  await bob.locator(".deal").getByRole("button", { name: "Put in" }).click();
  await ann.locator(".deal").getByText("$77", { exact: true }).waitFor();
  await server.end("SIGTERM");
  await ann.getByText("The connection is lost.").waitFor();
  await server.run(server.http);
  for (const page of [ann, bob]) {
    await page.locator(".banner.bad").waitFor({ state: "detached" });
    await page.locator(".deal").getByText("$77", { exact: true }).waitFor();
  }
  await bob.locator(".deal").getByRole("button", { name: "My side is ready" }).click();
  await ann.locator(".deal").getByRole("button", { name: "My side is ready" }).click();
  await ann.locator(".deal").getByRole("button", { name: "Agree" }).click();
  await bob.locator(".deal").getByRole("button", { name: "Agree" }).click();
  await says(ann, "Bob pays $77 to you.");
});

scene("a slow network", async () => {
  const server = await Server.start("--seed", script(0x12), ...calm);
  const ann = await person();
  const line = await ann.context().newCDPSession(ann);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: 12000,
    uploadThroughput: 6000,
  });
  const start = Date.now();
  await ann.goto(`${server.url}/pimp?table=1`, { waitUntil: "commit" });
  await ann.getByText("Monopoly").first().waitFor();
  await ann.getByLabel("Your name").waitFor();
  console.log(`# the door stood open after ${Date.now() - start} ms at 12 KB/s and 400 ms`);
  await ann.getByLabel("Your name").fill("Ann");
  await ann.getByRole("button", { name: "Sit down" }).click();
  await status(ann, /Waiting/);
  await server.bots(1, 1);
  await act(ann, "Let in");
  await ann.locator(".player").nth(1).waitFor();
});
