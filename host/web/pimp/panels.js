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
import { buildings, chip, colour } from "./pieces.js";
import { claimMessage } from "./session.js";
import { dealTitle, deedName, dollars, pileName, squareName, status, who } from "./words.js";

const say = (session, type, fields) => () => session.send(type, fields);

// --- now --------------------------------------------------------------------------------------------------------------------

function throwing(t, session, type, label) {
  const debt = t.openDeals.find((deal) => deal.kind !== "trade" && deal.other !== 0 && deal.creditor === deal.other);
  const why = debt ? `You owe ${who(t, debt.other)} ${dollars(debt.amount)}: pay before you throw.` : "";
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
      { class: "bidders", "aria-label": "Bidders" },
      t.players.map((player) =>
        h(
          "li",
          { key: player.id, class: player.id === leader ? "leads" : "" },
          chip(player.id, player.piece),
          h("span", {}, who(t, player.id)),
          h("b", {}, player.id === leader ? dollars(bid) : passed.has(player.id) ? "passed" : "thinking"),
        ),
      ),
    ),
    t.isPlaying && [
      lead
        ? reason("You lead: wait for the others.")
        : h(
            "form",
            { class: "row", key: name, onsubmit: submit((fields) => send(Number(fields[name].value))) },
            h("label", { for: "bid" }, "Your bid"),
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
            h("button", { class: "primary" }, "Bid"),
          ),
      h(
        "div",
        { class: "row" },
        !lead &&
          [1, 10, 50].map((more) =>
            act(dollars(bid + more), may.bidRefusal(t, bid + more), () => send(bid + more), {
              "aria-label": `Bid ${bid + more} dollars`,
            }),
          ),
        act(
          "Pass",
          lead ? "You lead." : passed.has(t.me) ? "You have passed; you may still bid." : "",
          say(session, "NO_BID"),
        ),
      ),
      !lead && passed.has(t.me) && reason("You have passed; you may still bid."),
    ],
  ];
}

function choices(t, session) {
  const p = t.prompt;
  if (p.kind === "auction") return bidding(t, session);
  if (!t.isPlaying || p.player !== t.me) return null;
  switch (p.kind) {
    case "start":
      return p.mayThrow ? throwing(t, session, "THROW_DICE", "Throw the dice") : null;
    case "again":
      return throwing(t, session, "THROW_DICE", "Throw again");
    case "jail":
      return [
        p.rolls > 0
          ? throwing(t, session, "JAIL_ROLL_DICE", `Try for a double (${p.rolls} left)`)
          : reason("No throws left: pay the bail."),
        h(
          "button",
          { class: p.rolls > 0 ? "" : "primary", onclick: say(session, "JAIL_PAY_BAIL") },
          may.jailCard(t) === undefined ? `Pay ${dollars(BAIL)} bail` : `Pay ${dollars(BAIL)} bail or use the card`,
        ),
      ];
    case "sale": {
      const why =
        t.cash >= p.price
          ? ""
          : `You have ${dollars(t.cash)}: raise ${dollars(p.price - t.cash)} more, or let it be auctioned.`;
      return [
        act(`Buy for ${dollars(p.price)}`, why, say(session, "BUY_PROPERTY"), { class: "primary" }),
        h("button", { onclick: say(session, "AUCTION_PROPERTY") }, "Auction it"),
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
          `Pay ${dollars(INCOME_TAX)}`,
        ),
        h(
          "button",
          { class: flat ? "" : "primary", onclick: say(session, "TAX_PAY_TEN_PERCENT") },
          `Pay a tenth: ${dollars(tenth)}`,
        ),
      ];
    }
    case "card":
      return [
        h("button", { class: "primary", onclick: say(session, "CARD_SELECT_COLLECT") }, "Take the money"),
        h("button", { onclick: say(session, "CARD_SELECT_RETRY") }, "Try another card"),
      ];
    default:
      return null;
  }
}

const claimText = (t, claim) =>
  claim.player === undefined
    ? `Claim rent from ${who(t, claim.debtor)} for ${deedName(claim.deed)}`
    : "Claim your salary";

// Debts that do not hold up the game, but their debtor: never out of sight.
function owing(t, session, held) {
  return t.openDeals
    .filter((deal) => isDebt(deal) && deal !== held)
    .map((deal) =>
      h(
        "div",
        { class: "vote", key: `owe${deal.id}` },
        h("p", {}, dealTitle(t, deal)),
        act(`Pay ${dollars(deal.amount)}`, may.payRefusal(t, deal), () => session.sendAll(may.payment(t, deal)), {
          class: "primary",
        }),
        reason(may.payRefusal(t, deal) && "See the deal for the ways out."),
      ),
    );
}

// Who is gone, and what the table can do about it.
function missing(t, session) {
  if (t.prompt.kind === "over") return null;
  return t.players
    .filter((user) => user.id !== t.me && t.dead.has(user.id))
    .map((user) =>
      h(
        "div",
        { class: "vote", key: `gone${user.id}`, role: "status" },
        h("p", {}, `${user.name} is gone. The seat is kept: with the same browser ${user.name} can come back.`),
        may.mayKick(t, user.id)
          ? h("button", { onclick: () => kick(t, session, user) }, `Vote ${user.name} out`)
          : h("p", { class: "why" }, "When the game waits for that seat, you can vote to go on without it."),
      ),
    );
}

// --- the end ----------------------------------------------------------------------------------------------------------------

function theEnd(t, session) {
  const rows = session.story.standings(t);
  const players = rows.map(({ id, name, worth }) => ({ id, name, value: worth, props: { style: { "--c": colour(id) } } }));
  const cell = (text) => h("td", {}, text);
  return h(
    "section",
    { key: "end", class: "replay", "aria-label": "How it went" },
    h(
      "table",
      { class: "standings" },
      h("thead", {}, h("tr", {}, ["", "worth", "rents", "dice"].map((text) => h("th", { key: text, scope: "col" }, text)))),
      h(
        "tbody",
        {},
        rows.map(({ id, name, worth, rents, luck }) =>
          h("tr", { key: id }, h("th", { scope: "row" }, name), cell(dollars(worth)), cell(dollars(rents)), cell(luck ? luck.toFixed(1) : "–")),
        ),
      ),
    ),
    h("p", { class: "why" }, "Dice: what was thrown on average; 7 is what everybody may expect. Choose a line of the log to see the board as it was."),
    chart("Worth", session.story.worths, players),
    h("button", { class: "primary", onclick: () => session.rematch() }, "Play again"),
  );
}

function vote(t, session) {
  const { candidate, name, play } = t.vote;
  return h(
    "div",
    { class: "vote", key: "vote" },
    h("p", {}, `${name} asks to ${play ? "play" : "watch"}.`),
    h(
      "div",
      { class: "row" },
      h("button", { class: "primary", onclick: say(session, "ACCEPT_JOIN", { candidate }) }, "Let in"),
      h("button", { onclick: say(session, "REFUSE_JOIN", { candidate }) }, "Refuse"),
    ),
  );
}

export function actions(session) {
  const t = session.mirror;
  const over = t.prompt.kind === "over";
  const pressing = t.prompt.kind === "waiting" && t.prompt.player === t.me ? t.deals.get(t.prompt.transaction) : null;
  const mine = t.prompt.player === t.me && t.isPlaying;
  return [
    h("p", { class: `status${mine ? " mine" : ""}`, id: "status" }, status(t)),
    over && theEnd(t, session),
    missing(t, session),
    session.isAway &&
      h(
        "div",
        { class: "vote", key: "away" },
        h("p", {}, "You are away: others decide without you."),
        h("button", { onclick: say(session, "REQUEST_STATE") }, "I'm back"),
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
        ? reason("You asked to play: the others vote.")
        : h("button", { key: "play", onclick: say(session, "SWITCH_PLAY") }, "Ask to play")),
    // Below what is asked of this player: a stranger who comes moves nothing that is about to be pressed.
    t.vote && !over && vote(t, session),
  ];
}

// --- who plays ----------------------------------------------------------------------------------------------------------------

function kick(t, session, user) {
  confirm(
    `Vote against ${user.name}?`,
    "When most of those present agree, the player is put out of the game and all goes to the bank.",
    "Vote to remove",
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
      h("b", { class: "name" }, user.name, user.id === t.me && " (you)"),
      h("span", { class: "cash" }, dollars(user.cash)),
    ),
    h(
      "p",
      { class: "about" },
      [
        turn && "has the turn",
        user.jail > 0 && "in jail",
        t.dead.has(user.id) && "not reachable",
        t.cardsOf(user.id).length > 0 && `${t.cardsOf(user.id).length} bail card`,
      ]
        .filter(Boolean)
        .join(" · ") || squareName(user.square),
    ),
    deeds.length > 0 &&
      h(
        "ul",
        { class: "tags", "aria-label": `Deeds of ${user.name}` },
        deeds.map((deed) =>
          h(
            "li",
            { key: deed },
            h(
              "button",
              {
                class: t.deeds[deed].mortgaged ? "m" : "",
                title: deedName(deed),
                "aria-label": `${deedName(deed)}${t.deeds[deed].mortgaged ? ", mortgaged" : ""}`,
                onclick: () => deedDialog(session, deed),
              },
              deedTag(deed),
              buildings(level(t.deeds[deed])),
              t.deeds[deed].mortgaged && h("small", {}, "M"),
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
          `Trade with ${user.name}`,
        ),
        may.mayKick(t, user.id) && h("button", { onclick: () => kick(t, session, user) }, "Vote out"),
      ),
  );
}

export function players(session, addBot) {
  const t = session.mirror;
  const watchers = t.everybody.filter((user) => !user.playing);
  return [
    h("h2", {}, "Players"),
    h(
      "ul",
      { class: "players" },
      t.players.map((user) => player(session, user)),
    ),
    watchers.length > 0 &&
      h(
        "p",
        { class: "watchers" },
        `Watching: ${watchers.map((user) => user.name + (user.id === t.me ? " (you)" : "")).join(", ")}`,
      ),
    addBot && t.prompt.kind !== "over" && t.players.length < 8 && h("button", { onclick: addBot }, "Add a bot"),
  ];
}

// --- what I own -----------------------------------------------------------------------------------------------------------------

export function mine(session) {
  const t = session.mirror;
  const deeds = t.deedsOf(t.me);
  const cards = t.cardsOf(t.me);
  return [
    h("h2", {}, "Yours", h("small", {}, ` ${dollars(t.cash)} in cash · ${dollars(t.worth(t.me))} could be raised`)),
    deeds.length + cards.length === 0 && h("p", { class: "none" }, "No deeds yet."),
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
            t.deeds[deed].mortgaged && h("small", {}, " mortgaged"),
          ),
          works(session, deed),
        ),
      ),
      cards.map((card) => h("li", { key: `c${card}` }, `A card that pays bail (${pileName(card)})`)),
    ),
  ];
}

export function deals(session) {
  const t = session.mirror;
  const held = t.prompt.kind === "waiting" && t.prompt.player === t.me ? t.prompt.transaction : 0;
  const open = t.openDeals.filter((deal) => deal.id !== held);
  const others = t.players.filter((user) => user.id !== t.me);
  return [
    h("h2", {}, "Deals"),
    open.map((deal) => dealCard(t, deal, session)),
    open.length === 0 && h("p", { class: "none" }, held ? "The open one stands above." : "No open deals."),
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
            `Trade with ${user.name}`,
          ),
        ),
      ),
  ];
}
