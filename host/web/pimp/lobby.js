// Monopoly's tables: each with its seats and state, a new table, bots, the house rules.

import { arrival } from "../lib/arrival.js";
import { toast } from "../lib/dialog.js";
import { h, patch, steadily, submit } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import * as house from "../lib/house.js";
import { seat, token } from "../lib/store.js";
import { lang } from "./lang.js";
import { ruleList } from "./menu.js";

let refresh = null;
let strength = "shrewd";

async function command(what) {
  try {
    await what();
  } catch (error) {
    toast(error.message, "bad");
  }
  refresh();
}

function row({ table, players, watchers, turn, phase }, { rules, may_command: mayCommand }) {
  const free = rules.max_players - players;
  const isMine = seat.get(table) !== null;
  const about = [
    h(
      "p",
      { class: "seat-marks", role: "img", "aria-label": lang.seatsTaken(players, rules.max_players) },
      Array.from({ length: rules.max_players }, (_, n) => h("i", { key: n, class: n < players ? "taken" : "" })),
    ),
    h(
      "p",
      { class: "about" },
      lang.tableRow(players, watchers, lang.phases[phase] ?? lang.phases.playing, turn),
    ),
  ];
  const way = isMine ? lang.backToSeat : phase === "over" ? lang.haveALook : free > 0 ? lang.sitDown : lang.watch;
  return card(table, lang.tableName(table), isMine, about, [
    h("a", { class: "button primary", href: `/pimp?table=${table}` }, way),
    mayCommand &&
      phase !== "over" &&
      free > 0 &&
      h(
        "button",
        {
          onclick: () => command(() => house.addBot(table, strength)),
          "aria-label": lang.addBotTo(table),
        },
        lang.addBot,
      ),
  ]);
}

// The server makes tables as people come: whoever sits down next completes the one that fills.
function next() {
  const isMine = seat.get("lobby") !== null;
  const about = h("p", { class: "about" }, lang.withWhoever);
  const way = isMine ? lang.backToSeat : lang.sitAtNextShort;
  const link = h("a", { class: "button primary", href: "/pimp?table=lobby" }, way);
  return card("next", lang.nextTable, isMine, about, link);
}

function commands(list) {
  if (list.may_command) {
    return h(
      "div",
      { class: "row" },
      list.may_make !== false && h("button", { onclick: () => command(house.newTable) }, lang.newTable),
      h(
        "label",
        { class: "setting" },
        lang.botsPlay,
        h(
          "select",
          { value: strength, onchange: (event) => (strength = event.target.value) },
          h("option", { value: "shrewd" }, lang.shrewdly),
          h("option", { value: "plain" }, lang.simply),
        ),
      ),
    );
  }
  const enter = (fields) => {
    token.set(fields.token.value.trim());
    refresh();
  };
  return h(
    "details",
    {},
    h("summary", {}, lang.tokenAbout),
    h(
      "form",
      { class: "row", onsubmit: submit(enter) },
      h("label", { for: "token" }, lang.token),
      h("input", { id: "token", name: "token", type: "password", autocomplete: "off" }),
      h("button", {}, lang.useIt),
    ),
  );
}

const body = (list, failed) => [
  h(
    "header",
    { class: "hero" },
    h("p", {}, h("a", { href: "/" }, lang.backHome)),
    h("h1", {}, lang.title),
    h("p", {}, lang.lobbyAbout),
  ),
  failed && h("p", { class: "notice", role: "status" }, failed),
  list && [
    h("h2", {}, lang.tables),
    h(
      "ul",
      { class: "tables" },
      list.lobby && next(),
      list.tables.map((table) => row(table, list)),
    ),
    commands(list),
    h("h2", {}, lang.houseRules),
    ruleList(list.rules),
  ],
];

// A table that nobody sits at, for a game against bots.
export async function freeTable(root) {
  try {
    const { tables } = await house.lobby();
    const { table } = tables.find(({ players, watchers }) => players + watchers === 0) ?? (await house.newTable());
    location.replace(`/pimp?table=${table}&way=play&bots=${arrival.bots}`);
  } catch (error) {
    showLobby(root);
    toast(error.message, "bad");
  }
}

export function showLobby(root) {
  const draw = (list, failed) =>
    steadily(() => patch(root, h("main", { class: "lobby", id: "main" }, body(list, failed))));
  draw(null, "");
  refresh = house.follow(draw);
}
