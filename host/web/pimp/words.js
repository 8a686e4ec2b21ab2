// The table in plain words: what happened, what is waited for, why the server refused. The words themselves stand in the
// tables of the languages; here is which of them is meant.

import { nameOf } from "./codec.js";
import { CARDS, DEEDS } from "./facts.js";
import { lang } from "./lang.js";

export const dollars = lang.dollars;
export const squareName = lang.square;
export const deedName = lang.deed;
export const pileName = lang.pile;

// Somebody in a sentence: how they are called there is the matter of the language.
export const person = (t, id) => ({
  isBank: id === 0,
  isMe: id !== 0 && id === t.me,
  name: t.users.get(id)?.name ?? lang.playerNumber(id),
});

export const who = (t, id) => lang.who(person(t, id));

export function cardText(card) {
  const [effect, ...numbers] = CARDS[card] ?? ["keep"];
  return lang.cards[effect](...numbers);
}

// --- the log ----------------------------------------------------------------------------------------------------------------

// These say why cash moves: the delta that follows is not told again.
const REASONS = ["SQUARE_GIVES_CASH", "SQUARE_TAKES_CASH", "CONSTRUCTION_TAKES_CASH", "DESTRUCTION_GIVES_CASH"];
let told = null;

function isTold({ from, to, cash }) {
  const known = told;
  told = null;
  const isSame = known && known.cash === cash && (known.player === from || known.player === to);
  return cash === 0 || (isSame && (from === 0 || to === 0));
}

// A line for the log, or "" if a message is not worth one. Ask after the mirror took it.
export function line(t, m) {
  if (t.dumping) return "";
  if (REASONS.includes(m.type)) told = { player: m.player, cash: m.cash };
  if (m.type === "DELTA_CASH" && isTold(m)) return "";
  return lang.lines[m.type]?.(m, (id) => person(t, id), m.type === "GOT_CARD" && cardText(m.card)) ?? "";
}

export const refusal = (m) => lang.refusals[m.type]?.(m, m.code !== undefined && nameOf(m.code)) ?? "";

// --- what is waited for -----------------------------------------------------------------------------------------------------

export function status(t) {
  const p = t.prompt;
  if (p.kind === "auction") return p.leader ? lang.status.bid(person(t, p.leader), p) : lang.status.noBid(p);
  if (p.kind === "idle") return t.players.length < 2 ? lang.status.needTwo : lang.status.idle;
  return lang.status[p.kind](person(t, p.player), p);
}

export function dealTitle(t, deal) {
  const other = person(t, deal.other);
  const isMine = deal.creditor === t.me;
  const titles = lang.dealTitles;
  switch (deal.kind) {
    case "rent":
      return (isMine ? titles.rentToMe : titles.rent)(other, deal.amount, deal.about);
    case "card":
      return (isMine ? titles.cardToMe : titles.card)(other, deal.amount);
    case "square":
      return titles.square(deal.amount, deal.about);
    case "bank":
      return deal.theirs.deeds.size ? titles.buy(deal.amount, [...deal.theirs.deeds]) : titles.bank(deal.amount);
    case "jail":
      return titles.bail(deal.amount);
    default:
      return titles.trade(other);
  }
}

// What it costs to land on a deed, in a line.
export function rentWords(deed) {
  const [, group, , , rents] = DEEDS[deed];
  if (group === 9) return [4, 10].map(lang.timesThrow).join(" · ");
  return (group === 8 ? [25, 50, 100, 200] : rents).map(dollars).join(" · ");
}
