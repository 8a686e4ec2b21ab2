// "What can I do here?": the place and the moment, in sentences.

import { h } from "../lib/dom.js";
import { bestSale, grouped } from "./trade.js";
import { cultureName, EFFECTS, money, name, nameOf, points, spaceWords, systemName } from "./words.js";

const lang = {
  ask: "What can I do here? ▾",
  at: (where) => `You are at ${where}.`,
  home: (system, people) => `In ${system} live the ${people}.`,
  unknown: (system) => `You do not know who lives in ${system}: pass the orbit of a port, or end a move in a city there.`,
  firstContact: "Whoever ends a move in a city or station here first gets an IOU, and the spaceports go on sale.",
  knowers: (names) => `Who has seen it: ${names}.`,
  wait: (who) => `It is the turn of ${who}. Until yours you can look at the map, ships, cultures and the log, and talk.`,
  watch: "You are watching: look at whatever you like.",
  switches: "Choose what is on for this turn. Then you name your first step, and the dice show.",
  first: (dice) => `Name your first step: then ${dice} dice show, and their sum is what you can spend.`,
  forbidden: "The dice do not allow the step you named: choose another one.",
  left: (left) => `You have ${left} left; the tag of a step says what it costs.`,
  cities: "Into or out of a planet's city is 2 points.",
  circle: (numbers) => `A navigation circle: each way out has its numbers, and you need one that you rolled (${numbers}).`,
  fixed: (number) => `Your number is ${number} for the rest of this turn.`,
  gate: (gates) => `A telegate: the number of another one takes you there (${gates}); with any other you walk on.`,
  jumps: (gates) => `With Jump Start your first step may be a jump, by the number of a telegate (${gates}).`,
  noWayBack: "No step leads back over a way that you came in this turn.",
  toll: (sum) => `Moving on costs ${sum}.`,
  mayStay: (what) => `You may stay: ${what}.`,
  mayStop: (what) => `You may stop: ${what}.`,
  costs: (sum) => `that costs ${sum}`,
  endsTurn: "your turn is over then",
  meets: "you meet whoever lives here and get their IOU",
  trades: (people, isFree) => `you trade with the ${people}, ${isFree ? "as much as you like" : "one purchase and one sale"}`,
  takes: (relic) => `you can take the ${relic}`,
  mustGoOn: "Nobody can stop on a dot or at a telegate: you go on.",
  mulligan: "You may roll one die again, once. After that the step you named is tried.",
  number: "Your way out has several numbers that you rolled: choose one.",
  relic: (relic, effect) => `${relic}: ${effect} It takes no room. With it or without it, your turn is over.`,
  counts: (buys, sells) => `Purchases left: ${buys}; sales left: ${sells}.`,
  noEnd: "no end",
  sell: (what, sum, profit) => `Sell ${what} for ${sum}${profit ? `, ${profit} more than it cost` : ""}.`,
  deliver: (what, sum) => `Deliver the ${what} for ${sum}.`,
  redeem: (sum) => `Redeem their IOU: ${sum} to barter with.`,
  pickUp: (what, sum) => `Take the ${what} aboard: ${sum} on arrival.`,
  buy: (what, sum, people, far, profit) => `Buy ${what} for ${sum}: the ${people}, ${far} steps away, leave you a profit of ${profit}.`,
  deed: (what, sum) => `Buy the ${what} for ${sum}: it counts in full for winning.`,
  barter: (sum) => `${sum} of barter is lost when your turn ends.`,
  end: "End your turn when you are done.",
};

const count = (left) => (left < 0 ? lang.noEnd : left);

// Who lives here, as far as it is known, and who else knows.
function place(t, me) {
  const { system } = me.space;
  const said = [lang.at(spaceWords(t, me.space))];
  if (system?.kind !== "world") return said;
  const race = t.cultureOf(system);
  said.push(race ? lang.home(systemName(system), cultureName(race)) : lang.unknown(systemName(system)));
  if (t.isPublic(system)) return said;
  said.push(lang.firstContact);
  const others = t.knowers(t.systems.get(system.name)).map(({ id }) => nameOf(t, id));
  return others.length ? [...said, lang.knowers(others.join(", "))] : said;
}

// What comes of ending the move here.
function stopping(t, me) {
  const { destination, points: left } = t;
  const here = t.at(me.space);
  const race = me.space.system && t.cultureOf(me.space.system);
  const isInhabited = me.space.system && me.space.system.kind !== "star";
  const cost = destination.isFirst && destination.penalty ? [lang.costs(money(destination.penalty))] : [];
  const isFree = here?.kind === "station" || left === null;
  const then =
    t.tradesAt(me.space) && isInhabited
      ? race && t.isPublic(me.space.system)
        ? lang.trades(cultureName(race), isFree)
        : lang.meets
      : here?.relic
        ? lang.takes(here.relic.name)
        : lang.endsTurn;
  return (destination.isFirst ? lang.mayStay : lang.mayStop)([...cost, then].join(", "));
}

function moving(t, me) {
  const { isFirst, penalty, steps } = t.destination;
  const isShown = t.points !== null;
  const gates = steps.filter((step) => step.isJump).map((step) => step.numbers.join("/"));
  return [
    isShown ? lang.left(points(t)) : lang.first(t.dice.length),
    isShown && isFirst && lang.forbidden,
    steps.some((step) => step.cost === 2) && lang.cities,
    me.space.isCircle && isShown && lang.circle([...new Set(t.dice)].sort().join(", ")),
    gates.length > 0 && (t.at(me.space)?.kind === "telegate" ? lang.gate : lang.jumps)(gates.join(", ")),
    t.pilot.isFixed && lang.fixed(t.pilot.number),
    !isFirst && lang.noWayBack,
    !isFirst && penalty > 0 && lang.toll(money(penalty)),
    t.may("ENDMOVE") ? stopping(t, me) : !isFirst && lang.mustGoOn,
  ];
}

// The three goods that leave most, with where to take them.
function bargains(t, me, stock, purse) {
  const goods = grouped(stock).filter(({ it }) => it.kind === "good" && it.buy <= purse);
  const known = goods.map(({ it }) => ({ it, best: bestSale(t, it, me.space) })).filter(({ it, best }) => best && best.sum > it.buy);
  known.sort((a, b) => b.best.sum - b.it.buy - (a.best.sum - a.it.buy));
  return known
    .slice(0, 3)
    .map(({ it, best }) => lang.buy(name(it), money(it.buy), cultureName(best.race), best.far, money(best.sum - it.buy)));
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
    lang.counts(count(buys), count(sells)),
    iou && lang.redeem(money(iou.sell)),
    own.filter((it) => it.kind === "fare" && it.buyers.includes(race)).map((it) => lang.deliver(name(it), money(it.sell))),
    sells !== 0 && own.filter(isSold).map((it) => lang.sell(name(it), money(t.offer(race, it)), profit(it) > 0 && money(profit(it)))),
    stock.filter((it) => it.kind === "fare").map((it) => lang.pickUp(name(it), money(it.sell))),
    buys !== 0 && bargains(t, me, stock, purse),
    buys !== 0 && deeds.map((it) => lang.deed(name(it), money(t.price(me, it, race)))),
    me.barter > 0 && lang.barter(money(me.barter)),
    lang.end,
  ];
}

function asteroid(t, me) {
  const relic = t.at(me.space)?.relic;
  return relic && lang.relic(relic.name, EFFECTS[relic.name] ?? "");
}

const NOW = {
  TechSelect: () => lang.switches,
  SelectMove: moving,
  Mulligan: () => lang.mulligan,
  SelectPilotNumber: () => lang.number,
  TradePhase: trading,
  AsteroidPhase: asteroid,
};

export function hereWords(t) {
  const me = t.seat;
  if (!me?.space) return [lang.watch];
  const now = t.isMyTurn ? NOW[t.state]?.(t, me) : lang.wait(nameOf(t, t.current));
  return [place(t, me), now].flat(Infinity).filter(Boolean);
}

// The sentences are made when somebody asks.
export const here = (t, ui) =>
  h(
    "details",
    { key: "here", class: "here", ontoggle: (event) => ui.ask(event.target.open) },
    h("summary", {}, lang.ask),
    ui.isAsked && h("ul", {}, hereWords(t).map((text) => h("li", { key: text }, text))),
  );
