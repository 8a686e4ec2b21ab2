// Deals on the screen: debts to pay, trades in three steps (set up, ready, agreed). Everything by buttons and fields.

import { confirm } from "../lib/dialog.js";
import { draft, dropDraft, h, submit } from "../lib/dom.js";
import { act, reason } from "../lib/fields.js";
import { GROUPS, DEEDS } from "./facts.js";
import { AGREED, FINISHED, SETUP, isDebt, level } from "./mirror.js";
import { buildings } from "./pieces.js";
import * as may from "./choices.js";
import { dealTitle, deedName, dollars, pileName, who } from "./words.js";

const STEPS = { [SETUP]: "setting up", [FINISHED]: "ready", [AGREED]: "agreed" };

const letter = (deed) => "ABCDEFGHRU"[DEEDS[deed][1]];

export const deedTag = (deed) =>
  h("span", { class: `tag g${DEEDS[deed][1]}`, title: GROUPS[DEEDS[deed][1]][0] }, letter(deed));

function contents(t, side) {
  const things = [
    side.cash > 0 && h("li", { key: "cash" }, dollars(side.cash)),
    [...side.deeds].map((deed) =>
      h("li", { key: deed }, deedTag(deed), deedName(deed), t.deeds[deed].mortgaged && " (mortgaged)"),
    ),
    [...side.cards].map((card) => h("li", { key: `c${card}` }, `Bail card (${pileName(card)})`)),
  ];
  return may.isEmpty(side) ? h("p", { class: "none" }, "nothing") : h("ul", { class: "things" }, things);
}

function side(t, deal, whose, title) {
  const { step } = deal[whose];
  return h(
    "div",
    { class: "side" },
    h("h4", {}, title, h("span", { class: `step s${step}` }, STEPS[step])),
    contents(t, deal[whose]),
  );
}

const cashField = (deal) => `cash-${deal.id}`;

// Was the sum put in?
function putIn(t, deal, session, text) {
  const cash = Number(text);
  if (text === "" || !Number.isInteger(cash) || cash < 0 || cash > t.cash) {
    session.refused(`You can put in up to ${dollars(t.cash)}.`);
    return false;
  }
  return session.send("TRANSACTION_SET_CASH", { transaction: deal.id, cash });
}

// What I put in: cash, deeds, cards.
function editor(t, deal, session) {
  const x = { transaction: deal.id };
  const toggleDeed = (deed, there) =>
    session.send(there ? "TRANSACTION_REMOVE_PROPERTY" : "TRANSACTION_ADD_PROPERTY", { ...x, property: deed });
  const toggleCard = (card, there) =>
    session.send(there ? "TRANSACTION_REMOVE_CARD" : "TRANSACTION_ADD_CARD", { ...x, card });
  const id = cashField(deal);
  return h(
    "div",
    { class: "editor" },
    h(
      "form",
      { class: "row", onsubmit: submit((fields) => putIn(t, deal, session, fields[id].value)) },
      h("label", { for: id }, "Your cash"),
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
      h("button", {}, "Put in"),
    ),
    h(
      "div",
      { class: "chips", role: "group", "aria-label": "Your deeds and cards" },
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
          t.deeds[deed].mortgaged && " (m)",
        );
      }),
      t.cardsOf(t.me).map((card) => {
        const there = deal.mine.cards.has(card);
        return h(
          "button",
          { key: `c${card}`, "aria-pressed": String(there), onclick: () => toggleCard(card, there) },
          `Bail card (${pileName(card)})`,
        );
      }),
    ),
  );
}

const listed = (t, side) =>
  [
    side.cash > 0 && dollars(side.cash),
    ...[...side.deeds].map((deed) => deedName(deed) + (t.deeds[deed].mortgaged ? " (mortgaged)" : "")),
    ...[...side.cards].map((card) => `a bail card (${pileName(card)})`),
  ]
    .filter(Boolean)
    .join(", ") || "nothing";

// Whose a deed would be.
function heir(t, deal, deed) {
  if (deal.mine.deeds.has(deed)) return deal.other;
  return deal.theirs.deeds.has(deed) ? t.me : t.deeds[deed].owner;
}

// What becomes of the colour groups: who would complete one, and who would give a whole one up.
function groupWords(t, deal) {
  const touched = new Set([...deal.mine.deeds, ...deal.theirs.deeds].map((deed) => DEEDS[deed][1]));
  return [...touched].flatMap((group) => {
    const [name, deeds] = GROUPS[group];
    const before = t.groupOwner(group);
    const [after, ...others] = new Set(deeds.map((deed) => heir(t, deal, deed)));
    const owner = others.length === 0 ? after : 0;
    const all = `all of ${name}`;
    return [
      before && before !== owner && `${who(t, before)} would no longer own ${all}`,
      owner && before !== owner && `${who(t, owner)} would own ${all}`,
    ].filter(Boolean);
  });
}

// The deal in one sentence: what each gets, and what it does to colour groups.
export function dealWords(t, deal) {
  if (may.isEmpty(deal.mine) && may.isEmpty(deal.theirs)) return "";
  const parts = [`You get ${listed(t, deal.theirs)}, ${who(t, deal.other)} gets ${listed(t, deal.mine)}`];
  return `${[...parts, ...groupWords(t, deal)].join("; ")}.`;
}

// What the other side gave when "Agree" could be pressed: whoever agrees, agrees to that. A deal -> words.
const shown = new WeakMap();

// What has changed since then, in words.
function change(t, deal) {
  const now = listed(t, deal.theirs);
  if (deal.mine.step === SETUP) shown.delete(deal);
  else if (deal.theirs.step >= FINISHED && !shown.has(deal)) shown.set(deal, now);
  const then = shown.get(deal) ?? now;
  return then === now ? "" : `${who(t, deal.other)} has changed the offer: ${now} instead of ${then}.`;
}

function steps(t, deal, session) {
  const x = { transaction: deal.id };
  const changed = change(t, deal);
  const unready = may.agreeRefusal(t, deal);
  const ready = () => {
    // What stands in the field is meant, whether or not it was put in before.
    const sum = draft(cashField(deal));
    if (sum !== undefined && !putIn(t, deal, session, sum)) return;
    dropDraft(cashField(deal));
    session.send("TRANSACTION_FINISH", x);
  };
  const see = () => {
    shown.set(deal, listed(t, deal.theirs));
    session.changed();
  };
  return [
    changed && h("p", { class: "notice", role: "alert" }, changed, h("button", { onclick: see }, "I have seen it")),
    h(
      "div",
      { class: "row" },
      deal.mine.step === SETUP
        ? h("button", { class: "primary", onclick: ready }, "My side is ready")
        : h("button", { onclick: () => session.send("TRANSACTION_REOPEN", x) }, "Change my side"),
      act("Agree", unready || changed, () => session.send("TRANSACTION_AGREE", x), {
        class: deal.mine.step === FINISHED ? "primary" : "",
      }),
      may.mayCancel(deal) &&
        h(
          "button",
          { class: "danger", onclick: () => session.send("TRANSACTION_CANCEL", x) },
          isRent(deal) ? "Waive it" : "Call it off",
        ),
    ),
    reason(
      deal.mine.step === AGREED
        ? `You have agreed. Waiting for ${who(t, deal.other)}.`
        : deal.mine.step === FINISHED
          ? unready
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
      "Bankrupt?",
      `Everything you own goes to ${who(t, deal.other)}, and you only watch from then on.`,
      "Yes, I am bankrupt",
      () => session.send("BANKRUPT_TRANSACTION", { transaction: deal.id }),
    );
  return [
    h(
      "div",
      { class: "row" },
      act(`Pay ${dollars(deal.amount)}`, why, () => session.sendAll(may.payment(t, deal)), { class: "primary" }),
      card !== undefined &&
        h(
          "button",
          { class: "primary", onclick: () => session.sendAll(may.paymentByCard(deal, card)) },
          "Pay with the card",
        ),
      act("Go bankrupt", bankrupt, goBankrupt, { class: "danger" }),
    ),
    reason(why || ""),
    why && reason(bankrupt === "" ? "All you own is not enough: bankruptcy is the way out." : ""),
    deal.other !== 0 &&
      h(
        "details",
        { key: "other" },
        h("summary", {}, "Pay with something else"),
        h("p", { class: "why" }, `${who(t, deal.other)} must agree to anything but the plain sum.`),
        side(t, deal, "mine", "You give"),
        side(t, deal, "theirs", "You get"),
        editor(t, deal, session),
        steps(t, deal, session),
      ),
  ];
}

export function dealCard(t, deal, session) {
  const owing = isDebt(deal);
  const other = who(t, deal.other);
  const mustPay = t.prompt.kind === "waiting" && t.prompt.transaction === deal.id;
  const body = owing
    ? debt(t, deal, session)
    : [
        h("div", { class: "sides" }, side(t, deal, "mine", "You give"), side(t, deal, "theirs", `${other} gives`)),
        deal.kind === "trade" && reason(dealWords(t, deal)),
        isRent(deal)
          ? h(
              "details",
              {},
              h("summary", {}, "Settle it another way"),
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
                "Waive it",
              ),
            )
          : steps(t, deal, session),
      ];
  return h(
    "article",
    { key: deal.id, class: `deal${owing ? " owing" : ""}${mustPay ? " held" : ""}`, "aria-label": dealTitle(t, deal) },
    h("h3", {}, dealTitle(t, deal), h("small", {}, `deal ${deal.id}`)),
    deal.unusual &&
      !(owing && may.isEmpty(deal.mine)) &&
      h("p", { class: "why" }, "This is not the plain payment: both sides must agree."),
    body,
  );
}
