// Scotland Yard between pages, by the buttons alone: Mr. X on a wide screen, all detectives on a phone, and who looks on.

import assert from "node:assert/strict";
import { audit, fits, phone } from "./eyes.js";
import { TICKETS, choose, openTab, pace, placesOn, says, status, until } from "./hands.js";
import { Server, Wire, person, scene, shot } from "./stage.js";
import { plan } from "./yard_plan.js";

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

// By a finger on the map, then the ticket.
async function touch(page, { to, ticket }) {
  await page
    .locator(".map")
    .getByRole("button", { name: `Station ${to}`, exact: true })
    .click();
  await page
    .locator(".choice")
    .getByRole("button", { name: new RegExp(TICKETS[ticket]) })
    .click();
}

// Two fingers on the map, apart and then one aside: what is seen grows, and moves.
async function pinch(page) {
  const { x, y, width, height } = await page.locator(".map > svg").boundingBox();
  const [cx, cy] = [x + width / 2, y + height / 2];
  const hand = await page.context().newCDPSession(page);
  const fingers = (type, ...places) =>
    hand.send("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
  const seen = async () => (await page.locator(".map > svg").getAttribute("viewBox")).split(" ").map(Number);
  // The browser may tell the page of a finger's way a frame later.
  const comes = (n, sign, than) =>
    until(
      page,
      ([n, sign, than]) =>
        sign * (document.querySelector(".map > svg").getAttribute("viewBox").split(" ")[n] - than) > 0,
      [n, sign, than],
    );
  const before = await seen();
  await fingers("touchStart", [cx - 20, cy], [cx + 20, cy]);
  for (const far of [30, 40]) await fingers("touchMove", [cx - far, cy], [cx + far, cy]);
  await fingers("touchEnd");
  await comes(2, -1, before[2] * 0.6);
  const near = await seen();
  await fingers("touchStart", [cx, cy]);
  for (const far of [10, 40, 60]) await fingers("touchMove", [cx - far, cy]);
  await fingers("touchEnd");
  await comes(0, 1, near[0] + 10);
}

const pawnAt = (page, pawn, station) =>
  page
    .locator(".map title")
    .filter({ hasText: `${pawn} at ${station}` })
    .waitFor({ state: "attached" });

scene("a whole game: double move, black ticket, reveal, reload, restart, catch, replay", async () => {
  const server = await Server.start("--seed", SEED);
  const ann = await person({ colorScheme: "light" });
  const bob = await person({ ...phone, colorScheme: "dark" });

  // From the front page to Scotland Yard and back.
  await ann.goto(server.url);
  await ann.getByRole("link", { name: "Play Scotland Yard with people" }).click();
  await ann.getByLabel("Your name").waitFor();
  await audit(ann, "door, wide");
  await shot(ann, "yard-door-1400");
  await ann.getByRole("link", { name: /parlor/ }).click();
  await ann.getByRole("link", { name: "Play Monopoly with people" }).waitFor();

  await open(ann, server, "Ann", "Fog & Co");
  const link = await ann.getByLabel("Link for friends").inputValue();
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
  await bob.getByLabel("What you say").fill('Good evening, "Mr. X"');
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
  const starts = await placesOn(ann);
  const moves = plan(starts);
  const [first, second, red, yellow, green, blue, black, third, ...rest] = moves;
  await ann.getByRole("button", { name: /Double move/ }).click();
  await touch(ann, first);
  await ann.getByText(`First to ${first.to} (Taxi).`).waitFor();
  await choose(ann, second);
  await says(ann, `Turn 2: Mr. X moves to ${second.to} with a black ticket again: a double move.`);
  await says(bob, "Turn 2: Mr. X moves with a black ticket again: a double move.");
  await status(bob, "Your turn: move Red.");
  await shot(bob, "yard-turn-360");
  await audit(bob, "a turn, phone");
  await fits(bob, "a turn, phone");

  // A station that is out of reach is explained; a finger, the list and the keyboard all move pawns.
  await bob.getByLabel("Station", { exact: true }).fill(String(starts.Red));
  await press(bob, "Choose");
  await bob.getByText(`Red can't go to ${starts.Red} in one move.`).waitFor();
  await bob.locator(".stations button").first().click();
  await audit(bob, "tickets, phone");
  await fits(bob, "tickets, phone");
  await shot(bob, "yard-tickets-360");
  await press(bob, "Not there");
  await choose(bob, red);
  await status(bob, "Your turn: move Yellow.");
  await bob.keyboard.type(String(yellow.to));
  await bob.keyboard.press("Enter");
  await until(bob, () => document.activeElement.matches(".ticket:not([data-fresh])"));
  const wanted = bob.locator(".choice").getByRole("button", { name: new RegExp(TICKETS[yellow.ticket]) });
  while (!(await wanted.evaluate((button) => button === document.activeElement))) await bob.keyboard.press("Tab");
  await bob.keyboard.press("Enter");
  await pawnAt(ann, "Yellow", yellow.to);

  // The page of the detectives is loaded anew in the middle of their round: same seat, same pawns, no question.
  await status(bob, "Your turn: move Green.");
  await bob.reload();
  await status(bob, "Your turn: move Green.");
  await says(bob, new RegExp(`^Yellow goes to ${yellow.to} with`));
  await touch(bob, green);

  // Somebody looks on, and sees no more than a detective.
  const carl = await person({ viewport: { width: 820, height: 1180 } });
  await enter(carl, link, "Carl");
  await carl.getByText("The game has begun already. You are watching it.").waitFor();
  await status(carl, "Blue (Bob) is to move.");
  assert.equal((await placesOn(carl)).X, undefined);

  // The server is killed and comes back: everybody is where they were.
  await server.end();
  await ann.getByText("The connection is lost.").waitFor();
  await shot(ann, "yard-lost-1400");
  await server.run(server.http);
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  await choose(bob, blue);
  await status(bob, "Your turn: move Black.");
  await choose(bob, black);

  // Turn 3: he shows himself.
  await status(ann, "Your turn: move Mr. X.");
  await openTab(bob, "Talk");
  await bob.getByLabel("What you say").fill("He must be near");
  await bob.getByLabel("Who hears it").selectOption("team");
  await press(bob, "Say");
  await bob.getByText("He must be near").first().waitFor();
  await audit(bob, "talk, phone");
  await fits(bob, "talk, phone");
  await press(ann, "What do they know?");
  await choose(ann, third);
  await says(bob, `Turn 3: Mr. X shows himself at ${third.to}. He came with a taxi ticket.`);
  await pawnAt(bob, "Mr. X", third.to);
  await pawnAt(carl, "Mr. X", third.to);
  assert.equal(await ann.getByText("He must be near").count(), 0);
  await openTab(bob, "Mr. X");
  await press(bob, "Where can he be?");
  await bob.getByText("Where he can be: 1 station").waitFor();
  await audit(bob, "travel log, phone");
  await fits(bob, "travel log, phone");
  await shot(bob, "yard-rides-360");
  await openTab(bob, "Pawns");
  await fits(bob, "pawns, phone");
  await shot(bob, "yard-pawns-360");
  await pinch(bob);
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
    await audit(page, "the menu");
    await page.getByLabel("Colours").selectOption(theme);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await audit(page, `turned ${theme}`);
    await shot(page, `yard-turned-${theme}`);
  }

  // A line of the log shows the map as it was then.
  await openTab(ann, "Log");
  await ann.locator(".log button", { hasText: "Yellow goes to" }).click();
  await ann.getByText("Then: Yellow goes to").waitFor();
  await pawnAt(ann, "Green", starts.Green);
  await ann.keyboard.press("Escape");
  await pawnAt(ann, "Green", green.to);

  for (const move of rest) {
    const page = move.pawn === "X" ? ann : bob;
    await status(page, `Your turn: move ${move.pawn.replace("X", "Mr. X")}.`);
    await choose(page, move);
  }
  const last = moves.at(-1);
  await status(bob, `You have won! Mr. X is caught: ${last.pawn} caught Mr. X at ${last.to}.`);
  await status(ann, "You have lost.");
  await status(carl, "Mr. X is caught");

  // How it went: all is shown now. The whole ways of both sides are on the map, each to where its pawn stands.
  const slider = bob.getByLabel("Moves of the game");
  const isShown = ([pawn, stations]) => {
    const line = document.querySelector(`.way.pawn-${pawn}`);
    const way = [...(line?.points ?? [])].filter(({ x, y }, n, all) => x !== all[n - 1]?.x || y !== all[n - 1]?.y);
    const token = document.querySelector(`.token-pin.pawn-${pawn}:not(.ghost)`)?.transform.baseVal[0].matrix;
    const end = way.at(-1);
    return way.length === stations && Math.hypot(end.x - token.e, end.y - token.f) < 12;
  };
  const waysShown = async (page, step) => {
    for (const pawn of Object.keys(starts)) {
      const own = moves.slice(0, step).filter((move) => move.pawn === pawn);
      await until(page, isShown, [pawn, own.length + 1]);
    }
  };
  for (const page of [ann, bob, carl]) await waysShown(page, moves.length);
  // Step by step.
  await until(bob, (end) => document.querySelector(".replay input").max === end, String(moves.length));
  await press(bob, "To the start");
  await pawnAt(bob, "Mr. X", starts.X);
  await waysShown(bob, 0);
  await press(bob, "One move on");
  await pawnAt(bob, "Mr. X", first.to);
  await waysShown(bob, 1);
  await slider.press("End");
  await pawnAt(bob, "Mr. X", last.to);
  await audit(bob, "replay, phone");
  await fits(bob, "replay, phone");
  await shot(bob, "yard-replay-360");
  await audit(ann, "the end, wide");
  await shot(ann, "yard-over-1400");
  // Who comes back after the end has left the game, and can still look at it.
  await ann.reload();
  await ann.getByText("The game is over. You are looking at how it went.").waitFor();
  await status(ann, `Mr. X is caught: ${last.pawn} caught Mr. X at ${last.to}.`);
  await press(ann, "To the start");
  await pawnAt(ann, "Mr. X", starts.X);
  await press(ann, "All games");
  await ann.getByText("1 player · over").waitFor();
  // Another one with the same people: at a table whose name follows from the old one's, on the same side.
  await press(bob, "Play again together");
  await bob.getByRole("heading", { name: "“Fog & Co 2” is about to begin" }).waitFor();
  await bob.getByRole("button", { name: "Be Mr. X" }).waitFor();
  await press(bob, "Leave");
  await bob.getByText("Nobody plays just now.").waitFor();
});

scene("names and passwords, two tabs, a cut wire, bots", async () => {
  const server = await Server.start("--seed", SEED);
  const wire = await Wire.start(server);
  const ann = await person();
  await enter(ann, `${wire.url}/yard`, "Ann", "Come in");
  await ann.getByText("You are Ann").click();
  const password = await ann.getByLabel("Your password").inputValue();
  assert.match(password, /^[0-9a-z]{15}$/);

  // A name is its owner's: while she is here, and with her password afterwards.
  const eve = await person(phone);
  await enter(eve, `${server.url}/yard`, "Ann", "Come in");
  await eve.getByText("Somebody with that name is here already.").waitFor();
  await press(ann, "Use another name");
  await ann.getByLabel("Your name").waitFor();
  await press(eve, "Come in");
  await eve.getByText("That name belongs to somebody who has another password.").waitFor();
  await fits(eve, "door with a password");
  await shot(eve, "yard-password-360");
  await eve.getByLabel("Password").fill(password);
  await press(eve, "Come in");
  await eve.getByText("You are Ann").waitFor();

  // A link to a game that is gone.
  await enter(ann, `${wire.url}/yard?game=Gone`, "Anna");
  await ann.getByText("There is no game “Gone”. You can open one with that name.").waitFor();
  assert.equal(await ann.getByLabel("Name of the game").inputValue(), "Gone");

  // The newer of two tabs plays.
  const second = await ann.context().newPage();
  await second.goto(`${wire.url}/yard`);
  await second.getByText("You are Anna").waitFor();
  await ann.getByText("You play in another tab.").waitFor();
  await second.close();
  await press(ann, "Play here");
  await ann.getByText("You are Anna").waitFor();

  // Alone at a table that is loaded anew, and then against bots.
  await ann.getByLabel("Name of the game").fill("Night");
  await press(ann, "Open it");
  await status(ann, /Waiting for somebody else/);
  await ann.reload();
  await status(ann, /Waiting for somebody else/);
  await press(ann, "Add a bot");
  await press(ann, "Add a bot");
  await ann.getByText("bot-").nth(1).waitFor();
  await press(ann, "I am ready");
  await status(ann, "Your turn: move Mr. X.");
  // How long they think is chosen at the table, and counts from then on.
  assert.deepEqual(await pace(ann, "yard", "quick"), [{ place: "Night", pace: 100 }, true]);
  assert.deepEqual(await pace(ann, "yard", ""), [{ place: "Night" }, true]);
  wire.cut();
  await ann.getByText("The connection is lost.").waitFor();
  wire.mend();
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  for (let turn = 1; turn <= 24; turn++) {
    await status(ann, /Your turn|You have/);
    if (/You have/.test(await ann.locator("#status").innerText())) break;
    const stations = ann.locator(".stations button");
    await stations.nth(turn % (await stations.count())).click();
    await ann.locator(".choice .ticket").first().click();
    await ann
      .locator(".rides li:not(.open)")
      .nth(turn - 1)
      .waitFor();
  }
  await status(ann, /You have (won|lost)/);
  await shot(ann, "yard-bots-1400");
  // Once more: on the same side, with as many bots.
  await press(ann, "Play again together");
  await ann.getByRole("heading", { name: "“Night 2” is about to begin" }).waitFor();
  await ann.getByText("bot-").nth(1).waitFor();
  await ann.getByRole("button", { name: "Be a detective" }).waitFor();
});
