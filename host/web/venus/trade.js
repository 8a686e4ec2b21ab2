// Trade in a city or station: what can be bought, sold, delivered, picked up, thrown away, and what it brings.

import { h } from "../lib/dom.js";
import { lang } from "./lang.js";
import { distances } from "./map.js";
import { load } from "./tokens.js";
import { effect, name, systemName } from "./words.js";

// Equal things once, with their number.
export function grouped(things) {
  const groups = new Map();
  for (const it of things) {
    const group = groups.get(it.text) ?? { it, count: 0 };
    group.count += 1;
    groups.set(it.text, group);
  }
  return [...groups.values()];
}

const times = (count) => (count > 1 ? ` ×${count}` : "");

// The best that is known to be paid for a thing: { race, system, sum, far }.
export function bestSale(t, it, from) {
  const far = from ? distances(from) : null;
  let best = null;
  for (const race of it.buyers) {
    const system = t.homeOf(race);
    const sum = t.offer(race, it);
    if (!system || sum === null) continue;
    const steps = far ? Math.min(...system.spaces.map((space) => far.get(space) ?? 99)) : 0;
    if (!best || sum > best.sum || (sum === best.sum && steps < best.far)) best = { race, system, sum, far: steps };
  }
  return best;
}

// Where a thing can be sold, in words: what is known and what is not.
export function saleWords(t, it, from, cost = 0) {
  if (it.kind === "fare") {
    const system = t.homeOf(it.buyers[0]);
    return lang.fareTo(it, system && systemName(system));
  }
  if (it.kind !== "good") return effect(it);
  const best = bestSale(t, it, from);
  if (!best) return lang.buyersUnknown(it);
  return lang.bestSale(best.sum, best.race, best.far, cost ? best.sum - cost : null);
}

const row = (key, what, about, button) =>
  h("li", { key }, h("span", { class: "what" }, h("b", {}, what), about && h("small", {}, about)), button);

// A button that can't be pressed says why.
const button = (session, label, action, it, why = "") => [
  why && h("small", { class: "why-not" }, why),
  h("button", { disabled: why !== "", "aria-label": lang.doWith(label, it), onclick: () => session.say(action, it.text) }, label),
];

const section = (title, rows) => rows.length > 0 && h("section", { key: title }, h("h3", {}, title), h("ul", { class: "goods" }, rows));

const leftWords = (count) => (count < 0 ? lang.asManyAs : count === 0 ? lang.none : count);

export function tradePanel(session, t, me) {
  const race = t.cultureOf(me.space.system ?? {});
  const stock = t.stock(race);
  const purse = me.cash + me.barter;
  const { used, all } = t.hold(me);
  const { buys, sells } = t.left;
  const fits = (it) => load([...me.things, it]) <= all;

  const sales = grouped(me.things)
    .filter(({ it }) => !["ship", "fare", "deed", "iou"].includes(it.kind) && t.offer(race, it) !== null)
    .map(({ it, count }) => {
      const pays = it.pays === "barter" ? lang.barter : lang.cash;
      const about = it.kind === "good" && t.offer(race, it) > it.sell ? lang.withDemand(pays) : pays;
      return row(it.text, `${name(it)}${times(count)}`, about, button(session, lang.sellFor(t.offer(race, it)), "SELL", it, sells === 0 ? lang.noSaleLeft : ""));
    });
  const deliveries = me.things
    .filter((it) => it.kind === "fare" && it.buyers.includes(race))
    .map((it) => row(it.text, name(it), lang.arrives, button(session, lang.deliverFor(it.sell), "DROPOFF", it)));
  const purchases = grouped(stock)
    .filter(({ it }) => !["ship", "fare", "iou", "demand"].includes(it.kind))
    .map(({ it, count }) => {
      const price = t.price(me, it, race);
      const why = buys === 0 ? lang.noPurchaseLeft : price > purse ? lang.notEnough : fits(it) ? "" : lang.holdsFull;
      const about = it.kind === "deed" ? (it.deed === "factory" ? lang.factoryDeed : lang.portDeed) : saleWords(t, it, me.space, price);
      return row(it.text, `${name(it)}${it.supply === "limited" ? times(count) : ""}`, about, button(session, lang.buyFor(price), "BUY", it, why));
    });
  const ship = t.ship(me);
  const ships = stock
    .filter((it) => it.kind === "ship" && it.name !== ship?.name)
    .map((it) => {
      const price = it.buy - (ship?.sell ?? 0);
      const why = buys === 0 || sells === 0 ? lang.takesBoth : price > purse ? lang.notEnough : used > it.holds ? lang.cargoTooBig : "";
      return row(it.text, name(it), lang.shipOffer(it.dice, it.holds / 2, ship && name(ship)), button(session, price < 0 ? lang.getSum(-price) : lang.paySum(price), "TRADEINSHIP", it, why));
    });
  const waiting = stock
    .filter((it) => it.kind === "fare")
    .map((it) => row(it.text, name(it), saleWords(t, it, me.space), button(session, lang.takeAboard, "PICKUP", it, fits(it) ? "" : lang.holdsFull)));
  const rubbish = grouped(me.things)
    .filter(({ it }) => ["good", "fare", "equip", "drive"].includes(it.kind) && !it.isNew)
    .map(({ it, count }) => row(it.text, `${name(it)}${times(count)}`, "", button(session, lang.throwAway, "JETTISON", it)));
  return [
    h("p", { key: "left", class: "why" }, lang.tradeAbout(race, leftWords(buys), leftWords(sells), me.cash, me.barter)),
    t.may("REDEEMIOU") && h("button", { key: "iou", onclick: () => session.say("REDEEMIOU") }, lang.redeem(race)),
    section(lang.deliver, deliveries),
    section(lang.sell, sales),
    section(lang.buy, purchases),
    section(lang.ships, ships),
    section(lang.passengers, waiting),
    rubbish.length > 0 && h("details", { key: "rubbish" }, h("summary", {}, lang.throwSomething), h("ul", { class: "goods" }, rubbish)),
  ];
}
