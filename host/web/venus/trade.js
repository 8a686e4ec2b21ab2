// Trade in a city or station: what can be bought, sold, delivered, picked up, thrown away, and what it brings.

import { h } from "../lib/dom.js";
import { distances } from "./map.js";
import { load } from "./tokens.js";
import { cultureName, EFFECTS, money, name, systemName } from "./words.js";

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
    return `${money(it.sell)} at ${cultureName(it.buyers[0])}${system ? `, ${systemName(system)}` : " (not found yet)"}`;
  }
  if (it.kind !== "good") return EFFECTS[it.name] ?? "";
  const best = bestSale(t, it, from);
  if (!best) return `for ${it.buyers.map(cultureName).join(", ")}: not found yet`;
  const profit = cost ? `, profit ${money(best.sum - cost)}` : "";
  return `best known: ${money(best.sum)} at ${cultureName(best.race)}, ${best.far} steps${profit}`;
}

const row = (key, what, about, button) =>
  h("li", { key }, h("span", { class: "what" }, h("b", {}, what), about && h("small", {}, about)), button);

// A button that can't be pressed says why.
const button = (session, label, action, it, why = "") => [
  why && h("small", { class: "why-not" }, why),
  h("button", { disabled: why !== "", "aria-label": `${label}: ${name(it)}`, onclick: () => session.say(action, it.text) }, label),
];

const section = (title, rows) => rows.length > 0 && h("section", { key: title }, h("h3", {}, title), h("ul", { class: "goods" }, rows));

const leftWords = (count) => (count < 0 ? "as many as you like" : count === 0 ? "none" : count);

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
      const pays = it.pays === "barter" ? "barter" : "cash";
      const about = it.kind === "good" && t.offer(race, it) > it.sell ? `with what they demand, ${pays}` : pays;
      return row(it.text, `${name(it)}${times(count)}`, about, button(session, `Sell for ${money(t.offer(race, it))}`, "SELL", it, sells === 0 ? "no sale left" : ""));
    });
  const deliveries = me.things
    .filter((it) => it.kind === "fare" && it.buyers.includes(race))
    .map((it) => row(it.text, name(it), "arrives here", button(session, `Deliver for ${money(it.sell)}`, "DROPOFF", it)));
  const purchases = grouped(stock)
    .filter(({ it }) => !["ship", "fare", "iou", "demand"].includes(it.kind))
    .map(({ it, count }) => {
      const price = t.price(me, it, race);
      const why = buys === 0 ? "no purchase left" : price > purse ? "not enough money" : fits(it) ? "" : "holds full";
      const about = it.kind === "deed" ? (it.deed === "factory" ? "half of each purchase there is yours" : "a tenth of all trade there is yours") : saleWords(t, it, me.space, price);
      return row(it.text, `${name(it)}${it.supply === "limited" ? times(count) : ""}`, about, button(session, `Buy for ${money(price)}`, "BUY", it, why));
    });
  const ship = t.ship(me);
  const ships = stock
    .filter((it) => it.kind === "ship" && it.name !== ship?.name)
    .map((it) => {
      const price = it.buy - (ship?.sell ?? 0);
      const why = buys === 0 || sells === 0 ? "takes a purchase and a sale" : price > purse ? "not enough money" : used > it.holds ? "cargo does not fit" : "";
      return row(it.text, it.name, `${it.dice} dice, ${it.holds / 2} holds; your ${ship?.name} in part payment`, button(session, `${price < 0 ? "Get" : "Pay"} ${money(Math.abs(price))}`, "TRADEINSHIP", it, why));
    });
  const waiting = stock
    .filter((it) => it.kind === "fare")
    .map((it) => row(it.text, name(it), saleWords(t, it, me.space), button(session, "Take aboard", "PICKUP", it, fits(it) ? "" : "holds full")));
  const rubbish = grouped(me.things)
    .filter(({ it }) => ["good", "fare", "equip", "drive"].includes(it.kind) && !it.isNew)
    .map(({ it, count }) => row(it.text, `${name(it)}${times(count)}`, "", button(session, "Throw away", "JETTISON", it)));
  return [
    h("p", { key: "left", class: "why" }, `${cultureName(race)}. Purchases left: ${leftWords(buys)}; sales left: ${leftWords(sells)}. You have ${money(me.cash)}${me.barter ? ` and ${money(me.barter)} to barter` : ""}.`),
    t.may("REDEEMIOU") && h("button", { key: "iou", onclick: () => session.say("REDEEMIOU") }, `Redeem the IOU of the ${cultureName(race)}`),
    section("Deliver", deliveries),
    section("Sell", sales),
    section("Buy", purchases),
    section("Ships", ships),
    section("Passengers", waiting),
    rubbish.length > 0 && h("details", { key: "rubbish" }, h("summary", {}, "Throw something away ▾"), h("ul", { class: "goods" }, rubbish)),
  ];
}
