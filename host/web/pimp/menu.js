// What the table's menu has beside what all games have: settings, and the ways out of a game.

import { confirm } from "../lib/dialog.js";
import { h, submit } from "../lib/dom.js";
import { choice, toggle } from "../lib/fields.js";
import { pace } from "../lib/pace.js";
import * as may from "./choices.js";
import { lang } from "./lang.js";

function giveAway(session, close) {
  const t = session.mirror;
  const why = may.transferRefusal(t);
  const heirs = [
    ["0", lang.theBank],
    ...t.everybody
      .filter((user) => user.id !== t.me)
      .map((user) => [String(user.id), lang.heir(user.name, user.playing)]),
  ];
  const leave = ({ heir }) => {
    const to = Number(heir.value);
    const text = heirs.find(([id]) => Number(id) === to)[1];
    close();
    confirm(
      lang.leaveAsk,
      lang.leaveAll(t.worth(t.me), text),
      lang.leaveYes,
      () => session.send("TRANSFER", { player: to }),
    );
  };
  return h(
    "form",
    { onsubmit: submit(leave) },
    h("h3", {}, lang.leaveGame),
    h(
      "label",
      { class: "setting" },
      lang.giveAllTo,
      h(
        "select",
        { name: "heir" },
        heirs.map(([value, text]) => h("option", { value }, text)),
      ),
    ),
    h("button", { class: "danger" }, lang.leave),
    why && h("p", { class: "why" }, lang.takeOverAnyTime(why)),
  );
}

function rulesOf(rules) {
  const told = lang.rules;
  return [
    told.players(rules.max_players),
    rules.pot === null ? told.noPot : told.pot(rules.pot),
    rules.double_go && told.doubleGo,
    rules.lap_before_buy && told.lap,
    rules.estate_to_creditor ? told.toCreditor : told.toBank,
    rules.bail_ends_turn && told.bailEnds,
    rules.debt_blocks_roll && told.debtBlocks,
    rules.termites > 0 && told.termites(rules.termites),
    rules.auction_timeout > 0 && told.auction(rules.auction_timeout),
    told.claims,
  ].filter(Boolean);
}

export const ruleList = (rules) =>
  h(
    "ul",
    { class: "rules" },
    rulesOf(rules).map((text) => h("li", { key: text }, text)),
  );

export function menu(ui, close, changed) {
  const { session, rules } = ui;
  const t = session.mirror;
  return {
    invite: lang.inviteLink,
    link: new URL(`/pimp?table=${session.table}`, location.href).href,
    choices: [
      choice("speed", lang.piecesMove, Object.entries(lang.speeds), changed),
      pace(() => (ui.setPace(), changed())),
      toggle("claim", lang.claimForMe, changed),
      toggle("pay", lang.payForMe, changed),
      toggle("admit", lang.admitForMe, changed),
    ],
    controls: [
      h("button", { onclick: () => (session.send("AFK"), close()) }, lang.imAway),
      h("button", { onclick: () => (session.send("REQUEST_STATE"), close()) }, lang.askAnew),
      h("a", { class: "button", href: "/pimp" }, lang.allTables),
    ],
    more: [
      t.isPlaying && t.prompt.kind !== "over" && t.prompt.kind !== "idle" && giveAway(session, close),
      rules.max_players && [h("h3", {}, lang.houseRules), ruleList(rules)],
    ],
  };
}
