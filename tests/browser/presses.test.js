// A press means what stood there when the hand set out: real mouse, real keys, fast and slow hands.

import assert from "node:assert/strict";
import { phone } from "./eyes.js";
import { act, has, hunt, middle, ready, says, status, twice, two, until } from "./hands.js";
import { Server, Wire, person, scene, script, sit, sources } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];

const table = (...dice) => Server.start("--seed", script(...dice), ...CALM);

const button = (page, name) => page.getByRole("button", { name, exact: true });

scene("a double click, and a key that is held, do one thing", async () => {
  const [ann, bob] = await two(await table(0x12, 0x21, 0x12));
  const throwing = button(bob, "Throw the dice");
  await twice(bob, throwing, () => button(bob, "Buy for $60").waitFor());
  await act(bob, "Auction it");
  for (const page of [ann, bob]) await act(page, "Pass");

  // The key for the most pressing button, held; then Enter, held on a button.
  await status(ann, /Your turn/);
  await ready(button(ann, "Throw the dice"));
  await ann.keyboard.down("t");
  await button(ann, "Buy for $60").waitFor();
  await ready(button(ann, "Buy for $60"));
  await ann.keyboard.down("t");
  await ann.keyboard.up("t");
  await act(ann, "Auction it");
  for (const page of [ann, bob]) await act(page, "Pass");
  await status(bob, /Your turn/);
  await ready(throwing);
  await throwing.focus();
  await bob.keyboard.down("Enter");
  const buy = button(bob, "Buy for $100");
  await ready(buy);
  await until(bob, () => document.activeElement.textContent === "Buy for $100");
  await bob.keyboard.down("Enter");
  await bob.keyboard.up("Enter");
  await act(bob, "Auction it");
});

scene("a deed that was mortgaged is not freed by the same hand", async () => {
  const [, bob] = await two(await table(0x12));
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $60");
  const free = button(bob, "Free Baltic Avenue of its mortgage");
  await twice(bob, button(bob, "Mortgage Baltic Avenue"), () => free.waitFor());
  await ready(free);
  await has(bob, "Bob", 1500 - 60 + 30);
  await free.click();
  await says(bob, "Baltic Avenue is free of its mortgage.");
});

async function openDeal(from, to) {
  await from
    .locator(".p-deals")
    .getByRole("button", { name: /Trade with/ })
    .click();
  await to.locator(".p-deals .deal").waitFor();
}

scene("an offer that changes disarms the agreement, and says what changed", async () => {
  const [ann, bob] = await two(await table(0x12));
  await openDeal(bob, ann);
  const [hers, his] = [ann, bob].map((page) => page.locator(".p-deals .deal"));
  await his.getByLabel("Your cash").fill("200");
  // What stands in the field is meant: it need not be put in first.
  await his.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByText("$200", { exact: true }).waitFor();
  await hers.getByRole("button", { name: "My side is ready" }).click();
  const agree = hers.getByRole("button", { name: "Agree", exact: true });
  await until(ann, () =>
    [...document.querySelectorAll(".deal button")].some((one) => one.textContent === "Agree" && !one.disabled),
  );
  await ready(agree);
  const [x, y] = await middle(agree);
  await ann.mouse.move(x, y);
  // Bob thinks again: less, and ready at once.
  await his.getByRole("button", { name: "Change my side" }).click();
  await his.getByLabel("Your cash").fill("2");
  await his.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByText("Bob has changed the offer: $2 instead of $200.").waitFor();
  await ann.mouse.move(...(await middle(agree)));
  await ann.mouse.down();
  await ann.mouse.up();
  assert.ok(await agree.isDisabled());
  await hers.getByRole("button", { name: "I have seen it" }).click();
  await agree.click();
  await his.getByRole("button", { name: "Agree", exact: true }).click();
  await has(ann, "Ann", 1502);
});

// What Ann presses is on its way when Bob changes his offer and is ready again at once: PIMP's AGREE does not say to what.
scene("an agreement that is under way when the offer changes does not count", async () => {
  // So long both may take to do it; who has just come waits as long to be ready.
  const server = await Server.start("--vote-pause", "0", "--claim-grace", "8");
  const wire = await Wire.start(server);
  const [ann, bob] = await two(wire, server);
  await openDeal(bob, ann);
  const [hers, his] = [ann, bob].map((page) => page.locator(".p-deals .deal"));
  await his.getByLabel("Your cash").fill("200");
  await his.getByRole("button", { name: "My side is ready" }).click();
  await hers.getByText("$200", { exact: true }).waitFor();
  await hers.getByRole("button", { name: "My side is ready" }).click();
  const agree = hers.getByRole("button", { name: "Agree", exact: true });
  await ready(agree.and(ann.locator(":enabled")));
  // She has not heard of it when she presses.
  wire.hold();
  await his.getByRole("button", { name: "Change my side" }).click();
  await his.getByLabel("Your cash").fill("2");
  await his.getByRole("button", { name: "My side is ready" }).click();
  await his.getByText("A moment: Ann is shown the change first.").waitFor();
  await agree.click();
  wire.pass();
  await hers.getByText("Bob has changed the offer: $2 instead of $200.").waitFor();
  await ann.getByText("Not now: the table has moved on").waitFor();
  await hers.getByRole("button", { name: "I have seen it" }).click();
  assert.ok(await agree.isDisabled());
  assert.equal(await hers.locator(".step.s2").count(), 0);
});

scene("a stranger at the door moves nothing, and takes no key", async () => {
  const server = await table(0x12);
  const [, bob] = await two(server);
  await act(bob, "Throw the dice");
  const buy = button(bob, "Buy for $60");
  await ready(buy);
  const before = await middle(buy);
  const carl = await person();
  await sit(carl, server, "Carl");
  await ready(button(bob, "Let in"));
  assert.deepEqual(await middle(buy), before);
  await bob.keyboard.press("t");
  await says(bob, "You own Baltic Avenue now.");
});

scene("panels stay where they are when a deal opens", async () => {
  const [ann, bob] = await two(await table(0x12));
  const order = () =>
    ann.evaluate(() =>
      [...document.querySelectorAll(".panel")]
        .filter((panel) => !panel.matches(".p-log"))
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((panel) => panel.ariaLabel),
    );
  const before = await order();
  await openDeal(bob, ann);
  assert.deepEqual(await order(), before);
});

scene("a short word stands over a dialog", async () => {
  const [ann] = await two(await table(0x12));
  await ann.getByRole("button", { name: "Menu" }).click();
  await sources(ann);
  await ann.evaluate(async () => (await import("/source/lib/dialog.js")).toast("Look here"));
  const words = ann.getByText("Look here");
  await words.waitFor();
  const [x, y] = await middle(words);
  // Nothing covers it: made touchable, it is what is there.
  const there = await ann.evaluate(
    ([x, y]) => {
      document.getElementById("alerts").style.setProperty("pointer-events", "auto");
      return document.elementFromPoint(x, y)?.textContent;
    },
    [x, y],
  );
  assert.equal(there, "Look here");
  await ann.keyboard.press("Escape");
  await until(ann, () => document.querySelector("body > #alerts") && !document.querySelector("dialog"));
});

scene("a short word is told after one dialog has led to another", async () => {
  const [ann] = await two(await table(0x12));
  const home = () => ann.evaluate(() => document.getElementById("alerts")?.parentNode.nodeName);
  await ann.getByRole("button", { name: "Menu" }).click();
  await button(ann, "Leave").click();
  const back = button(ann, "No, go back");
  await ready(back);
  // It stands over the second one.
  assert.equal(await home(), "DIALOG");
  await back.click();
  await until(ann, () => !document.querySelector("dialog"));
  assert.equal(await home(), "BODY");
});

scene("a finger on a short word presses nothing that it hides", async () => {
  const server = await table(0x12);
  const [ann, bob] = [await person(), await person(phone)];
  await sit(ann, server, "Ann");
  await status(ann, /Waiting/);
  await sit(bob, server, "Bob");
  await act(ann, "Let in");
  const throwing = button(bob, "Throw the dice");
  await ready(throwing);
  await sources(bob);
  await bob.evaluate(async () => (await import("/source/lib/dialog.js")).toast("Look here"));
  const words = bob.getByText("Look here");
  const overlap = await bob.evaluate(() => {
    const boxes = [".toast", ".actions"].map((one) => document.querySelector(one).getBoundingClientRect());
    return boxes[0].bottom > boxes[1].top && boxes[1].bottom > boxes[0].top;
  });
  assert.equal(overlap, false, "what can be done is in sight");
  // Wherever it stands: here over a button.
  await bob.evaluate(() => Object.assign(document.getElementById("alerts").style, { inset: "auto", position: "fixed" }));
  const [x, y] = await middle(throwing);
  await bob.evaluate(
    ([x, y]) => Object.assign(document.getElementById("alerts").style, { left: `${x - 30}px`, top: `${y - 20}px` }),
    [x, y],
  );
  await bob.evaluate(() => {
    globalThis.pressed = [];
    addEventListener("click", ({ target }) => globalThis.pressed.push(target.textContent), true);
  });
  await bob.touchscreen.tap(x, y);
  await words.waitFor({ state: "detached" });
  assert.deepEqual(await bob.evaluate(() => globalThis.pressed), ["Look here"]);
});

scene("somebody else at the door is not let in by the press that was meant for the last one", async () => {
  const server = await table(0x12);
  const wire = await Wire.start(server);
  const [ann, bob] = await two(wire, server);
  const [carl, dora] = [await person(), await person()];
  for (const [page, name] of [
    [carl, "Carl"],
    [dora, "Dora"],
  ]) {
    await sit(page, server, name);
    await page.getByText("Knocking").waitFor();
  }
  const asks = (page, name) => page.locator(".vote").getByText(`${name} asks to play.`).waitFor();
  await asks(ann, "Carl");
  await button(ann, "Let in").evaluate((one) => (one.dataset.was = "Carl's"));
  // He goes, and Ann hears of it when it is Dora who asks.
  wire.hold();
  await carl.close();
  await asks(bob, "Dora");
  wire.pass();
  await asks(ann, "Dora");
  assert.equal(await ann.locator("[data-was]").count(), 0, "another button, which takes no press at once");
  for (const page of [ann, bob]) await act(page, "Let in");
  await status(dora, /Bob/);
});

scene("a bid that was meant for one deed is not a bid for the next", async () => {
  const server = await table(0x33, 0x12);
  const wire = await Wire.start(server);
  const [ann, bob] = await two(wire, server);
  await act(bob, "Throw the dice");
  await act(bob, "Auction it");
  // She may still bid; nobody else need wait for her.
  await act(ann, "Pass");
  const offers = ann.locator(".actions").getByRole("button", { name: /^Bid 10 dollars|^Pass/ });
  await offers.and(ann.locator(":disabled")).waitFor();
  assert.deepEqual(await offers.evaluateAll((all) => all.map((one) => (one.dataset.was = one.textContent))), ["$10", "Pass"]);
  // She hears nothing of how it ends, nor of Bob's next throw, until it is another deed.
  wire.hold();
  await act(bob, "Bid 1 dollars");
  await act(bob, "Throw again");
  await act(bob, "Auction it");
  await status(bob, /Connecticut/);
  wire.pass();
  await status(ann, /Connecticut/);
  assert.equal(await offers.count(), 2);
  assert.equal(await ann.locator("[data-was]").count(), 0, "other buttons, which take no press at once");
});

// Mr. X on a wide screen, all detectives on a phone.
async function chase() {
  const server = await Server.start("--seed", "07".repeat(32));
  const [ann, bob] = [await person(), await person(phone)];
  await hunt(server, ann, bob);
  for (const page of [ann, bob]) await button(page, "I am ready").click();
  await status(ann, "Your turn: move Mr. X.");
  return [ann, bob];
}

scene("a station is chosen by a double click, and no ticket", async () => {
  const [ann] = await chase();
  const ticket = ann.locator(".choice .ticket").first();
  await twice(ann, ann.locator(".stations button").first(), () => ticket.waitFor());
  await ready(ticket);
  await status(ann, "Your turn: move Mr. X.");
  await ticket.click();
  await status(ann, "Red (Bob) is to move.");
});

scene("the map does not move under a finger, nor talk under a reader", async () => {
  const [ann, bob] = await chase();
  // Bob's finger rests on the map while it becomes his turn.
  const seen = () => bob.locator(".map > svg").getAttribute("viewBox");
  await bob.locator(".map > svg").scrollIntoViewIfNeeded();
  const [x, y] = await middle(bob.locator(".map > svg"));
  const hand = await bob.context().newCDPSession(bob);
  await hand.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  const before = await seen();
  await ann.locator(".stations button").first().click();
  await ann.locator(".choice .ticket").first().click();
  await status(bob, "Your turn: move Red.");
  await bob.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await seen(), before);
  // It comes once the finger is gone.
  await hand.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await until(bob, (before) => document.querySelector(".map > svg").getAttribute("viewBox") !== before, before);

  await button(ann, "Talk").click();
  await bob.getByRole("button", { name: "Talk" }).click();
  const field = bob.getByLabel("What you say");
  const last = ann.locator(".chat li").last();
  for (let n = 1; n <= 14; n++) {
    await field.fill(`line ${n}`);
    await field.press("Enter");
    await last.filter({ hasText: `line ${n}` }).waitFor();
  }
  const chat = ann.locator(".chat");
  const top = () => chat.evaluate((list) => list.scrollTop);
  assert.ok((await top()) > 0, "the newest is in sight");
  await chat.evaluate((list) => (list.scrollTop = 5));
  await field.fill("and one more");
  await field.press("Enter");
  await last.filter({ hasText: "and one more" }).waitFor({ state: "attached" });
  assert.equal(await top(), 5);
});

scene("a link can be copied where the browser has no clipboard for pages", async () => {
  // By a name, without TLS: as on the network of a house.
  const server = await Server.start("--host-name", "table.example", ...CALM);
  const url = server.url.replace("127.0.0.1", "table.example");
  const page = await person();
  await sit(page, { url }, "Ann");
  await status(page, /Waiting/);
  assert.equal(await page.evaluate(() => navigator.clipboard), undefined);
  await page.getByRole("button", { name: "Menu" }).click();
  await button(page, "Copy").click();
  await button(page, "Copied").waitFor();
  await button(page, "Close").click();
  await page.evaluate(() => document.body.prepend(document.createElement("textarea")));
  await page.locator("textarea").focus();
  await page.keyboard.press("Control+v");
  await until(page, (link) => document.querySelector("textarea").value === link, `${url}/pimp?table=1`);
});
