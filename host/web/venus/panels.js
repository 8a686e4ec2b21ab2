// What stands around the map: what can be done now, the ship, everybody's worth, the cultures, talk.

import { h } from "../lib/dom.js";
import { talk as tableTalk } from "../lib/talk.js";
import { shipIcon } from "./board.js";
import { here } from "./here.js";
import { lang } from "./lang.js";
import { systems } from "./map.js";
import { replay } from "./replay.js";
import { grouped, saleWords, tradePanel } from "./trade.js";
import { CULTURES, cultureName, effect, money, name, spaceWords, status, systemName } from "./words.js";

// --- the turn --------------------------------------------------------------------------------------------------------------

const diceRow = (t, press) =>
  t.dice &&
  h(
    "p",
    { class: "dice", key: "dice" },
    [...t.dice].map((die, n) =>
      press && die !== "?"
        ? h("button", { key: n, class: "die", "aria-label": lang.rollAgain(die), onclick: () => press(die) }, die)
        : h("span", { key: n, class: "die", "aria-label": die === "?" ? lang.notRolled : die }, die),
    ),
    t.points !== null && h("span", { class: "left" }, lang.pointsLeft(t.points)),
    t.pilot.number > 0 && h("span", { class: "left" }, lang.number(t.pilot.number, t.pilot.isFixed)),
  );

function techSelect(session, t, ui) {
  return [
    h(
      "fieldset",
      { key: "switches" },
      h("legend", {}, lang.whatIsOn),
      t.switches.map((code) =>
        h(
          "label",
          { key: code, class: "setting" },
          h("input", { type: "checkbox", checked: ui.on.has(code), onchange: (event) => ui.toggle(code, event.target.checked) }),
          h("span", {}, lang.switches[code]?.[0] ?? code, h("small", {}, ` ${lang.switches[code]?.[1] ?? ""}`)),
        ),
      ),
    ),
    h(
      "button",
      {
        key: "go",
        class: "primary",
        onclick: () => session.say("SELECTSWITCHABLES", t.switches.filter((code) => ui.on.has(code)).join("-") || "-"),
      },
      lang.soBeIt,
    ),
  ];
}

function stepButton(t, ui, step) {
  const { space, isJump, cost, numbers } = step;
  const sum = t.toll(t.seat, t.at(space));
  return h(
    "button",
    { key: `${space.id}${isJump}`, class: "step-button", onclick: () => ui.go(step), onpointerenter: () => ui.mark(space), onfocus: () => ui.mark(space) },
    h("b", {}, lang.stepTo(spaceWords(t, space), isJump)),
    h("small", {}, lang.stepCost(cost, numbers, sum, sum > t.seat.cash)),
  );
}

function selectMove(session, t, ui, me) {
  const { steps, penalty, isFirst } = t.destination;
  const stop = isFirst
    ? [lang.stayHere, penalty ? lang.stayCosts(penalty) : t.tradesAt(me.space) ? lang.tradeFreely : ""]
    : [lang.stopHere, spaceWords(t, me.space)];
  return [
    diceRow(t),
    !isFirst && penalty > 0 && h("p", { key: "toll", class: "notice" }, lang.movingOnCosts(penalty)),
    h("p", { key: "how", class: "why" }, lang.tapSpace),
    h("div", { key: "steps", class: "steps", role: "group", "aria-label": lang.whereYouCanGo }, steps.map((step) => stepButton(t, ui, step))),
    t.may("ENDMOVE") &&
      h("button", { key: "stop", class: steps.length ? "" : "primary", onclick: () => session.say("ENDMOVE") }, stop[0], stop[1] && h("small", {}, ` ${stop[1]}`)),
  ];
}

const mulligan = (session, t) => [
  diceRow(t, (die) => session.say("MULLIGAN", die)),
  h("p", { key: "how", class: "why" }, lang.pressDie),
  h("button", { key: "keep", class: "primary", onclick: () => session.say("NOMULLIGAN") }, lang.keepAll),
];

const pilotNumber = (session, t) => [
  diceRow(t),
  h(
    "div",
    { key: "numbers", class: "row" },
    t.pilotChoice.map((number) =>
      h("button", { key: number, class: "die", "aria-label": lang.numberLabel(number), onclick: () => session.say("SELECTPILOTNUMBER", number) }, number),
    ),
  ),
  !t.has(t.seat, "Switch Switch") && h("p", { key: "fixed", class: "why" }, lang.numberHolds),
];

function asteroid(session, t, me) {
  const relic = t.at(me.space)?.relic;
  return [
    h("p", { key: "relic" }, relic ? [h("b", {}, name(relic)), ` ${effect(relic)}`] : lang.relicHere),
    h(
      "div",
      { key: "choice", class: "row" },
      h("button", { class: "primary", onclick: () => session.say("GETRELIC") }, lang.takeIt),
      h("button", { onclick: () => session.say("LEAVERELIC") }, lang.leaveIt),
    ),
  ];
}

const trade = (session, t, me) => [
  h("button", { key: "end", class: "primary", onclick: () => session.say("ENDTURN") }, lang.endTurn),
  tradePanel(session, t, me),
];

export function actions(session, ui) {
  const t = session.mirror;
  const me = t.seat;
  const gone = t.inOrder.map(({ name }) => name).filter((name) => session.isUp && !session.isPresent(name));
  const mine = {
    TechSelect: () => techSelect(session, t, ui),
    SelectMove: () => selectMove(session, t, ui, me),
    Mulligan: () => mulligan(session, t),
    SelectPilotNumber: () => pilotNumber(session, t),
    TradePhase: () => trade(session, t, me),
    AsteroidPhase: () => asteroid(session, t, me),
  }[t.state];
  return [
    h("p", { id: "status", key: "status", class: t.isMyTurn ? "status mine" : "status" }, t.current !== null && shipIcon(t.current), h("span", {}, status(t))),
    t.isMyTurn && me?.space && mine ? mine() : !t.isOver && diceRow(t),
    t.isOver ? replay(session, t, ui) : here(t, ui),
    !t.isOver && ui.missing(gone, (name) => h("button", { onclick: () => session.anew() }, lang.anewWithout(name))),
  ];
}

// --- ships -----------------------------------------------------------------------------------------------------------------

const ORDER = ["ship", "good", "fare", "drive", "equip", "relic", "deed", "iou"];
const inOrder = (things) => [...things].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.name.localeCompare(b.name));

function cargo(t, player) {
  const { used, all } = t.hold(player);
  return [
    h("p", { class: "hold", key: "hold" }, lang.holds(used / 2, all / 2), h("meter", { min: 0, max: all || 1, value: used, "aria-label": lang.holdsInUse })),
    h(
      "ul",
      { class: "goods", key: "things" },
      grouped(inOrder(player.things)).map(({ it, count }) =>
        h(
          "li",
          { key: it.text },
          h("span", { class: "what" }, h("b", {}, `${name(it)}${count > 1 ? ` ×${count}` : ""}`, it.isNew && h("small", {}, lang.isNew)), h("small", {}, thingWords(t, it, player))),
        ),
      ),
    ),
  ];
}

function thingWords(t, it, player) {
  if (it.kind === "ship") return lang.diceOf(it.dice);
  if (it.kind === "deed") return money(it.buy);
  if (it.kind === "iou") return lang.iouAbout(it);
  return saleWords(t, it, player.space);
}

export function ships(session) {
  const t = session.mirror;
  const others = t.inOrder.filter((player) => player.id !== t.me);
  const me = t.seat;
  const head = (player) => [
    shipIcon(player.id),
    h("b", {}, player.id === t.me ? lang.youHead : player.name),
    h("span", { class: "soft" }, lang.shipAbout(player.race, player.cash, player.worth, session.isPresent(player.name))),
  ];
  return [
    h("h2", {}, lang.ships),
    h("p", { class: "why" }, lang.winAbout(t.winMoney)),
    me && h("section", { key: "me", class: "ship-card" }, h("h3", {}, head(me)), cargo(t, me)),
    others.map((player) =>
      h("details", { key: player.id, class: "ship-card" }, h("summary", {}, h("span", { class: "head" }, head(player), player.space && h("small", {}, lang.atSpace(spaceWords(t, player.space))))), cargo(t, player)),
    ),
  ];
}

// --- cultures --------------------------------------------------------------------------------------------------------------

// A good that a culture buys: what it pays, and what is left of that for who carries it or buys it where it is known to be.
function wanted(t, me, race, it) {
  const sum = t.offer(race, it);
  const carried = me?.things.filter((other) => other.sort === it.sort).length ?? 0;
  const from = it.source && t.homeOf(it.source);
  const profit = sum - it.buy;
  const about = carried ? lang.youCarry(carried, profit) : from ? lang.soldBy(it, systemName(from), profit) : lang.notFound;
  return h("li", { key: it.sort }, h("span", { class: "what" }, h("b", {}, name(it)), h("small", {}, about)), h("span", {}, money(sum)));
}

// Every good that is somewhere, once.
function wares(t) {
  const things = [...t.bases.values(), ...t.inOrder.map((player) => player.things)].flat();
  return [...new Map(things.filter((it) => it.kind === "good").map((it) => [it.sort, it])).values()];
}

function cultureCard(t, ui, race, goods) {
  const system = t.homeOf(race);
  const stock = t.stock(race);
  const me = t.seat;
  const sells = grouped(stock).filter(({ it }) => ["good", "equip", "drive", "relic", "ship", "deed"].includes(it.kind));
  const wants = grouped(stock).filter(({ it }) => it.kind === "demand");
  const carried = me ? grouped(me.things).filter(({ it }) => (it.kind === "good" || it.kind === "fare") && it.buyers.includes(race)) : [];
  const bought = goods.filter((it) => it.buyers.includes(race)).sort((a, b) => t.offer(race, b) - b.buy - (t.offer(race, a) - a.buy));
  const fares = stock.filter((it) => it.kind === "fare");
  return h(
    "details",
    { key: race, class: "culture" },
    h(
      "summary",
      {},
      h("b", {}, `${race === "base" ? "" : `${race} `}${cultureName(race)}`),
      h("small", {}, system ? ` ${systemName(system)}${t.isPublic(system) ? "" : seenBy(t, system)}` : lang.notFound),
      carried.length > 0 && h("span", { class: "step s2" }, lang.buysCargo),
    ),
    system && h("button", { class: "link", onclick: () => ui.show(system) }, lang.showOnMap),
    carried.filter(({ it }) => it.kind === "fare").map(({ it }) => h("p", { key: it.text, class: "why" }, lang.paysFor(it.sell, it))),
    wants.length > 0 && h("p", { key: "wants", class: "why" }, lang.paysMore(wants.map(({ it, count }) => [it, it.sell * count]))),
    bought.length > 0 && [h("h4", { key: "buys" }, lang.buys), h("ul", { key: "bought", class: "goods" }, bought.map((it) => wanted(t, me, race, it)))],
    sells.length > 0 && h("h4", { key: "sells" }, lang.sells),
    sells.length > 0 &&
      h(
        "ul",
        { class: "goods" },
        sells.map(({ it, count }) =>
          h(
            "li",
            { key: it.text },
            h("span", { class: "what" }, h("b", {}, `${name(it)}${it.supply === "limited" && count > 1 ? ` ×${count}` : ""}`), h("small", {}, it.kind === "good" ? saleWords(t, it, system?.spaces[0] ?? null, it.buy) : effect(it))),
            h("span", {}, money(me ? t.price(me, it, race) : it.buy)),
          ),
        ),
      ),
    fares.map((it, n) => h("p", { key: `f${n}`, class: "why" }, lang.waitingFare(it))),
    t.factories.has(race) && h("p", { key: "factory", class: "why" }, lang.factoryOf(t.players.get(t.factories.get(race))?.name)),
  );
}

// Those who have been in orbit.
function seenBy(t, system) {
  const others = t.knowers(t.systems.get(system.name)).filter(({ id }) => id !== t.me);
  return others.length ? lang.othersKnow(others.map((player) => player.name)) : lang.onlyYouKnow;
}

export function cultures(session, ui) {
  const t = session.mirror;
  const goods = wares(t);
  const known = [...CULTURES].sort((a, b) => Number(!t.homeOf(a)) - Number(!t.homeOf(b)));
  const found = [...systems.values()].filter((system) => system.kind === "world" && t.cultureOf(system)).length;
  return [h("h2", {}, lang.cultures), h("p", { class: "why" }, lang.found(found)), known.map((race) => cultureCard(t, ui, race, goods))];
}

// --- talk --------------------------------------------------------------------------------------------------------------------

export const talk = (session) => tableTalk(session.chat, (text) => session.say("ROOMTALK", text));
