// What the table's menu has beside what all games have: settings, and the ways out of a game.

import { confirm } from "../lib/dialog.js";
import { h, submit } from "../lib/dom.js";
import { choice, toggle } from "../lib/fields.js";
import * as may from "./choices.js";
import { dollars } from "./words.js";

const SPEEDS = [
  ["slow", "slowly"],
  ["normal", "at a walk"],
  ["fast", "quickly"],
  ["off", "at once"],
];

const PACES = [
  ["", "like people"],
  ["quick", "hardly"],
  ["slow", "long"],
];

function giveAway(session, close) {
  const t = session.mirror;
  const why = may.transferRefusal(t);
  const heirs = [
    ["0", "the bank"],
    ...t.everybody
      .filter((user) => user.id !== t.me)
      .map((user) => [String(user.id), `${user.name} (${user.playing ? "plays" : "watches: takes over your seat"})`]),
  ];
  const leave = ({ heir }) => {
    const to = Number(heir.value);
    const text = heirs.find(([id]) => Number(id) === to)[1];
    close();
    confirm(
      "Leave the game?",
      `Everything you own (${dollars(t.worth(t.me))} worth) goes to ${text}. You only watch from then on.`,
      "Yes, leave",
      () => session.send("TRANSFER", { player: to }),
    );
  };
  return h(
    "form",
    { onsubmit: submit(leave) },
    h("h3", {}, "Leave the game"),
    h(
      "label",
      { class: "setting" },
      "Give everything to",
      h(
        "select",
        { name: "heir" },
        heirs.map(([value, text]) => h("option", { value }, text)),
      ),
    ),
    h("button", { class: "danger" }, "Leave"),
    why && h("p", { class: "why" }, `${why} Somebody who watches can take over at any time.`),
  );
}

function rulesOf(rules) {
  return [
    `Up to ${rules.max_players} players`,
    rules.pot === null
      ? "No pot on Free Parking"
      : `Fines go to a pot for Free Parking; it begins with ${dollars(rules.pot)}`,
    rules.double_go && "Landing exactly on Go pays $400",
    rules.lap_before_buy && "Nobody buys before passing Go once",
    rules.estate_to_creditor ? "A bankrupt's estate goes to the creditor" : "A bankrupt's estate goes to the bank",
    rules.bail_ends_turn && "Paying bail ends the turn",
    rules.debt_blocks_roll && "Who owes another player may not throw",
    rules.termites > 0 && `Termites: building fails in ${rules.termites} % of cases`,
    rules.auction_timeout > 0 && `An auction ends ${rules.auction_timeout} s after the last bid`,
    "Rent and salary must be claimed",
  ].filter(Boolean);
}

export const ruleList = (rules) =>
  h(
    "ul",
    { class: "rules" },
    rulesOf(rules).map((text) => h("li", { key: text }, text)),
  );

export function menu(session, rules, close, changed) {
  const t = session.mirror;
  return {
    invite: "This link is all a friend needs:",
    link: new URL(`/pimp?table=${session.table}`, location.href).href,
    choices: [
      choice("speed", "Pieces move", SPEEDS, changed),
      choice("pace", "Bots that I call think", PACES, changed),
      toggle("claim", "Claim rent and salary for me", changed),
      toggle("pay", "Pay rents for me while I have the cash", changed),
      toggle("admit", "Let newcomers in without asking me", changed),
    ],
    controls: [
      h("button", { onclick: () => (session.send("AFK"), close()) }, "I'm away"),
      h("button", { onclick: () => (session.send("REQUEST_STATE"), close()) }, "Ask for the state anew"),
      h("a", { class: "button", href: "/pimp" }, "All tables"),
    ],
    more: [
      t.isPlaying && t.prompt.kind !== "over" && t.prompt.kind !== "idle" && giveAway(session, close),
      rules && [h("h3", {}, "House rules"), ruleList(rules)],
    ],
  };
}
