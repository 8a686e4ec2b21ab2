// What stands beside the board: what can be done now, who plays, what I own.

import { chart } from "../lib/chart.js";
import { confirm } from "../lib/dialog.js";
import { h, submit } from "../lib/dom.js";
import { act, reason } from "../lib/fields.js";
import { BAIL, INCOME_TAX } from "./facts.js";
import { isDebt, level } from "./mirror.js";
import * as may from "./choices.js";
import { dealCard, deedTag } from "./deals.js";
import { deedDialog, works } from "./deeds.js";
import { lang } from "./lang.js";
import { buildings, chip, colour } from "./pieces.js";
import { claimMessage } from "./session.js";
import { dealTitle, deedName, dollars, person, squareName, status, who } from "./words.js";

const say = (session, type, fields) => () => session.send(type, fields);

// --- now --------------------------------------------------------------------------------------------------------------------

function throwing(t, session, type, label) {
  const debt = t.openDeals.find((deal) => deal.kind !== "trade" && deal.other !== 0 && deal.creditor === deal.other);
  const why = debt ? lang.oweFirst(person(t, debt.other), debt.amount) : "";
  // Where a debt blocks a throw, none is offered.
  const isBlocked = why && session.rules?.debt_blocks_roll;
  return [act(label, isBlocked ? why : "", say(session, type), { class: "primary", key: label }), reason(why)];
}

function bidding(t, session) {
  const { leader, bid, passed, deed } = t.prompt;
  const send = (amount) => {
    const why = may.bidRefusal(t, amount);
    if (why) session.refused(why);
    return !why && session.send("BID", { cash: amount });
  };
  const name = `bid-${deed}`;
  const lead = leader === t.me;
  return [
    h(
      "ul",
      { class: "bidders", "aria-label": lang.bidders },
      t.players.map((player) =>
        h(
          "li",
          { key: player.id, class: player.id === leader ? "leads" : "" },
          chip(player.id, player.piece),
          h("span", {}, who(t, player.id)),
          h("b", {}, player.id === leader ? dollars(bid) : passed.has(player.id) ? lang.passed : lang.thinking),
        ),
      ),
    ),
    t.isPlaying && [
      lead
        ? reason(lang.youLeadWait)
        : h(
            "form",
            { class: "row", key: name, onsubmit: submit((fields) => send(Number(fields[name].value))) },
            h("label", { for: "bid" }, lang.yourBid),
            h("input", {
              id: "bid",
              name,
              type: "number",
              inputmode: "numeric",
              min: bid + 1,
              max: t.worth(t.me),
              step: 1,
              value: Math.min(bid + 10, t.worth(t.me)),
            }),
            h("button", { class: "primary" }, lang.bid),
          ),
      h(
        "div",
        // Other buttons for another deed.
        { class: "row", key: deed },
        !lead &&
          [1, 10, 50].map((more) =>
            act(dollars(bid + more), may.bidRefusal(t, bid + more), () => send(bid + more), {
              "aria-label": lang.bidDollars(bid + more),
            }),
          ),
        act(
          lang.pass,
          lead ? lang.youLeadNow : passed.has(t.me) ? lang.youPassed : "",
          say(session, "NO_BID"),
        ),
      ),
      !lead && passed.has(t.me) && reason(lang.youPassed),
    ],
  ];
}

function choices(t, session) {
  const p = t.prompt;
  if (p.kind === "auction") return bidding(t, session);
  if (!t.isPlaying || p.player !== t.me) return null;
  switch (p.kind) {
    case "start":
      return p.mayThrow ? throwing(t, session, "THROW_DICE", lang.throwDice) : null;
    case "again":
      return throwing(t, session, "THROW_DICE", lang.throwAgain);
    case "jail":
      return [
        p.rolls > 0
          ? throwing(t, session, "JAIL_ROLL_DICE", lang.tryDouble(p.rolls))
          : reason(lang.noThrows),
        h(
          "button",
          { class: p.rolls > 0 ? "" : "primary", onclick: say(session, "JAIL_PAY_BAIL") },
          may.jailCard(t) === undefined ? lang.payBail(BAIL) : lang.payBailOrCard(BAIL),
        ),
      ];
    case "sale": {
      const why = may.buyRefusal(t, p.deed, p.price);
      return [
        act(lang.buyFor(p.price), why, say(session, "BUY_PROPERTY"), { class: "primary" }),
        h("button", { onclick: say(session, "AUCTION_PROPERTY") }, lang.auctionIt),
        reason(why),
      ];
    }
    case "tax": {
      const tenth = Math.floor(t.total(t.me) / 10);
      const flat = INCOME_TAX <= tenth;
      return [
        h(
          "button",
          { class: flat ? "primary" : "", onclick: say(session, "TAX_PAY_FLAT_FEE") },
          lang.pay(INCOME_TAX),
        ),
        h(
          "button",
          { class: flat ? "" : "primary", onclick: say(session, "TAX_PAY_TEN_PERCENT") },
          lang.payTenth(tenth),
        ),
      ];
    }
    case "card":
      return [
        h("button", { class: "primary", onclick: say(session, "CARD_SELECT_COLLECT") }, lang.takeMoney),
        h("button", { onclick: say(session, "CARD_SELECT_RETRY") }, lang.tryAnotherCard),
      ];
    default:
      return null;
  }
}

const claimText = (t, claim) =>
  claim.player === undefined
    ? lang.claimRent(person(t, claim.debtor), claim.deed)
    : lang.claimSalary;

// Debts that do not hold up the game, but their debtor: never out of sight.
function owing(t, session, held) {
  return t.openDeals
    .filter((deal) => isDebt(deal) && deal !== held)
    .map((deal) =>
      h(
        "div",
        { class: "vote", key: `owe${deal.id}` },
        h("p", {}, dealTitle(t, deal)),
        act(lang.pay(deal.amount), may.payRefusal(t, deal), () => session.sendAll(may.payment(t, deal)), {
          class: "primary",
        }),
        reason(may.payRefusal(t, deal) && lang.seeDeal),
      ),
    );
}

// Who is gone, and what the table can do about it.
function missing(t, session, ui) {
  const gone = t.players.filter((user) => user.id !== t.me && t.dead.has(user.id));
  const way = (name) => {
    const user = gone.find((one) => one.name === name);
    return may.mayKick(t, user.id)
      ? h("button", { onclick: () => kick(t, session, user) }, lang.voteOutName(name))
      : h("p", { class: "why" }, lang.voteLater);
  };
  return ui.missing(gone.map(({ name }) => name), way);
}

// --- the end ----------------------------------------------------------------------------------------------------------------

function theEnd(t, session) {
  const rows = session.story.standings(t);
  const players = rows.map(({ id, name, worth }) => ({ id, name, value: worth, props: { style: { "--c": colour(id) } } }));
  const cell = (text) => h("td", {}, text);
  return h(
    "section",
    { key: "end", class: "replay", "aria-label": lang.howItWent },
    h(
      "table",
      { class: "standings" },
      h("thead", {}, h("tr", {}, lang.standings.map((text) => h("th", { key: text, scope: "col" }, text)))),
      h(
        "tbody",
        {},
        rows.map(({ id, name, worth, rents, luck }) =>
          h("tr", { key: id }, h("th", { scope: "row" }, name), cell(dollars(worth)), cell(dollars(rents)), cell(luck ? luck.toFixed(1) : "–")),
        ),
      ),
    ),
    h("p", { class: "why" }, lang.standingsAbout),
    chart(lang.worth, session.story.worths, players),
    h("button", { class: "primary", onclick: () => session.rematch() }, lang.playAgain),
  );
}

function vote(t, session) {
  const { candidate, name, play } = t.vote;
  return h(
    "div",
    // Who asks next is somebody else: "Let in" means who stood there.
    { class: "vote", key: `vote${candidate}` },
    h("p", {}, lang.asksTo(name, play)),
    h(
      "div",
      { class: "row" },
      h("button", { class: "primary", onclick: say(session, "ACCEPT_JOIN", { candidate }) }, lang.letIn),
      h("button", { onclick: say(session, "REFUSE_JOIN", { candidate }) }, lang.refuse),
    ),
  );
}

export function actions(session, ui) {
  const t = session.mirror;
  const over = t.prompt.kind === "over";
  const pressing = t.prompt.kind === "waiting" && t.prompt.player === t.me ? t.deals.get(t.prompt.transaction) : null;
  const mine = t.prompt.player === t.me && t.isPlaying;
  return [
    h("p", { class: `status${mine ? " mine" : ""}`, id: "status" }, status(t)),
    over && theEnd(t, session),
    session.isAway &&
      h(
        "div",
        { class: "vote", key: "away" },
        h("p", {}, lang.youAreAway),
        h("button", { onclick: say(session, "REQUEST_STATE") }, lang.imBack),
      ),
    h("div", { class: "row", key: "choices" }, choices(t, session)),
    pressing && dealCard(t, pressing, session),
    owing(t, session, pressing),
    may
      .myClaims(t)
      .map((claim) =>
        h(
          "button",
          { key: `claim${claim.number}`, class: "claim", onclick: () => session.send(...claimMessage(claim)) },
          claimText(t, claim),
        ),
      ),
    !t.isPlaying &&
      !over &&
      (t.pending
        ? reason(lang.youAsked)
        : h("button", { key: "play", onclick: say(session, "SWITCH_PLAY") }, lang.askToPlay)),
    // Below what is asked of this player: whoever comes or goes moves nothing that is about to be pressed.
    !over && missing(t, session, ui),
    t.vote && !over && vote(t, session),
  ];
}

// --- who plays ----------------------------------------------------------------------------------------------------------------

function kick(t, session, user) {
  confirm(
    lang.voteAgainst(user.name),
    lang.voteAbout,
    lang.voteYes,
    () => session.send("KICK", { player: user.id }),
  );
}

function player(session, user) {
  const t = session.mirror;
  const deeds = t.deedsOf(user.id);
  const turn = t.turn === user.id;
  return h(
    "li",
    { key: user.id, class: `player${turn ? " turn" : ""}` },
    h(
      "div",
      { class: "row" },
      chip(user.id, user.piece),
      h("b", { class: "name" }, user.name, user.id === t.me && lang.you),
      h("span", { class: "cash" }, dollars(user.cash)),
    ),
    h(
      "p",
      { class: "about" },
      [
        turn && lang.hasTurn,
        user.jail > 0 && lang.inJail,
        t.dead.has(user.id) && lang.notReachable,
        t.cardsOf(user.id).length > 0 && lang.bailCards(t.cardsOf(user.id).length),
      ]
        .filter(Boolean)
        .join(" · ") || squareName(user.square),
    ),
    deeds.length > 0 &&
      h(
        "ul",
        { class: "tags", "aria-label": lang.deedsOf(user.name) },
        deeds.map((deed) =>
          h(
            "li",
            { key: deed },
            h(
              "button",
              {
                class: t.deeds[deed].mortgaged ? "m" : "",
                title: deedName(deed),
                "aria-label": t.deeds[deed].mortgaged ? lang.deedMortgaged(deedName(deed)) : deedName(deed),
                onclick: () => deedDialog(session, deed),
              },
              deedTag(deed),
              buildings(level(t.deeds[deed])),
              t.deeds[deed].mortgaged && h("small", {}, lang.mortgageSign),
            ),
          ),
        ),
      ),
    user.id !== t.me &&
      t.isPlaying &&
      t.prompt.kind !== "idle" &&
      t.prompt.kind !== "over" &&
      h(
        "div",
        { class: "row small" },
        h(
          "button",
          { onclick: () => session.send("TRANSACTION_REQUEST_TRADE", { player: user.id }) },
          lang.tradeWith(user.name),
        ),
        may.mayKick(t, user.id) && h("button", { onclick: () => kick(t, session, user) }, lang.voteOut),
      ),
  );
}

export function players(session, addBot) {
  const t = session.mirror;
  const watchers = t.everybody.filter((user) => !user.playing);
  return [
    h("h2", {}, lang.players),
    h(
      "ul",
      { class: "players" },
      t.players.map((user) => player(session, user)),
    ),
    watchers.length > 0 &&
      h(
        "p",
        { class: "about" },
        lang.watchingAre(watchers.map((user) => user.name + (user.id === t.me ? lang.you : ""))),
      ),
    addBot && t.prompt.kind !== "over" && t.players.length < 8 && h("button", { onclick: addBot }, lang.addBot),
  ];
}

// --- what I own -----------------------------------------------------------------------------------------------------------------

export function mine(session) {
  const t = session.mirror;
  const deeds = t.deedsOf(t.me);
  const cards = t.cardsOf(t.me);
  return [
    h("h2", {}, lang.yours, h("small", {}, lang.cashAndWorth(t.cash, t.worth(t.me)))),
    deeds.length + cards.length === 0 && h("p", { class: "none" }, lang.noDeeds),
    h(
      "ul",
      { class: "mine" },
      deeds.map((deed) =>
        h(
          "li",
          { key: deed },
          h(
            "button",
            { class: "deedname", onclick: () => deedDialog(session, deed) },
            deedTag(deed),
            deedName(deed),
            buildings(level(t.deeds[deed])),
            t.deeds[deed].mortgaged && h("small", {}, lang.mortgagedNote),
          ),
          works(session, deed),
        ),
      ),
      cards.map((card) => h("li", { key: `c${card}` }, lang.cardThatPays(card))),
    ),
  ];
}

export function deals(session) {
  const t = session.mirror;
  const held = t.prompt.kind === "waiting" && t.prompt.player === t.me ? t.prompt.transaction : 0;
  const open = t.openDeals.filter((deal) => deal.id !== held);
  const others = t.players.filter((user) => user.id !== t.me);
  return [
    h("h2", {}, lang.deals),
    open.map((deal) => dealCard(t, deal, session)),
    open.length === 0 && h("p", { class: "none" }, held ? lang.openAbove : lang.noDeals),
    t.isPlaying &&
      t.prompt.kind !== "idle" &&
      t.prompt.kind !== "over" &&
      h(
        "div",
        { class: "row" },
        others.map((user) =>
          h(
            "button",
            { key: user.id, onclick: () => session.send("TRANSACTION_REQUEST_TRADE", { player: user.id }) },
            lang.tradeWith(user.name),
          ),
        ),
      ),
  ];
}
