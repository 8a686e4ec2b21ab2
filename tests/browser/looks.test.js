// How the page stands on small and wide screens, in light and dark, for fingers, keyboards and screen readers.

import assert from "node:assert/strict";
import { Server, person, scene, script, shot, sit } from "./stage.js";
import { audit, eachColour, fits, phone } from "./eyes.js";
import { act, openTab, ready, says, status, until } from "./hands.js";

// Some deeds, a trade and an auction, to have something to look at.
const DICE = script(0x42, 0x53, 0x12, 0x21);
const CALM = ["--claim-grace", "0", "--vote-pause", "0"];

scene("lobby and door", async () => {
  const server = await Server.start("--pimp-lobby", "127.0.0.1:0", ...CALM);
  for (const [width, options] of [
    [1400, {}],
    [360, phone],
  ]) {
    const page = await person(options);
    await page.goto(`${server.url}/pimp`);
    await page.locator(".table-card").first().waitFor();
    await eachColour(page, `lobby-${width}`);
    if (options.hasTouch) await fits(page, "the lobby");
    await page.goto(`${server.url}/pimp?table=1`);
    await page.getByLabel("Your name").waitFor();
    await eachColour(page, `door-${width}`);
    if (options.hasTouch) await fits(page, "the door");
  }
});

scene("the table: light and dark, phone and wide", async () => {
  const server = await Server.start("--seed", DICE, ...CALM);
  const ann = await person({ colorScheme: "light" });
  const bob = await person({ ...phone, colorScheme: "dark" });
  await sit(ann, server, "Ann", { piece: 4 });
  await status(ann, /Waiting/);
  await sit(bob, server, "Bob", { piece: 2 });
  await act(ann, "Let in");
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $100");
  await act(ann, "Throw the dice");
  await audit(ann, "a sale");
  await act(ann, "Buy for $100");
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $120");
  await act(ann, "Throw the dice");
  await act(ann, "Auction it");
  await act(bob, "Bid 10 dollars");
  await status(ann, /Bob leads/);
  for (const page of [ann, bob]) await audit(page, "an auction");
  await fits(bob, "an auction");
  await openTab(bob, "Players");
  await bob.locator(".p-players").getByRole("button", { name: "Trade with Ann" }).click();
  for (const tab of ["Players", "Yours", "Deals", "Talk", "Log"]) {
    await openTab(bob, tab);
    await audit(bob, `phone, ${tab}`);
    await fits(bob, `phone, ${tab}`);
    await shot(bob, `phone-${tab.toLowerCase()}-dark`);
  }
  await audit(ann, "wide, with a deal");
  await shot(ann, "wide-light");
  for (const [page, theme] of [
    [ann, "dark"],
    [bob, "light"],
  ]) {
    await page.getByRole("button", { name: "Menu" }).click();
    await audit(page, "menu");
    await page.getByLabel("Colours").selectOption(theme);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await audit(page, `turned ${theme}`);
  }
  await fits(bob, "turned light");
  await shot(ann, "wide-dark");
  await openTab(bob, "Players");
  await shot(bob, "phone-players-light");
  const tablet = await person({ viewport: { width: 820, height: 1180 } });
  await sit(tablet, server, "Carl", { play: false });
  for (const page of [ann, bob]) await act(page, "Let in");
  await status(tablet, /Bob leads/);
  await audit(tablet, "tablet");
  await shot(tablet, "tablet");
  await ann.locator(".log button").first().click();
  await audit(ann, "the past");
});

// Names of tabs that are wider than their buttons.
const spilt = () =>
  [...document.querySelectorAll(".tabs button")].flatMap((one) => {
    const text = document.createRange();
    text.selectNodeContents(one.firstChild);
    return text.getBoundingClientRect().width > one.clientWidth ? [one.textContent] : [];
  });

scene("on a phone the menu is no wider than the screen, whoever watches, a clock is one line, and tabs hold their names", async () => {
  const server = await Server.start("--move-timeout", "86400", ...CALM);
  const [ann, bob, carl] = [await person(phone), await person(), await person()];
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  await sit(bob, server, "Bob");
  await act(ann, "Let in");
  await sit(carl, server, "Carl who has come to watch", { play: false });
  for (const page of [ann, bob]) await act(page, "Let in");
  await status(carl, /Bob/);
  for (const width of [360, 320]) {
    await ann.setViewportSize({ width, height: 640 });
    const { height } = await ann.getByRole("timer").boundingBox();
    assert.ok(height < 30, `${height} px of clock`);
    assert.deepEqual(await ann.evaluate(spilt), [], `${width} px`);
    await ann.getByRole("button", { name: "Menu" }).click();
    const heir = ann.getByLabel("Give everything to");
    await heir.locator("option", { hasText: "Carl" }).waitFor({ state: "attached" });
    await fits(ann, `the menu, ${width}`);
    const { x, width: wide } = await heir.boundingBox();
    assert.ok(x > 0 && x + wide < width, `from ${x}, ${wide} wide`);
    await ann.keyboard.press("Escape");
  }
});

scene("with the keyboard alone", async () => {
  const server = await Server.start("--seed", script(0x12, 0x12), ...CALM);
  const [ann, bob] = [await person(), await person()];
  const press = async (page, ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // Walks with the tab key until what is wanted has the focus.
  const reach = async (page, name) => {
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press("Tab");
      const text = await page.evaluate(
        () => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent,
      );
      if (text.startsWith(name)) return;
    }
    assert.fail(`${name} can't be reached`);
  };
  for (const [page, name] of [
    [ann, "Ann"],
    [bob, "Bob"],
  ]) {
    await page.goto(`${server.url}/pimp?table=1`);
    // The name has the focus already.
    await page.getByLabel("Your name").and(page.locator(":focus")).waitFor();
    await page.keyboard.type(name);
    await press(page, "Enter");
    if (page === ann) await status(ann, /Waiting/);
  }
  await ready(ann.getByRole("button", { name: "Let in" }));
  await reach(ann, "Let in");
  await press(ann, "Enter");
  await ready(bob.getByRole("button", { name: "Throw the dice" }));
  await reach(bob, "Throw the dice");
  await press(bob, "Enter");
  await ready(bob.getByRole("button", { name: "Buy for $60" }));
  await press(bob, "t");
  await says(bob, "You own Baltic Avenue now.");
  // Around the board by arrows, and into the log.
  await reach(bob, "Go");
  await press(bob, "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter");
  await bob.getByRole("dialog", { name: "Baltic Avenue" }).waitFor();
  await press(bob, "Escape");
  await bob.locator(".log").focus();
  await press(bob, "ArrowUp", "ArrowUp", "Enter");
  await bob.getByText("Then:").waitFor();
  await press(bob, "Escape");
  await bob.getByText("Then:").waitFor({ state: "detached" });
  const live = bob.locator("#says");
  await live.filter({ hasText: "Ann is about to throw." }).waitFor();
});

scene("pieces walk step by step where motion is welcome", async () => {
  const server = await Server.start("--seed", script(0x56), ...CALM);
  const ann = await person({ reducedMotion: "no-preference" });
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  const bob = await person();
  await sit(bob, server, "Bob");
  await act(ann, "Let in");
  await status(bob, /Your turn/);
  await ann.evaluate(() => {
    globalThis.places = new Set();
    const look = () =>
      globalThis.places.add([...document.querySelectorAll(".token")].map((token) => token.style.transform).join());
    new MutationObserver(look).observe(document.querySelector(".tokens"), { attributes: true, subtree: true });
  });
  await act(bob, "Throw the dice");
  // Eleven squares: a step is seen at each of them, however busy the machine.
  await until(ann, () => globalThis.places.size >= 11);
});
