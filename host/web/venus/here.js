// "What can I do here?": the place and the moment, in sentences.

import { h } from "../lib/dom.js";
import { lang } from "./lang.js";
import { bestSale, grouped } from "./trade.js";
import { cultureName, effect, money, name, nameOf, spaceWords, systemName } from "./words.js";

const told = lang.here;

const count = (left) => (left < 0 ? told.noEnd : left);

// Who lives here, as far as it is known, and who else knows.
function place(t, me) {
  const { system } = me.space;
  const said = [told.at(spaceWords(t, me.space))];
  if (system?.kind !== "world") return said;
  const race = t.cultureOf(system);
  said.push(race ? told.home(systemName(system), cultureName(race)) : told.unknown(systemName(system)));
  if (t.isPublic(system)) return said;
  said.push(told.firstContact);
  const others = t.knowers(t.systems.get(system.name)).map(({ id }) => nameOf(t, id));
  return others.length ? [...said, told.knowers(others.join(", "))] : said;
}

// What comes of ending the move here.
function stopping(t, me) {
  const { destination, points: left } = t;
  const here = t.at(me.space);
  const race = me.space.system && t.cultureOf(me.space.system);
  const isInhabited = me.space.system && me.space.system.kind !== "star";
  const cost = destination.isFirst && destination.penalty ? [told.costs(money(destination.penalty))] : [];
  const isFree = here?.kind === "station" || left === null;
  const then =
    t.tradesAt(me.space) && isInhabited
      ? race && t.isPublic(me.space.system)
        ? told.trades(cultureName(race), isFree)
        : told.meets
      : here?.relic
        ? told.takes(name(here.relic))
        : told.endsTurn;
  return (destination.isFirst ? told.mayStay : told.mayStop)([...cost, then].join(", "));
}

function moving(t, me) {
  const { isFirst, penalty, steps } = t.destination;
  const isShown = t.points !== null;
  const gates = steps.filter((step) => step.isJump).map((step) => step.numbers.join("/"));
  return [
    isShown ? told.left(t.points) : told.first(t.dice.length),
    isShown && isFirst && told.forbidden,
    steps.some((step) => step.cost === 2) && told.cities,
    me.space.isCircle && isShown && told.circle([...new Set(t.dice)].sort().join(", ")),
    gates.length > 0 && (t.at(me.space)?.kind === "telegate" ? told.gate : told.jumps)(gates.join(", ")),
    t.pilot.isFixed && told.fixed(t.pilot.number),
    !isFirst && told.noWayBack,
    !isFirst && penalty > 0 && told.toll(money(penalty)),
    t.may("ENDMOVE") ? stopping(t, me) : !isFirst && told.mustGoOn,
  ];
}

// The three goods that leave most, with where to take them.
function bargains(t, me, stock, purse) {
  const goods = grouped(stock).filter(({ it }) => it.kind === "good" && it.buy <= purse);
  const known = goods.map(({ it }) => ({ it, best: bestSale(t, it, me.space) })).filter(({ it, best }) => best && best.sum > it.buy);
  known.sort((a, b) => b.best.sum - b.it.buy - (a.best.sum - a.it.buy));
  return known
    .slice(0, 3)
    .map(({ it, best }) => told.buy(name(it), money(it.buy), cultureName(best.race), best.far, money(best.sum - it.buy)));
}

function trading(t, me) {
  const race = t.cultureOf(me.space.system ?? {});
  const stock = t.stock(race);
  const { buys, sells } = t.left;
  const purse = me.cash + me.barter;
  const own = grouped(me.things).map(({ it }) => it);
  const isSold = (it) => !["ship", "fare", "deed", "iou"].includes(it.kind) && t.offer(race, it) !== null;
  const profit = (it) => (it.kind === "good" ? t.offer(race, it) - it.buy : 0);
  const iou = t.may("REDEEMIOU") && own.find((it) => it.kind === "iou" && it.buyers.includes(race));
  const deeds = stock.filter((it) => it.kind === "deed" && t.price(me, it, race) <= purse);
  return [
    told.counts(count(buys), count(sells)),
    iou && told.redeem(money(iou.sell)),
    own.filter((it) => it.kind === "fare" && it.buyers.includes(race)).map((it) => told.deliver(name(it), money(it.sell))),
    sells !== 0 && own.filter(isSold).map((it) => told.sell(name(it), money(t.offer(race, it)), profit(it) > 0 && money(profit(it)))),
    stock.filter((it) => it.kind === "fare").map((it) => told.pickUp(name(it), money(it.sell))),
    buys !== 0 && bargains(t, me, stock, purse),
    buys !== 0 && deeds.map((it) => told.deed(name(it), money(t.price(me, it, race)))),
    me.barter > 0 && told.barter(money(me.barter)),
    told.end,
  ];
}

function asteroid(t, me) {
  const relic = t.at(me.space)?.relic;
  return relic && told.relic(name(relic), effect(relic));
}

const NOW = {
  TechSelect: () => told.switches,
  SelectMove: moving,
  Mulligan: () => told.mulligan,
  SelectPilotNumber: () => told.number,
  TradePhase: trading,
  AsteroidPhase: asteroid,
};

export function hereWords(t) {
  const me = t.seat;
  if (!me?.space) return [told.watch];
  const now = t.isMyTurn ? NOW[t.state]?.(t, me) : told.wait(nameOf(t, t.current));
  return [place(t, me), now].flat(Infinity).filter(Boolean);
}

// The sentences are made when somebody asks.
export const here = (t, ui) =>
  h(
    "details",
    { key: "here", class: "here", ontoggle: (event) => ui.ask(event.target.open) },
    h("summary", {}, told.ask),
    ui.isAsked && h("ul", {}, hereWords(t).map((text) => h("li", { key: text }, text))),
  );
