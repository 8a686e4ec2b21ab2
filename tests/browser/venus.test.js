// Merchant of Venus on the page: two people and a bot from setting up to the replay, the map by finger and by list, and a page
// that is loaded anew in every state of the game.

import assert from "node:assert/strict";
import { audit, fits, phone } from "./eyes.js";
import { openTab, pace, ready, says, status, until } from "./hands.js";
import { Server, person, scene, shot } from "./stage.js";
import { prepare } from "./wander.js";

const button = (page, name) => page.getByRole("button", { name });

// Ships that are not drawn where they are.
const astray = () => {
  const svg = document.querySelector(".map svg");
  return [...svg.querySelectorAll(".ship")].filter((ship) => {
    const [x, y] = ship.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const place = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    const box = ship.getBoundingClientRect();
    return Math.hypot(box.x + box.width / 2 - place.x, box.y + box.height / 2 - place.y) > 40;
  }).length;
};

// Which of these pages is asked so; at last one is.
async function whose(pages, what) {
  for (;;)
    for (const page of pages) {
      if ((await page.evaluate(() => globalThis.asked())) === what) return page;
      await page.waitForTimeout(20);
    }
}

// Loaded anew, the page is where it was.
async function again(page, what) {
  const before = await page.locator("#status").textContent();
  await page.reload();
  await page.locator("#status").filter({ hasText: before }).waitFor();
  if (what) await until(page, (what) => globalThis.asked() === what, what);
}

scene("two people and a bot play to the end, and every page can be loaded anew at any time", async () => {
  const server = await Server.start("--seed", (process.env.PARLOR_SEED ?? "9c").repeat(32));
  const [ann, bob] = [await person(), await person({ ...phone, colorScheme: "dark" })];
  for (const page of [ann, bob]) await prepare(page);

  await ann.goto(`${server.url}/venus`);
  await ann.getByLabel("Your name").fill("Ann");
  await button(ann, "Come in").click();
  await ann.getByRole("heading", { name: "New game" }).waitFor();
  await audit(ann, "the rooms");
  await shot(ann, "venus-rooms");
  await ann.getByLabel("Name of the room").fill("Deep");
  await button(ann, "Open it").click();
  await status(ann, "Waiting for players");
  await again(ann);
  await bob.goto(`${server.url}/venus?room=Deep`);
  await bob.getByLabel("Your name").fill("Bob");
  await button(bob, "Sit down").click();
  await status(bob, "2 players");
  await button(ann, "Add a bot").click();
  await status(ann, "3 players");
  await ann.getByLabel("The first with this much wins").selectOption("1000");
  await until(bob, () => document.querySelector("select").value === "1000");
  await audit(ann, "a room that fills");
  await fits(bob, "a room that fills");
  await shot(bob, "venus-room-phone");
  await again(bob);
  await button(ann, "Begin with these players").click();
  await status(bob, "Do all agree?");
  // Who goes before the start gives up the seat (venus 4.4): the page sits down again, and what was agreed is open anew.
  await ann.reload();
  await status(ann, "3 players");
  await button(ann, "Begin with these players").click();
  for (const page of [ann, bob]) await button(page, "I agree").click();

  // By hand first: a step chosen from the list, one on the map itself, with a real finger and a real mouse.
  for (const page of [ann, bob]) await page.locator(".board-place svg").first().waitFor();
  const first = await whose([ann, bob], "move");
  await ready(first.locator(".step-button").first());
  await audit(first, "a move");
  if (first === bob) await fits(bob, "a move");
  await shot(first, "venus-move");
  await first.getByText("What can I do here?").click();
  const answers = first.locator(".here li");
  await answers.filter({ hasText: /^You are at / }).waitFor();
  await answers.filter({ hasText: /Name your first step: then \d dice show/ }).waitFor();
  await answers.filter({ hasText: /^You may stay: you trade with the Galactic Base, as much as you like/ }).waitFor();
  await audit(first, "what can be done");
  await shot(first, "venus-here");
  await first.getByText("What can I do here?").click();
  assert.deepEqual(await pace(first, "venus", "quick"), [{ place: "Deep", pace: 100 }, true]);
  assert.deepEqual(await pace(first, "venus", ""), [{ place: "Deep" }, true]);
  await first.locator(".step-button").first().click();
  await says(first, /^You roll/);

  const known = [];
  const wanders = async (page, name) => {
    const seen = [];
    for (;;) {
      const what = await page.evaluate((seen) => globalThis.wander(seen), seen);
      if (what === "the end") return;
      seen.push(what);
      // What the other page was asked before is the same here, but for the screen.
      if (known.includes(what)) continue;
      known.push(what);
      await audit(page, what);
      if (page === bob) await fits(bob, what);
      await shot(page, `venus-${what}-${name}`);
      await again(page, what);
    }
  };
  await Promise.all([wanders(ann, "ann"), wanders(bob, "bob")]);
  console.log(`# asked: ${known}`);
  if (!process.env.PARLOR_SEED) assert.deepEqual(known.sort(), ["move", "mulligan", "number", "relic", "switches", "trade"]);

  // The end: who won, worth over time, the map as it was, and another game.
  await status(ann, /won the game/);
  await ann.getByRole("img", { name: /Worth over time/ }).waitFor();
  for (const page of [ann, bob]) await audit(page, "the end");
  // All of it is in sight, and nothing scrolls within something that does.
  const hidden = () => ann.locator(".actions").evaluate((one) => one.scrollHeight - one.clientHeight);
  await ann.setViewportSize({ width: 1280, height: 720 });
  assert.equal(await hidden(), 0);
  await ann.setViewportSize({ width: 1400, height: 900 });
  await fits(bob, "the end");
  // From near and from afar, where ships are drawn larger.
  assert.equal(await bob.evaluate(astray), 0);
  await button(bob, "The whole map").evaluate((one) => one.click());
  await bob.locator(".map.far .ship").first().waitFor({ state: "attached" });
  assert.equal(await bob.evaluate(astray), 0);
  await shot(ann, "venus-end");
  await shot(bob, "venus-end-phone");
  // The whole game once more: the first line, the turn after it, the line before, the end.
  const then = ann.getByText(/^Then: /);
  await button(ann, "To the start").click();
  await then.waitFor();
  const [began] = [await then.textContent()];
  await ann.locator(".chart .now").waitFor({ state: "attached" });
  await button(ann, "One turn on").click();
  await then.filter({ hasText: / turn\.$/ }).waitFor();
  await audit(ann, "the replay");
  await shot(ann, "venus-replay");
  await button(ann, "One turn back").click();
  await then.filter({ hasText: began }).waitFor();
  await ann.getByLabel("Lines of the game").focus();
  await ann.keyboard.press("ArrowRight");
  await until(ann, (began) => document.querySelector(".board-place .banner span").textContent !== began, began);
  await button(ann, "To the end").click();
  await then.waitFor({ state: "detached" });
  await openTab(ann, "Log");
  await ann.locator(".log button").first().click();
  await ann.getByText("Then:").waitFor();
  await audit(ann, "the past");
  await button(ann, "Back to now").click();
  await again(bob);
  await button(ann, "Menu").click();
  await audit(ann, "the menu");
  await ann.keyboard.press("Escape");
  await button(ann, "Play again here").click();
  await status(ann, /player|Waiting/);
});
