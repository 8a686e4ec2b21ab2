// What somebody types is theirs until it is sent, and a drawing leaves the hand alone: with real keys.

import assert from "node:assert/strict";
import { act, hunt, status, two } from "./hands.js";
import { Server, person, scene, script, sources } from "./stage.js";

const CALM = ["--claim-grace", "0", "--vote-pause", "0"];

const selectAll = (page) => page.keyboard.press("Control+a");

scene("a bid that is being typed stays while others bid", async () => {
  const server = await Server.start("--seed", script(0x12), ...CALM);
  const [ann, bob] = await two(server);
  await act(bob, "Throw the dice");
  await act(bob, "Auction it");
  const field = ann.getByLabel("Your bid");
  await field.focus();
  await selectAll(ann);
  await ann.keyboard.type("2");
  await act(bob, "Bid 1 dollars");
  await status(ann, /Bob leads with \$1\b/);
  await ann.keyboard.type("00");
  assert.equal(await field.inputValue(), "200");
  await ann.keyboard.press("Enter");
  await status(bob, /Ann leads with \$200/);

  // A bid that can't be is not sent, and stays; once it is sent, the next one is suggested anew.
  await act(bob, "Bid 201 dollars");
  await status(ann, /Bob leads with \$201/);
  assert.equal(await field.inputValue(), "211");
  await field.focus();
  await selectAll(ann);
  await ann.keyboard.type("20");
  await ann.keyboard.press("Enter");
  await ann.keyboard.type("2");
  await act(ann, "Bid");
  await status(bob, /Ann leads with \$202/);
});

scene("a sum that is being typed stays when the last one is confirmed", async () => {
  const server = await Server.start("--seed", script(0x12), ...CALM);
  const [ann, bob] = await two(server);
  // What the server says to Ann can be held back.
  let held = null;
  await ann.routeWebSocket(/\/ws\//, (near) => {
    const far = near.connectToServer();
    far.onMessage((data) => (held ? held.push(() => near.send(data)) : near.send(data)));
  });
  await ann.reload();
  await status(ann, /Bob is about to throw/);
  await ann.locator(".p-deals").getByRole("button", { name: "Trade with Bob" }).click();
  const deal = ann.locator(".p-deals .deal");
  const field = deal.getByLabel("Your cash");
  await field.focus();
  await selectAll(ann);
  await ann.keyboard.type("5");
  held = [];
  await ann.keyboard.press("Enter");
  await selectAll(ann);
  await ann.keyboard.type("70");
  await bob.locator(".p-deals .deal").getByText("$5", { exact: true }).waitFor();
  const late = held;
  held = null;
  late.forEach((say) => say());
  await deal.getByText("$5", { exact: true }).waitFor();
  await ann.keyboard.press("ArrowLeft");
  await ann.keyboard.press("Delete");
  assert.equal(await field.inputValue(), "7");
  await ann.keyboard.press("Enter");
  await bob.locator(".p-deals .deal").getByText("$7", { exact: true }).waitFor();
});

scene("what is being said stays when the game begins around it", async () => {
  const server = await Server.start();
  const [ann, bob] = [await person(), await person()];
  await hunt(server, ann, bob);
  await ann.getByRole("button", { name: "I am ready" }).click();
  await ann.getByLabel("What you say").focus();
  await ann.keyboard.type("Good evening, ");
  await bob.getByRole("button", { name: "I am ready" }).click();
  await status(ann, /Your turn|to move/);
  await ann.getByRole("button", { name: "Talk" }).click();
  const field = ann.getByLabel("What you say");
  // The tab is drawn in the next frame: a field that can't be seen yet takes no key.
  await field.waitFor();
  assert.equal(await field.inputValue(), "Good evening, ");
  await field.press("End");
  await ann.keyboard.type("Bob");
  await ann.keyboard.press("Enter");
  await bob.locator(".chat").getByText("Good evening, Bob").waitFor({ state: "attached" });
  assert.equal(await field.inputValue(), "");
});

scene("what is said in an alphabet of two bytes a letter is no longer than the others can be told", async () => {
  const [ann, bob] = await two(await Server.start());
  const field = ann.getByLabel("What you say");
  await field.fill("ש".repeat(150));
  await field.press("Enter");
  await bob.locator(".chat li").filter({ hasText: /^Ann ש{100}$/ }).waitFor();
});

scene("focus, caret, scroll and open parts survive a drawing, whatever moves around them", async () => {
  const server = await Server.start();
  const page = await person();
  await sources(page);
  await page.goto(server.url);
  await page.locator(".game").first().waitFor();
  const draw = (...order) =>
    page.evaluate(async (order) => {
      const { h, patch } = await import("/source/lib/dom.js");
      globalThis.place ??= document.body.appendChild(document.createElement("div"));
      const line = (n) => h("p", { key: n }, `line ${n}`);
      const parts = {
        field: () =>
          h("form", { key: "f" }, h("input", { name: "told", "aria-label": "Told", value: order.join(" ") })),
        list: () =>
          h(
            "div",
            { key: "l", class: "long", style: { height: "50px", overflow: "scroll" } },
            [1, 2, 3, 4, 5, 6].map(line),
          ),
        menu: () => h("details", { key: "d" }, h("summary", {}, "More"), h("p", {}, "and more")),
        button: () => h("button", { key: "b" }, "Something new"),
      };
      patch(
        globalThis.place,
        order.map((name) => parts[name]()),
      );
    }, order);
  await draw("field", "list", "menu");
  await page.getByText("More", { exact: true }).click();
  await page.locator(".long").evaluate((list) => (list.scrollTop = 30));
  await page.getByLabel("Told").focus();
  await selectAll(page);
  await page.keyboard.type("12 45");
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowLeft");
  await draw("button", "menu", "list", "field");
  await draw("list", "field", "button", "menu");
  await page.keyboard.type(" 3");
  assert.equal(await page.getByLabel("Told").inputValue(), "12 3 45");
  assert.equal(await page.locator(".long").evaluate((list) => list.scrollTop), 30);
  await page.getByText("and more").waitFor();
});
