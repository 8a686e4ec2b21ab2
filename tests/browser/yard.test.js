// Scotland Yard between pages, by the buttons alone: Mr. X on a wide screen, all detectives on a phone, and who looks on.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { audit, fits, phone } from "./eyes.js";
import { openTab, says, status } from "./hands.js";
import { Server, Wire, closeBrowser, faults, person, shot } from "./stage.js";

after(closeBrowser);

// Mr. X begins at 26; Red 197, Yellow 13, Green 53, Blue 138, Black 94.
const SEED = "07".repeat(32);

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

async function enter(page, url, name, button = "Sit down") {
  await page.goto(url);
  await page.getByLabel("Your name").fill(name);
  await press(page, button);
}

async function open(page, server, name, game) {
  await enter(page, `${server.url}/yard`, name, "Come in");
  await page.getByLabel("Name of the game").fill(game);
  await press(page, "Open it");
  await page.getByRole("button", { name: "I am ready" }).waitFor();
}

// By the list of stations, then the ticket.
async function choose(page, station, ticket) {
  await page.locator(".stations").getByRole("button", { name: new RegExp(`^${station} by`) }).click();
  await page.locator(".choice").getByRole("button", { name: new RegExp(ticket) }).click();
}

// By a finger on the map, then the ticket.
async function touch(page, station, ticket) {
  await page.locator(".hop", { hasText: "" }).and(page.getByRole("button", { name: `Station ${station}`, exact: true })).click();
  await page.locator(".choice").getByRole("button", { name: new RegExp(ticket) }).click();
}

const pawnAt = (page, pawn, station) =>
  page.locator(".map title").filter({ hasText: `${pawn} at ${station}` }).waitFor({ state: "attached" });

test("a whole game: double move, black ticket, reveal, reload, restart, catch, replay", { timeout: 180000 }, async () => {
  const server = await Server.start("--seed", SEED);
  const ann = await person({ colorScheme: "light" });
  const bob = await person({ ...phone, colorScheme: "dark" });

  // From the front page to Scotland Yard and back.
  await ann.goto(server.url);
  await ann.getByRole("link", { name: /Scotland Yard/ }).click();
  await ann.getByLabel("Your name").waitFor();
  await audit(ann, "door, wide");
  await shot(ann, "yard-door-1400");
  await ann.getByRole("link", { name: /parlor/ }).click();
  await ann.getByRole("heading", { name: "Tables" }).waitFor();

  await open(ann, server, "Ann", "Fog & Co");
  const link = await ann.getByLabel("Link to this table").inputValue();
  assert.equal(link, ann.url());
  await bob.goto(`${server.url}/yard`);
  await bob.getByLabel("Your name").fill("Bob");
  await audit(bob, "door, phone");
  await fits(bob, "door, phone");
  await press(bob, "Come in");
  await bob.getByText("Fog & Co").waitFor();
  await audit(bob, "lobby, phone");
  await fits(bob, "lobby, phone");
  await shot(bob, "yard-lobby-360");
  await press(bob, "Sit down: Fog & Co");

  // Sides, talk, votes.
  await status(bob, "Waiting for Ann and you to be ready.");
  await audit(bob, "room, phone");
  await fits(bob, "room, phone");
  await shot(bob, "yard-room-360");
  await press(ann, "Be a detective");
  await status(ann, "Nobody is Mr. X yet.");
  await press(bob, "Be Mr. X");
  await status(bob, /Waiting for/);
  await press(bob, "Be a detective");
  await press(ann, "Be Mr. X");
  await bob.getByLabel("What you say").fill("Good evening, \"Mr. X\"");
  await press(bob, "Say");
  await ann.getByText('Good evening, "Mr. X"').first().waitFor();
  await audit(ann, "room, wide");
  await shot(ann, "yard-room-1400");
  await press(bob, "I am ready");
  await status(ann, "Waiting for you to be ready.");
  // Loaded anew, Bob sits on his side again, and is asked again whether he is ready.
  await bob.reload();
  await press(bob, "I am ready");
  await status(ann, "Waiting for you to be ready.");
  await press(ann, "I am ready");

  await status(ann, "Your turn: move Mr. X.");
  await status(bob, "Mr. X (Ann) is to move.");
  assert.match(await ann.title(), /Your turn: Mr. X/);
  assert.match(await bob.title(), /Mr. X's turn/);
  await audit(ann, "a turn, wide");
  await shot(ann, "yard-turn-1400");

  // A double move: a taxi, then a black ticket.
  await ann.getByRole("button", { name: /Double move/ }).click();
  await touch(ann, 27, "Taxi");
  await ann.getByText("First to 27 (Taxi).").waitFor();
  await choose(ann, 40, "Black ticket");
  await says(ann, "Turn 2: Mr. X moves to 40 with a black ticket again: a double move.");
  await says(bob, "Turn 2: Mr. X moves with a black ticket again: a double move.");
  await status(bob, "Your turn: move Red.");
  await shot(bob, "yard-turn-360");
  await audit(bob, "a turn, phone");
  await fits(bob, "a turn, phone");

  // A station that is out of reach is explained; a finger, the list and the keyboard all move pawns.
  await bob.getByLabel("Station", { exact: true }).fill("1");
  await press(bob, "Choose");
  await bob.getByText("Red can't go to 1 in one move.").waitFor();
  await bob.locator(".stations").getByRole("button", { name: /^196/ }).click();
  await audit(bob, "tickets, phone");
  await fits(bob, "tickets, phone");
  await shot(bob, "yard-tickets-360");
  await press(bob, "Not there");
  await choose(bob, 196, "Taxi");
  await status(bob, "Your turn: move Yellow.");
  await bob.keyboard.type("67");
  await bob.keyboard.press("Enter");
  await bob.locator(".choice").getByRole("button", { name: /Underground/ }).waitFor();
  await bob.waitForFunction(() => document.activeElement.classList.contains("ticket"));
  await bob.keyboard.press("Enter");
  await pawnAt(ann, "Yellow", 67);

  // The page of the detectives is loaded anew in the middle of their round: same seat, same pawns, no question.
  await status(bob, "Your turn: move Green.");
  await bob.reload();
  await status(bob, "Your turn: move Green.");
  await says(bob, "Yellow goes to 67 with an underground ticket.");
  await choose(bob, 54, "Taxi");

  // Somebody looks on, and sees no more than a detective.
  const carl = await person({ viewport: { width: 820, height: 1180 } });
  await enter(carl, link, "Carl");
  await carl.getByText("The game has begun already. You are watching it.").waitFor();
  await status(carl, "Blue (Bob) is to move.");
  assert.equal(await carl.getByText("Mr. X at").count(), 0);

  // The server is killed and comes back: everybody is where they were.
  await server.end();
  await ann.getByText("The connection is lost.").waitFor();
  await shot(ann, "yard-lost-1400");
  await server.run(server.http);
  await status(bob, "Your turn: move Blue.");
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  await choose(bob, 150, "Taxi");
  await choose(bob, 74, "Bus");

  // Turn 3: he shows himself.
  await status(ann, "Your turn: move Mr. X.");
  await openTab(bob, "Talk");
  await bob.getByLabel("What you say").fill("He must be near 40");
  await bob.getByLabel("Who hears it").selectOption("team");
  await press(bob, "Say");
  await bob.getByText("He must be near 40").first().waitFor();
  await audit(bob, "talk, phone");
  await fits(bob, "talk, phone");
  await press(ann, "What do they know?");
  await choose(ann, 52, "Taxi");
  await says(bob, "Turn 3: Mr. X shows himself at 52. He came with a taxi ticket.");
  await pawnAt(bob, "Mr. X", 52);
  await pawnAt(carl, "Mr. X", 52);
  assert.equal(await ann.getByText("He must be near 40").count(), 0);
  await choose(bob, 197, "Taxi");
  await openTab(bob, "Mr. X");
  await press(bob, "Where can he be?");
  await bob.getByText("Where he can be: 1 station").waitFor();
  await audit(bob, "travel log, phone");
  await fits(bob, "travel log, phone");
  await shot(bob, "yard-rides-360");
  await openTab(bob, "Pawns");
  await audit(bob, "pawns, phone");
  await fits(bob, "pawns, phone");
  await shot(bob, "yard-pawns-360");
  await press(bob, "The whole map");
  await shot(bob, "yard-whole-360");
  await press(bob, "Find the pawn");
  await shot(carl, "yard-watch-820");
  await audit(carl, "looking on, tablet");
  for (const [page, theme] of [
    [ann, "dark"],
    [bob, "light"],
  ]) {
    await page.getByRole("button", { name: "Menu" }).click();
    await audit(page, "menu");
    await page.getByLabel("Colours").selectOption(theme);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await audit(page, `turned ${theme}`);
    await shot(page, `yard-turned-${theme}`);
  }

  // A line of the log shows the map as it was then.
  await openTab(ann, "Log");
  await ann.locator(".log button", { hasText: "Yellow goes to 67" }).click();
  await ann.getByText("Then: Yellow goes to 67").waitFor();
  await pawnAt(ann, "Green", 53);
  await ann.keyboard.press("Escape");
  await pawnAt(ann, "Green", 54);

  await choose(bob, 52, "Bus");
  await status(bob, "You have won! Mr. X is caught: Yellow caught Mr. X at 52.");
  await status(ann, "You have lost.");
  await status(carl, "Mr. X is caught");

  // How it went, step by step: all is shown now.
  const slider = bob.getByLabel("Moves of the game");
  await bob.waitForFunction(() => document.querySelector(".replay input").max === "10");
  await press(bob, "To the start");
  await pawnAt(bob, "Mr. X", 26);
  await press(bob, "One move on");
  await pawnAt(bob, "Mr. X", 27);
  await slider.press("End");
  await pawnAt(bob, "Mr. X", 52);
  await audit(bob, "replay, phone");
  await fits(bob, "replay, phone");
  await shot(bob, "yard-replay-360");
  await shot(ann, "yard-over-1400");
  await press(bob, "All games");
  await bob.getByText("1 player · over").waitFor();
  assert.deepEqual(faults, []);
  await server.close();
});
