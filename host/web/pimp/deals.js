// Deals on the screen: debts to pay, trades in three steps (set up, ready, agreed). Everything by buttons and fields.

import { confirm } from "../lib/dialog.js";
import { draft, dropDraft, h, submit } from "../lib/dom.js";
import { act, reason } from "../lib/fields.js";
import { GROUPS, DEEDS } from "./facts.js";
import { AGREED, FINISHED, SETUP, isDebt, level } from "./mirror.js";
import { buildings } from "./pieces.js";
import * as may from "./choices.js";
import { lang } from "./lang.js";
import { dealTitle, deedName, dollars, person } from "./words.js";

const letter = (deed) => ["ABCDEFGH", lang.railroadSign, lang.utilitySign].join("")[DEEDS[deed][1]];

export const deedTag = (deed) =>
  h("span", { class: `tag g${DEEDS[deed][1]}`, title: lang.groups[DEEDS[deed][1]] }, letter(deed));

function contents(t, side) {
  const things = [
    side.cash > 0 && h("li", { key: "cash" }, dollars(side.cash)),
    [...side.deeds].map((deed) =>
      h("li", { key: deed }, deedTag(deed), deedName(deed), t.deeds[deed].mortgaged && lang.mortgagedMark),
    ),
    [...side.cards].map((card) => h("li", { key: `c${card}` }, lang.bailCard(card))),
  ];
  return may.isEmpty(side) ? h("p", { class: "none" }, lang.nothing) : h("ul", { class: "things" }, things);
}

function side(t, deal, whose, title) {
  const { step } = deal[whose];
  return h(
    "div",
    { class: "side" },
    h("h4", {}, title, h("span", { class: `step s${step}` }, lang.steps[step])),
    contents(t, deal[whose]),
  );
}

// My side is being changed: it is not ready any more.
function edit(deal, session, command, what) {
  if (again.has(deal)) again.set(deal, false);
  return session.send(command, { transaction: deal.id, ...what });
}

const cashField = (deal) => `cash-${deal.id}`;

// Was the sum put in?
function putIn(t, deal, session, text) {
  const cash = Number(text);
  if (text === "" || !Number.isInteger(cash) || cash < 0 || cash > t.cash) {
    session.refused(lang.putInUpTo(t.cash));
    return false;
  }
  return edit(deal, session, "TRANSACTION_SET_CASH", { cash });
}

// What I put in: cash, deeds, cards.
function editor(t, deal, session) {
  const toggleDeed = (deed, there) =>
    edit(deal, session, there ? "TRANSACTION_REMOVE_PROPERTY" : "TRANSACTION_ADD_PROPERTY", { property: deed });
  const toggleCard = (card, there) =>
    edit(deal, session, there ? "TRANSACTION_REMOVE_CARD" : "TRANSACTION_ADD_CARD", { card });
  const id = cashField(deal);
  return h(
    "div",
    { class: "editor" },
    h(
      "form",
      { class: "row", onsubmit: submit((fields) => putIn(t, deal, session, fields[id].value)) },
      h("label", { for: id }, lang.yourCash),
      h("input", {
        id,
        name: id,
        type: "number",
        inputmode: "numeric",
        min: 0,
        max: t.cash,
        step: 1,
        value: deal.mine.cash,
      }),
      h("button", {}, lang.putIn),
    ),
    h(
      "div",
      { class: "chips", role: "group", "aria-label": lang.yourDeeds },
      t.deedsOf(t.me).map((deed) => {
        const there = deal.mine.deeds.has(deed);
        const why = there ? "" : may.offerRefusal(t, deed);
        return h(
          "button",
          {
            key: deed,
            "aria-pressed": String(there),
            disabled: why !== "",
            title: why,
            onclick: () => toggleDeed(deed, there),
          },
          deedTag(deed),
          deedName(deed),
          buildings(level(t.deeds[deed])),
          t.deeds[deed].mortgaged && lang.mortgagedShort,
        );
      }),
      t.cardsOf(t.me).map((card) => {
        const there = deal.mine.cards.has(card);
        return h(
          "button",
          { key: `c${card}`, "aria-pressed": String(there), onclick: () => toggleCard(card, there) },
          lang.bailCard(card),
        );
      }),
    ),
  );
}

const listed = (t, side) =>
  [
    side.cash > 0 && dollars(side.cash),
    ...[...side.deeds].map((deed) => deedName(deed) + (t.deeds[deed].mortgaged ? lang.mortgagedMark : "")),
    ...[...side.cards].map((card) => lang.aBailCard(card)),
  ]
    .filter(Boolean)
    .join(", ") || lang.nothing;

// Whose a deed would be.
function heir(t, deal, deed) {
  if (deal.mine.deeds.has(deed)) return deal.other;
  return deal.theirs.deeds.has(deed) ? t.me : t.deeds[deed].owner;
}

// What becomes of the colour groups: who would complete one, and who would give a whole one up.
function groupWords(t, deal) {
  const touched = new Set([...deal.mine.deeds, ...deal.theirs.deeds].map((deed) => DEEDS[deed][1]));
  return [...touched].flatMap((group) => {
    const [, deeds] = GROUPS[group];
    const before = t.groupOwner(group);
    const [after, ...others] = new Set(deeds.map((deed) => heir(t, deal, deed)));
    const owner = others.length === 0 ? after : 0;
    return [
      before && before !== owner && lang.noLongerOwns(person(t, before), lang.groups[group]),
      owner && before !== owner && lang.wouldOwn(person(t, owner), lang.groups[group]),
    ].filter(Boolean);
  });
}

// The deal in one sentence: what each gets, and what it does to colour groups.
export function dealWords(t, deal) {
  if (may.isEmpty(deal.mine) && may.isEmpty(deal.theirs)) return "";
  return lang.dealWords(person(t, deal.other), listed(t, deal.theirs), listed(t, deal.mine), groupWords(t, deal));
}

// What the other side gave when "Agree" could be pressed: whoever agrees, agrees to that. A deal -> words.
const shown = new WeakMap();

// What has changed since then, in words.
function change(t, deal) {
  const now = listed(t, deal.theirs);
  if (deal.mine.step === SETUP) shown.delete(deal);
  else if (deal.theirs.step >= FINISHED && !shown.has(deal)) shown.set(deal, now);
  const then = shown.get(deal) ?? now;
  return then === now ? "" : lang.changedOffer(person(t, deal.other), now, then);
}

// Deals in which my side was ready before: whether it was said to be so again. The server waits with that for a moment, so
// that nobody agrees to what was shown before the change (pimp 16.1.10).
const again = new WeakMap();

function steps(t, deal, session) {
  const x = { transaction: deal.id };
  const changed = change(t, deal);
  if (deal.mine.step !== SETUP) again.set(deal, false);
  const unready = may.agreeRefusal(t, deal);
  const ready = () => {
    // What stands in the field is meant, whether or not it was put in before.
    const sum = draft(cashField(deal));
    if (sum !== undefined && !putIn(t, deal, session, sum)) return;
    dropDraft(cashField(deal));
    if (session.send("TRANSACTION_FINISH", x) && again.has(deal)) again.set(deal, true);
    session.changed();
  };
  const see = () => {
    shown.set(deal, listed(t, deal.theirs));
    session.changed();
  };
  return [
    changed && h("p", { class: "notice", role: "alert" }, changed, h("button", { onclick: see }, lang.seenIt)),
    h(
      "div",
      { class: "row" },
      deal.mine.step === SETUP
        ? h("button", { class: "primary", onclick: ready }, lang.sideReady)
        : h("button", { onclick: () => session.send("TRANSACTION_REOPEN", x) }, lang.changeSide),
      act(lang.agree, unready || changed, () => session.send("TRANSACTION_AGREE", x), {
        class: deal.mine.step === FINISHED ? "primary" : "",
      }),
      may.mayCancel(deal) &&
        h(
          "button",
          { class: "danger", onclick: () => session.send("TRANSACTION_CANCEL", x) },
          isRent(deal) ? lang.waive : lang.callOff,
        ),
    ),
    reason(
      deal.mine.step === AGREED
        ? lang.agreedWaiting(person(t, deal.other))
        : deal.mine.step === FINISHED
          ? unready
          : again.get(deal) && deal.theirs.step !== SETUP
            ? lang.looksFirst(person(t, deal.other))
            : "",
    ),
  ];
}

const isRent = (deal) => deal.kind === "rent" || deal.kind === "card";

function debt(t, deal, session) {
  const card = deal.kind === "jail" ? may.jailCard(t) : undefined;
  const why = may.payRefusal(t, deal);
  const bankrupt = may.bankruptRefusal(t, deal);
  const goBankrupt = () =>
    confirm(
      lang.bankruptAsk,
      lang.bankruptAll(person(t, deal.other)),
      lang.bankruptYes,
      () => session.send("BANKRUPT_TRANSACTION", { transaction: deal.id }),
    );
  return [
    h(
      "div",
      { class: "row" },
      act(lang.pay(deal.amount), why, () => session.sendAll(may.payment(t, deal)), { class: "primary" }),
      card !== undefined &&
        h(
          "button",
          { class: "primary", onclick: () => session.sendAll(may.paymentByCard(deal, card)) },
          lang.payCard,
        ),
      act(lang.goBankrupt, bankrupt, goBankrupt, { class: "danger" }),
    ),
    reason(why || ""),
    why && reason(bankrupt === "" ? lang.bankruptWay : ""),
    deal.other !== 0 &&
      h(
        "details",
        { key: "other" },
        h("summary", {}, lang.payOther),
        h("p", { class: "why" }, lang.mustAgree(person(t, deal.other))),
        side(t, deal, "mine", lang.youGive),
        side(t, deal, "theirs", lang.youGet),
        editor(t, deal, session),
        steps(t, deal, session),
      ),
  ];
}

export function dealCard(t, deal, session) {
  const owing = isDebt(deal);
  const mustPay = t.prompt.kind === "waiting" && t.prompt.transaction === deal.id;
  const body = owing
    ? debt(t, deal, session)
    : [
        h("div", { class: "sides" }, side(t, deal, "mine", lang.youGive), side(t, deal, "theirs", lang.gives(person(t, deal.other)))),
        deal.kind === "trade" && reason(dealWords(t, deal)),
        isRent(deal)
          ? h(
              "details",
              {},
              h("summary", {}, lang.settleOther),
              editor(t, deal, session),
              steps(t, deal, session),
            )
          : editor(t, deal, session),
        isRent(deal)
          ? h(
              "div",
              { class: "row" },
              h(
                "button",
                { class: "danger", onclick: () => session.send("TRANSACTION_CANCEL", { transaction: deal.id }) },
                lang.waive,
              ),
            )
          : steps(t, deal, session),
      ];
  return h(
    "article",
    { key: deal.id, class: `deal${owing ? " owing" : ""}${mustPay ? " held" : ""}`, "aria-label": dealTitle(t, deal) },
    h("h3", {}, dealTitle(t, deal), h("small", {}, lang.dealNumber(deal.id))),
    deal.unusual &&
      !(owing && may.isEmpty(deal.mine)) &&
      h("p", { class: "why" }, lang.notPlain),
    body,
  );
}
