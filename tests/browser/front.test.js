// The front door: what is played now, who is here, one name for all games, and the way to the first move.

import assert from "node:assert/strict";
import { eachColour, fits, phone } from "./eyes.js";
import { status, until } from "./hands.js";
import { Server, person, scene, shot, sit } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];

const card = (page, game) => page.locator(".game").filter({ has: page.getByRole("heading", { name: game }) });

scene("a name and one press lead to a game against bots, in every game", async () => {
  const server = await Server.start(...CALM);
  const ann = await person();
  let presses = 0;
  const start = performance.now();
  const press = async (one) => ((presses += 1), await one.click());
  await ann.goto(server.url);
  // The name has the focus already.
  await ann.getByLabel("Your name").and(ann.locator(":focus")).waitFor();
  await ann.keyboard.type("Ann");
  await press(ann.getByRole("link", { name: "Play Monopoly against bots" }));
  await status(ann, /Your turn/);
  await press(ann.getByRole("button", { name: "Throw the dice" }));
  await ann.locator(".log button").filter({ hasText: "You throw" }).first().waitFor();
  assert.equal(presses, 2);
  console.log(`# from the address to the first throw: a name, ${presses} presses, ${((performance.now() - start) / 1000).toFixed(1)} s`);
  assert.match(ann.url(), /\/pimp\?table=1$/);

  // The same name, without being asked for it again.
  await ann.goto(server.url);
  await ann.getByRole("link", { name: "Play Scotland Yard against bots" }).click();
  await status(ann, "Your turn: move Mr. X.");
  assert.match(decodeURIComponent(ann.url().replaceAll("+", " ")), /\/yard\?game=Ann's game$/);
  await ann.goto(server.url);
  await ann.getByRole("link", { name: "Play Merchant of Venus against bots" }).click();
  await ann.locator(".board-place svg").first().waitFor();
  // Loaded anew it is the same game, not another one.
  const address = ann.url();
  await ann.reload();
  await status(ann, /./);
  assert.equal(ann.url(), address);

  // Bob sees all three at the door, and who plays there; Ann is away from two of them.
  const bob = await person();
  await bob.goto(server.url);
  const rows = bob.locator(".tables .table-card");
  await rows.nth(2).waitFor();
  // Bots sit down in the order in which they happen to come.
  for (const [where, ...names] of [
    ["Monopoly table 1", "bot1", "bot2"],
    ["Scotland Yard “Ann's game”", "bot-1", "bot-2"],
    ["Merchant of Venus “Ann's game”", "bot-1", "bot-2"],
  ]) {
    let row = rows.filter({ hasText: where }).filter({ hasText: "is being played" });
    for (const name of ["Ann", ...names]) row = row.filter({ hasText: name });
    await row.waitFor();
  }
  await bob.getByRole("heading", { name: "Who is here" }).waitFor();
  await bob.getByLabel("Your name").fill("Bob");
  await bob.getByRole("link", { name: "Watch: Merchant of Venus, “Ann's game”" }).click();
  await bob.getByText("You are watching.").waitFor();
  assert.equal(await bob.evaluate(() => JSON.parse(localStorage["parlor:person"]).name), "Bob");
});

scene("the front door on every screen; the house rules; nobody but this machine", async () => {
  const server = await Server.start("--pimp-lobby", "127.0.0.1:0", "--tables", "2", ...CALM);
  const ann = await person();
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  for (const [width, options] of [
    [1400, {}],
    [360, phone],
  ]) {
    const page = await person(options);
    await page.goto(server.url);
    await page.locator(".game").nth(2).waitFor();
    await page.locator(".tables .table-card").first().waitFor();
    await page.getByText("parlor --lan").waitFor();
    await eachColour(page, `front-${width}`);
    if (options.hasTouch) await fits(page, "the front door");
    await card(page, "Monopoly").getByText("House rules").click();
    await page.getByText("Players at a table; others watch").waitFor();
    await eachColour(page, `front-rules-${width}`);
  }
});

scene("in a network the door says where friends find it", async () => {
  const server = await Server.start("--lan", ...CALM);
  const port = server.http.split(":").pop();
  const { addresses } = await (await fetch(`http://127.0.0.1:${port}/now`)).json();
  // Whoever runs this may be in no network: then there is nothing to tell.
  if (addresses.length === 0) return;
  const page = await person();
  await page.goto(`http://127.0.0.1:${port}/`);
  const field = page.getByLabel("Link for friends");
  await field.waitFor();
  assert.equal(await field.inputValue(), addresses[0]);
  // The code is a picture that was found and drawn.
  const code = page.getByAltText("The link as a code for cameras");
  await code.waitFor();
  await until(page, () => document.querySelector(".qr").naturalWidth > 0);
  await shot(page, "front-lan");
  assert.equal((await fetch(`http://127.0.0.1:${port}/qr.svg?http://elsewhere.example/`)).status, 404);
  // A friend who came by that address is not told of others, and hands on the one that worked.
  const { addresses: others } = await (await fetch(`${addresses[0]}now`)).json();
  assert.deepEqual(others, []);
  await page.goto(addresses[0]);
  assert.equal(await page.getByLabel("Link for friends").inputValue(), addresses[0]);
});

scene("a name that is too long for a game is told to be so", async () => {
  const server = await Server.start(...CALM);
  const page = await person();
  // Monopoly takes it.
  await page.goto(`${server.url}/pimp?table=1`);
  await page.getByLabel("Your name").fill("Wanda the third of her family");
  await page.getByRole("button", { name: "Sit down" }).click();
  await page.getByText("Waiting for players").first().waitFor();
  for (const game of ["Scotland Yard", "Merchant of Venus"]) {
    await page.goto(server.url);
    await page.getByRole("link", { name: `Play ${game} against bots` }).click();
    await page.locator(".notice").filter({ hasText: "That name is too long" }).waitFor();
  }
});

scene("a server that makes no codes, as a board, leaves no hole where one would stand", async () => {
  const server = await Server.start("--host-name", "table.example", ...CALM);
  const page = await person();
  await page.route(/qr\.svg/, (route) => route.fulfill({ status: 404 }));
  const asked = page.waitForRequest(/qr\.svg/);
  await page.goto(server.url.replace("127.0.0.1", "table.example"));
  await page.getByLabel("Link for friends").waitFor();
  await asked;
  await page.locator(".qr").waitFor({ state: "hidden" });
});

scene("what a browser has of this version it does not ask for again", async () => {
  // The folder's files have no version.
  if (process.env.PARLOR_WEB) return;
  const server = await Server.start(...CALM);
  const page = await person();
  const loaded = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => /\.(js|css|svg)$/.test(name))
        .map(({ name, transferSize }) => [new URL(name).pathname, transferSize]),
    );
  for (const game of ["pimp", "yard", "venus"]) {
    // What the scripts draw: by then they are all there.
    await page.goto(`${server.url}/${game}`);
    await page.locator(".hero").waitFor();
    const first = await loaded();
    assert.ok(first.length > 3 && first.every(([path]) => /^\/[0-9a-f]{12}\//.test(path)), JSON.stringify(first));
    await page.goto(`${server.url}/${game}?again`);
    await page.locator(".hero").waitFor();
    const second = await loaded();
    assert.deepEqual(second.filter(([, size]) => size > 0), []);
    assert.ok(second.length > 3);
  }
});
