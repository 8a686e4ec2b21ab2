// What a person does at the page, for the tests.

import { person, ready, sit } from "./stage.js";

export { ready };

// Ann and Bob at a table of Monopoly, perhaps by different ways to the server; Bob begins.
export async function two(hers, his = hers) {
  const [ann, bob] = [await person(), await person()];
  await sit(ann, hers, "Ann");
  await status(ann, /Waiting/);
  await sit(bob, his, "Bob");
  await act(ann, "Let in");
  await status(bob, /Your turn/);
  return [ann, bob];
}

// A game of Scotland Yard: Ann is Mr. X, Bob has all detectives. Neither is ready yet.
export async function hunt(server, ann, bob) {
  await ann.goto(`${server.url}/yard`);
  await ann.getByLabel("Your name").fill("Ann");
  await ann.getByRole("button", { name: "Come in" }).click();
  await ann.getByLabel("Name of the game").fill("Fog");
  await ann.getByRole("button", { name: "Open it" }).click();
  await ann.getByRole("button", { name: "I am ready" }).waitFor();
  await bob.goto(`${server.url}/yard?game=Fog`);
  await bob.getByLabel("Your name").fill("Bob");
  await bob.getByRole("button", { name: "Sit down" }).click();
}

// Tickets of Scotland Yard, as a page calls them.
export const TICKETS = { taxi: "Taxi", bus: "Bus", underground: "Underground", black: "Black ticket" };

// Moves a pawn by the list of stations, then the ticket.
export async function choose(page, { to, ticket }) {
  await page
    .locator(".stations")
    .getByRole("button", { name: new RegExp(`^${to} by`) })
    .click();
  await page
    .locator(".choice")
    .getByRole("button", { name: new RegExp(TICKETS[ticket]) })
    .click();
}

// Where every pawn stands, as a page shows it.
export async function placesOn(page) {
  const titles = await page.locator(".map title").evaluateAll((all) => all.map((title) => title.textContent));
  const places = titles
    .map((title) => title.split(" at "))
    .map(([pawn, at]) => [pawn.replace("Mr. X", "X"), Number(at)]);
  return Object.fromEntries(places);
}

// A game of Merchant of Venus that Ann has opened and Bob has come to; one of them begins.
export async function fly(server, ann, bob) {
  const press = (page, name) => page.getByRole("button", { name }).click();
  await ann.goto(`${server.url}/venus`);
  await ann.getByLabel("Your name").fill("Ann");
  await press(ann, "Come in");
  await ann.getByLabel("Name of the room").fill("Deep");
  await press(ann, "Open it");
  await status(ann, "Waiting for players");
  await bob.goto(`${server.url}/venus?room=Deep`);
  await bob.getByLabel("Your name").fill("Bob");
  await press(bob, "Sit down");
  await status(ann, "2 players");
  await press(ann, "Begin with these players");
  for (const page of [ann, bob]) await press(page, "I agree");
  for (const page of [ann, bob]) await page.getByText("What can I do here?").waitFor();
}

// Presses a button among the actions.
export async function act(page, name) {
  await page
    .locator(".actions")
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .click();
}

// What is asked, in words.
export async function status(page, text) {
  await page.locator("#status").filter({ hasText: text }).waitFor();
}

// A line of the log, even where the log is not open.
export async function says(page, text) {
  const line = text instanceof RegExp ? text : new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  await page.locator(".log button").filter({ hasText: line }).first().waitFor({ state: "attached" });
}

export async function openTab(page, name) {
  const tab = page.locator(".tabs").getByRole("button", { name });
  if (await tab.isVisible()) await tab.click();
}

// A setting, by the menu.
export async function settle(page, label, on) {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByLabel(label).setChecked(on);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
}

// How long the bots of a game think, by the menu; the server says whether any sit there.
export async function pace(page, game, wanted) {
  const answer = page.waitForResponse((response) => response.url().endsWith(`/bots/${game}/1`));
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByLabel("Bots that I call think").selectOption(wanted);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  return [(await answer).request().postDataJSON(), await (await answer).json()];
}

// Switches "claim for me" off, to claim by hand.
export async function quiet(page) {
  await settle(page, "Claim rent and salary for me", false);
}

// Waits until a player is seen to have so much.
export async function has(page, name, cash) {
  await openTab(page, "Players");
  const sum = `$${cash.toLocaleString("en")}`;
  await page.locator(".player", { hasText: name }).locator(".cash").filter({ hasText: sum }).waitFor();
}

// Until something is so in a page. Playwright's own way evaluates text there, which the page's policy forbids.
export async function until(page, isSo, given) {
  while (!(await page.evaluate(isSo, given))) await page.waitForTimeout(50);
}

// From here on time passes in a page by `page.clock.runFor` alone. One that is only installed goes on as ever.
export async function stopClock(page) {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60000);
}

export async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2];
}

// A double click whose second half comes when `until` is so.
export async function twice(page, locator, until) {
  await ready(locator);
  const [x, y] = await middle(locator);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.up();
  await until();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}
