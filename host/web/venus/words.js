// Merchant of Venus in plain words: who somebody is, what happened, what is asked, why something was refused.

import { title } from "./map.js";
import { thing } from "./tokens.js";

export const CULTURES = {
  "1a": "Nillis",
  "1b": "Volois",
  2: "Graw",
  3: "Niks",
  "4a": "Dell",
  "4b": "Humans",
  5: "Shenna",
  6: "Yxklyx",
  "7a": "Zum",
  "7b": "EeepEeep",
  8: "Whynoms",
  "9a": "Cholos",
  "9b": "Wollow",
  10: "Qossuth",
  base: "Galactic Base",
};
export const cultureName = (race) => CULTURES[race] ?? race;
export const money = (sum) => `$${sum}`;
export const name = (it) => thing(it, cultureName);
export const systemName = (system) => system.name.replace("- ", "-");
export const an = (words) => `${/^[aeiou]/i.test(words) ? "an" : "a"} ${words}`;

export const SWITCHES = {
  RD: ["Red Drive", "red dots and penalties are free"],
  YD: ["Yellow Drive", "yellow dots and penalties are free"],
  CD: ["Combined Drive", "red and yellow dots and penalties are free"],
  AP: ["Auto Pilot", "one die is a 4"],
  GL: ["Gate Lock", "telegates are plain dots"],
  JS: ["Jump Start", "the first step may be a jump to a telegate"],
};
export const switchName = (code) => SWITCHES[code]?.[0] ?? code;

// What relics and equipment are good for.
export const EFFECTS = {
  "Shield -20": "Takes 20 off every penalty.",
  "Yellow Drive": "Yellow dots and penalties cost nothing.",
  "Red Drive": "Red dots and penalties cost nothing.",
  "Combined Drive": "Red and yellow dots and penalties cost nothing.",
  "Jump Start": "Your first step may be a jump to a telegate.",
  "Gate Lock": "Telegates are plain dots for you.",
  "Switch Switch": "Any rolled number may be used at each circle.",
  "Auto Pilot": "One die is a 4 instead of rolled.",
  "Spy Eye": "You see cultures and ? boxes from next to them.",
  "Air Foil": "Cities cost 1 point, and you can fly between those of a planet.",
  "Mulligan Gear": "Once a turn you may roll one die again.",
};

// What a space is, as far as it is known.
export function spaceWords(t, space) {
  const here = t.at(space);
  if (!here) return `? box nobody has shown you, ${space.system ? systemName(space.system) : "open space"}`;
  switch (here.kind) {
    case "telegate":
      return `Telegate ${here.gate}`;
    case "station":
      return here.owner === null ? "Open port" : `${space.port ?? "Spaceport"} of ${nameOf(t, here.owner)}`;
    case "penalty":
      return `Penalty ${money(here.sum)} (${here.colour})`;
    case "asteroid":
      return here.relic ? `Asteroid with ${here.relic.name}` : title(space);
  }
  return title(space);
}

export const nameOf = (t, id) => (id === t.me ? "you" : (t.players.get(id)?.name ?? `player ${id + 1}`));
const Name = (t, id) => (id === t.me ? "You" : nameOf(t, id));
const verb = (t, id, plain, third) => `${Name(t, id)} ${id === t.me ? plain : third}`;

// What the game waits for.
export function status(t) {
  const isMine = t.isMyTurn;
  const who = nameOf(t, t.current);
  switch (t.state) {
    case "":
      return "";
    case "InitialState":
      return t.players.size < 2 ? "Waiting for players: two to six." : `${t.players.size} players. Anybody seated can begin.`;
    case "ValidateSetup": {
      const missing = t.inOrder.filter((player) => !player.likes).map((player) => nameOf(t, player.id));
      return `Do all agree? Waiting for ${missing.join(", ")}.`;
    }
    case "TechSelect":
      return isMine ? "Your turn: what do you switch on?" : `${who} chooses what to switch on.`;
    case "SelectMove":
      if (!isMine) return t.points === null ? `${who} chooses a course.` : `${who} flies: ${points(t)} left.`;
      if (t.points === null) return "Your turn: name your first step, then the dice show.";
      return t.destination.isFirst ? `The dice forbid that step. Choose again: ${points(t)}.` : `Where to? ${cap(points(t))} left.`;
    case "Mulligan":
      return isMine ? "Roll one die again?" : `${who} may roll one die again.`;
    case "SelectPilotNumber":
      return isMine ? "With which number?" : `${who} chooses a number.`;
    case "TradePhase":
      return isMine ? "Trade as you like, then end your turn." : `${who} trades.`;
    case "AsteroidPhase":
      return isMine ? "There is a relic here. Take it?" : `${who} finds a relic.`;
    case "TerminalState":
      return t.winner === null ? "The game is over." : `${verb(t, t.winner, "have", "has")} won the game.`;
  }
  return t.description;
}

export const points = (t) => `${t.points} point${t.points === 1 ? "" : "s"}`;
const cap = (text) => text[0].toUpperCase() + text.slice(1);

// One line of the log for what the server said, given what was known before (`was`) and now (`t`).
const LINES = {
  PLAYER: (t, [user]) => (t.isStarted ? "" : `${user} sits down.`),
  OPTIONS: (t, [sum]) => `The first with ${money(sum)} wins.`,
  TURNORDER: (t) => `— The game begins. Order: ${t.inOrder.map((player) => player.name).join(", ")}.`,
  CURPLAYER: (t, [id]) => `— ${id === String(t.me) ? "Your" : `${nameOf(t, Number(id))}'s`} turn.`,
  SELECTEDSWITCHABLES: (t, [id, list]) =>
    list === "-" ? "" : `${verb(t, Number(id), "switch", "switches")} on ${list.split("-").map(switchName).join(", ")}.`,
  DICE: (t, [dice]) =>
    dice.includes("?") ? "" : `${verb(t, t.current, "roll", "rolls")} ${[...dice].join(" + ")} = ${sum(dice)}.`,
  PLAYERLOCATION: (t, [id], was) => {
    const { space } = t.players.get(Number(id)) ?? {};
    return was.isStarted && space ? `${verb(t, Number(id), "go", "goes")} to ${spaceWords(t, space)}.` : "";
  },
  QBOXCONTENTS: (t, [space], was) => {
    const box = t.boxes.get(space);
    const isNew = was.isStarted && !was.seen?.has(space);
    return isNew && box ? `${box.secrecy === "public" ? "A ? box opens" : "Only you see"}: ${boxWords(t, box.contents)}.` : "";
  },
  BASELOCATION: (t, [system, race], was) => {
    if (!was.isStarted || was.homes?.has(system)) return "";
    const where = system.replace("- ", "-");
    const isPublic = t.systems.get(system) === "public";
    return `${isPublic ? `First contact: the ${cultureName(race)} live` : `You have seen that the ${cultureName(race)} live`} in ${where}.`;
  },
  FACTORYOWNER: (t, [race, id], was) =>
    was.isStarted ? `${verb(t, Number(id), "own", "owns")} the factory of the ${cultureName(race)} now.` : "",
  PLAYERWINS: (t, [id]) => `— ${verb(t, Number(id), "win", "wins")} with ${money(t.players.get(Number(id))?.worth ?? 0)}!`,
  MESSAGE: (t, [text]) => text,
};

const sum = (dice) => [...dice].reduce((all, die) => all + Number(die), 0);

function boxWords(t, here) {
  switch (here?.kind) {
    case "telegate":
      return `telegate ${here.gate}`;
    case "station":
      return here.owner === null ? "an open port" : `a spaceport of ${nameOf(t, here.owner)}`;
    case "penalty":
      return `a ${here.colour} penalty of ${money(here.sum)}`;
    case "asteroid":
      return here.relic ? `an asteroid with ${here.relic.name}` : "an asteroid without a relic";
  }
  return "nothing";
}

export const line = (t, { name, fields }, was) => LINES[name]?.(t, fields, was) ?? "";

// Things that came and went in one action, as one sentence: bought, sold, picked up, dropped, thrown away.
export function deal(t, id, { got, gave, paid }) {
  const who = (plain, third) => verb(t, id, plain, third);
  const list = (things) => things.map((it) => an(name(it))).join(" and ");
  const price = paid < 0 ? ` for ${money(-paid)}` : paid > 0 ? ` and ${id === t.me ? "get" : "gets"} ${money(paid)}` : "";
  if (got.length && gave.length) return `${who("trade", "trades")} ${list(gave)} for ${list(got)}${price}.`;
  if (got.length) {
    const took = got.every((it) => it.kind === "fare") ? ["pick up", "picks up"] : paid < 0 ? ["buy", "buys"] : ["receive", "receives"];
    return `${who(...took)} ${list(got)}${paid < 0 ? price : ""}.`;
  }
  if (!gave.length) return "";
  if (gave.every((it) => it.kind === "fare") && paid > 0) return `${who("deliver", "delivers")} ${list(gave)}${price}.`;
  return paid > 0 ? `${who("sell", "sells")} ${list(gave)}${price}.` : `${who("give", "gives")} up ${list(gave)}.`;
}

// Why the server will not have something.
export const refusal = (text) => (text ? `The server refuses: ${text}` : "The server refuses that.");
