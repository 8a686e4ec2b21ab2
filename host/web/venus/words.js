// Merchant of Venus in plain words: who somebody is, what happened, what is asked, why something was refused. The words
// themselves stand in the tables of the languages; here is which of them is meant.

import { lang } from "./lang.js";
import { cultureNames } from "./names.js";

export const CULTURES = Object.keys(cultureNames);
export const cultureName = lang.culture;
export const money = lang.money;
export const name = lang.thing;
export const systemName = (system) => lang.system(system.name);
export const effect = (it) => lang.effects[it.name] ?? "";
const switchName = (code) => lang.switches[code]?.[0] ?? code;

const placeOf = (space) => (space.system ? systemName(space.system) : lang.openSpace);

// What people call a space: the port in its orbit, the city, or what it is and where.
function title(space) {
  if (space.port) return space.port;
  if (space.kind === "city" || (space.kind === "spacecity" && !/^[a-zA-Z]+_/.test(space.name))) return lang.told(space.name);
  const { spaceCity, asteroid, box } = lang;
  const what = { spacecity: spaceCity, asteroid, box, penalty: lang.penaltySum(space.sum) }[space.kind];
  return lang.inPlace(what ?? (space.isCircle ? lang.circle : lang.dots[space.colour]), placeOf(space));
}

// What a space is, as far as it is known.
export function spaceWords(t, space) {
  const here = t.at(space);
  if (!here) return lang.closedBox(placeOf(space));
  switch (here.kind) {
    case "telegate":
      return lang.telegate(here.gate);
    case "station":
      return here.owner === null ? lang.openPort : lang.portOf(space.port ?? lang.spaceport, person(t, here.owner));
    case "penalty":
      return lang.penalty(here.sum, lang.colourNames[here.colour]);
    case "asteroid":
      return here.relic ? lang.asteroidWith(lang.told(here.relic.name)) : title(space);
  }
  return title(space);
}

// Somebody in a sentence: how they are called there is the matter of the language.
const person = (t, id) => ({ isMe: id === t.me, name: t.players.get(id)?.name ?? lang.playerNumber(id + 1) });
export const nameOf = (t, id) => lang.who(person(t, id));

// What the game waits for.
export function status(t) {
  const isMine = t.isMyTurn;
  const p = person(t, t.current);
  const told = lang.status;
  switch (t.state) {
    case "":
      return "";
    case "InitialState":
      return t.players.size < 2 ? told.needTwo : told.canBegin(t.players.size);
    case "ValidateSetup":
      return told.agree(t.inOrder.filter((player) => !player.likes).map((player) => person(t, player.id)));
    case "SelectMove":
      if (!isMine) return t.points === null ? told.course(p) : told.flies(p, t.points);
      if (t.points === null) return told.firstStep;
      return (t.destination.isFirst ? told.forbidden : told.whereTo)(t.points);
    case "TerminalState":
      return t.winner === null ? told.over : told.won(person(t, t.winner));
  }
  return told[t.state]?.(p, isMine) ?? t.description;
}

// --- the log ----------------------------------------------------------------------------------------------------------------

const sum = (dice) => [...dice].reduce((all, die) => all + Number(die), 0);

// One line of the log for what the server said, given what was known before (`was`) and now (`t`).
const { lines } = lang;
const LINES = {
  PLAYER: (t, [user]) => (t.isStarted ? "" : lines.sitsDown(user)),
  OPTIONS: (t, [goal]) => lines.goal(goal),
  TURNORDER: (t) => lines.begins(t.inOrder.map((player) => player.name)),
  CURPLAYER: (t, [id]) => lines.turn(person(t, Number(id))),
  SELECTEDSWITCHABLES: (t, [id, list]) =>
    list === "-" ? "" : lines.switchesOn(person(t, Number(id)), list.split("-").map(switchName)),
  DICE: (t, [dice]) => (dice.includes("?") ? "" : lines.rolls(person(t, t.current), [...dice], sum(dice))),
  PLAYERLOCATION: (t, [id], was) => {
    const { space } = t.players.get(Number(id)) ?? {};
    return was.isStarted && space ? lines.goes(person(t, Number(id)), spaceWords(t, space)) : "";
  },
  QBOXCONTENTS: (t, [space], was) => {
    const box = t.boxes.get(space);
    const isNew = was.isStarted && !was.seen?.has(space);
    if (!isNew || !box) return "";
    return (box.secrecy === "public" ? lines.boxOpens : lines.onlyYouSee)(boxWords(t, box.contents));
  },
  BASELOCATION: (t, [system, race], was) => {
    if (!was.isStarted || was.homes?.has(system)) return "";
    return (t.systems.get(system) === "public" ? lines.firstContact : lines.youSaw)(race, system);
  },
  FACTORYOWNER: (t, [race, id], was) => (was.isStarted ? lines.factory(person(t, Number(id)), race) : ""),
  PLAYERWINS: (t, [id]) => lines.wins(person(t, Number(id)), t.players.get(Number(id))?.worth ?? 0),
};

function boxWords(t, here) {
  const told = lang.inBox;
  switch (here?.kind) {
    case "telegate":
      return told.telegate(here.gate);
    case "station":
      return here.owner === null ? told.openPort : told.port(person(t, here.owner));
    case "penalty":
      return told.penalty(here.sum, lang.colourNames[here.colour]);
    case "asteroid":
      return here.relic ? told.relic(lang.told(here.relic.name)) : told.asteroid;
  }
  return told.nothing;
}

export const line = (t, { name: what, fields }, was) => LINES[what]?.(t, fields, was) ?? "";

// Things that came and went in one action, as one sentence: bought, sold, picked up, dropped, thrown away.
export function deal(t, id, { got, gave, paid }) {
  const p = person(t, id);
  const areFares = (things) => things.every((it) => it.kind === "fare");
  if (got.length && gave.length) return lines.trade(p, gave, got, paid);
  if (got.length) return areFares(got) ? lines.picksUp(p, got) : paid < 0 ? lines.buys(p, got, paid) : lines.receives(p, got);
  if (!gave.length) return "";
  if (paid <= 0) return lines.givesUp(p, gave);
  return (areFares(gave) ? lines.delivers : lines.sells)(p, gave, paid);
}

// What somebody said in the room, as the server tells it.
export function talkWords(text) {
  const [, ...said] = text.match(/^\((.*?) to room '(.*?)'\) (.*)$/s) ?? [];
  return said.length ? lang.talkLine(...said) : text;
}

// Why the server will not have something.
export const refusal = (text) => (text ? lang.refuses(text) : lang.refusesThat);
