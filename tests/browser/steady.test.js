// What moves, goes and is told while somebody has a hand on the page: real mouse, real keys, and a clock that stands still
// until it is told to go on.

import assert from "node:assert/strict";
import { act, hunt, middle, ready, status, stopClock, two, until } from "./hands.js";
import { Server, person, scene, script, sources } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];

async function openGame(page, server, name, game) {
  await page.goto(`${server.url}/yard`);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Come in" }).click();
  await page.getByLabel("Name of the game").fill(game);
  await page.getByRole("button", { name: "Open it" }).click();
  await page.getByRole("button", { name: "I am ready" }).waitFor();
}

scene("a way in that moves under the hand is not taken by the press that was meant for another", async () => {
  const server = await Server.start(...CALM);
  const owners = { Fog: await person(), Mist: await person() };
  for (const [game, page] of Object.entries(owners)) await openGame(page, server, `Owner of ${game}`, game);
  const eve = await person();
  await eve.clock.install();
  await eve.goto(server.url);
  const doors = eve.getByRole("link", { name: /^Sit down: Scotland Yard/ });
  await doors.nth(1).waitFor();
  await stopClock(eve);
  await eve.clock.runFor(1000);
  await ready(doors.first());
  const [first, second] = await doors.evaluateAll((all) => all.map((one) => one.ariaLabel.match(/“(.*)”/)[1]));
  // The hand is over the upper one; that game goes, and the lower one comes to lie there.
  const [x, y] = await middle(doors.first());
  await eve.mouse.move(x, y);
  await owners[first].getByRole("button", { name: "Leave", exact: true }).click();
  await owners[first].getByText("New game").waitFor();
  // The list is asked for every three seconds; no time passes between its answer and the press.
  await eve.clock.runFor(3100);
  await until(eve, () => document.querySelectorAll('a[aria-label^="Sit down: Scotland Yard"]').length === 1);
  assert.deepEqual(await middle(doors), [x, y]);
  const ways = [];
  eve.on("request", (request) => request.isNavigationRequest() && ways.push(request.url()));
  await eve.mouse.down();
  await eve.mouse.up();
  // Past the guard, and once more to the server and back: the list is still there, and nobody went in.
  const listed = eve.waitForResponse((response) => response.url() === `${server.url}/now`);
  await eve.clock.runFor(4000);
  await listed;
  await doors.waitFor();
  assert.deepEqual(ways, []);
  const { games } = await (await fetch(`${server.url}/now`)).json();
  const { players, watchers } = games.find(({ name }) => name === "yard").tables.find(({ place }) => place === second);
  assert.deepEqual([players.map(({ name }) => name), watchers], [[`Owner of ${second}`], []]);
  // A hand that has had the time to see it means it.
  await eve.clock.runFor(1000);
  await eve.mouse.down();
  await eve.mouse.up();
  await eve.waitForURL((url) => url.pathname === "/yard" && url.searchParams.get("game") === second);
  assert.equal(ways.length, 1);
});

scene("the keyboard goes on where its button was, also where there is none left", async () => {
  const [ann, bob] = await two(await Server.start("--seed", script(0x12), ...CALM));
  await act(bob, "Throw the dice");
  await act(bob, "Auction it");
  const isAmongActions = () => document.activeElement.closest(".actions") !== null;
  // The button is still there, and can't be pressed any more.
  const pass = ann.locator(".actions").getByRole("button", { name: "Pass" });
  await ready(pass);
  await pass.focus();
  await ann.keyboard.press("Enter");
  await ann.getByText("You have passed; you may still bid.").waitFor();
  await until(ann, isAmongActions);
  // It is gone with everything that was asked.
  const his = bob.locator(".actions").getByRole("button", { name: "Pass" });
  await ready(his);
  await his.focus();
  await bob.keyboard.press("Enter");
  await status(bob, "Ann is about to throw.");
  await until(bob, isAmongActions);
  // From there the tab key leads to what comes next, not to the top of the page.
  await bob.keyboard.press("Tab");
  assert.ok(await bob.evaluate(() => document.activeElement.closest("main") !== null));
});

scene("who listens is told every line once, in order, and then what is asked", async () => {
  const server = await Server.start(...CALM);
  const page = await person();
  await sources(page);
  await page.clock.install();
  await page.goto(server.url);
  await page.locator(".game").first().waitFor();
  await stopClock(page);
  await page.evaluate(async () => {
    const { announce } = await import("/source/lib/signs.js");
    const session = { log: [], logged: 0 };
    const says = document.getElementById("says");
    globalThis.told = [];
    new MutationObserver(() => globalThis.told.push(says.textContent)).observe(says, { childList: true });
    globalThis.write = (many) => {
      for (let n = 0; n < many; n++) session.log.push({ number: ++session.logged, text: `line ${session.logged}.` });
      announce(session, () => "Your turn.");
    };
  });
  const told = async () => {
    await page.clock.runFor(60000);
    return page.evaluate(() => globalThis.told.splice(0).join(" "));
  };
  const lines = (from, to) => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}.`).join(" ");
  await page.evaluate(() => globalThis.write(10));
  assert.equal(await told(), `${lines(1, 10)} Your turn.`);
  // While something is being said, more comes.
  await page.evaluate(() => globalThis.write(2));
  await page.clock.runFor(2000);
  await page.evaluate(() => globalThis.write(5));
  assert.equal(await told(), `${lines(11, 12)} Your turn. ${lines(13, 17)} Your turn.`);
  // Nobody listens to a hundred lines: the newest, and how many there are.
  await page.evaluate(() => globalThis.write(100));
  assert.equal(await told(), `97 lines more are in the log. ${lines(115, 117)} Your turn.`);
  // Nothing new is nothing to say.
  await page.evaluate(() => globalThis.write(0));
  assert.equal(await told(), "");
});

const SIZES = { phone: [360, 740], tablet: [820, 1180], laptop: [1280, 720], wide: [1720, 1000] };

// What is in sight, in the order of the document, must be met in that order by who reads: down, then to the right.
const disorder = () => {
  const parts = [...document.querySelectorAll(".board-place, .actions, .tabs, .panel")].filter((one) => one.checkVisibility());
  const boxes = parts.map((one) => ({ name: one.ariaLabel, box: one.getBoundingClientRect() }));
  return boxes.slice(1).flatMap(({ name, box }, n) => {
    const { name: last, box: before } = boxes[n];
    const isSameColumn = box.left < before.right && before.left < box.right;
    return (isSameColumn ? box.top < before.top : box.left < before.left) ? [`${name} comes before ${last}`] : [];
  });
};

// Are all the actions in sight, at the very end of the page?
const actionsAtEnd = () => {
  scrollTo(0, document.documentElement.scrollHeight);
  const { top, bottom } = document.querySelector(".actions").getBoundingClientRect();
  return { scrolled: scrollY, isInSight: top >= 0 && bottom <= innerHeight };
};

// The smallest name on the board that is too small to be read.
const tooSmall = (names) => {
  const sizes = [...document.querySelectorAll(names)].map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a);
  const least = Math.min(...sizes);
  return least >= 10 ? [] : [`names of ${least} px`];
};

// names: those on the board that can be read on any laptop.
async function everySize(page, game, names) {
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    await until(page, (width) => innerWidth === width && document.querySelector(".actions") !== null, width);
    // The page may draw once more when it has noticed how wide it is.
    let found = null;
    for (let tries = 0; tries < 1000; tries++) {
      found = await page.evaluate(disorder);
      if (!(await page.evaluate(actionsAtEnd)).isInSight) found.push("actions out of sight");
      if (names && width >= 1180) found.push(...(await page.evaluate(tooSmall, names)));
      if (found.length === 0) break;
      await page.waitForTimeout(50);
    }
    assert.deepEqual(found, [], `${game}, ${name}`);
  }
}

scene("on every screen: read in the order in which it is seen, actions never out of sight, names that can be read", async () => {
  const server = await Server.start("--seed", script(0x12), ...CALM);
  const [, bob] = await two(server);
  await act(bob, "Throw the dice");
  await everySize(bob, "Monopoly", ".board .name");
  const [dora, emil] = [await person(), await person()];
  await hunt(server, dora, emil);
  for (const page of [dora, emil]) await page.getByRole("button", { name: "I am ready" }).click();
  await status(dora, "Your turn: move Mr. X.");
  await everySize(dora, "Scotland Yard");
  const frida = await person();
  await frida.goto(server.url);
  await frida.getByLabel("Your name").fill("Frida");
  await frida.getByRole("link", { name: "Play Merchant of Venus against bots" }).click();
  await frida.locator(".board-place svg").first().waitFor();
  await everySize(frida, "Merchant of Venus", ".map .place");
});

scene("the middle of the board shows what is asked, and the deed that is looked at", async () => {
  const [, bob] = await two(await Server.start("--seed", script(0x12), ...CALM));
  const centre = bob.locator(".centre");
  await centre.getByText("Your turn: throw the dice.").waitFor();
  await bob.mouse.move(...(await middle(bob.locator('[data-square="39"] .ground'))));
  await centre.getByText("Boardwalk").waitFor();
  await centre.getByText("For sale: $400").waitFor();
  await centre.getByText("$50 · $200 · $600 · $1,400 · $1,700 · $2,000").waitFor();
  await bob.mouse.move(...(await middle(bob.locator(".dice"))));
  await centre.getByText("Boardwalk").waitFor({ state: "detached" });
});
