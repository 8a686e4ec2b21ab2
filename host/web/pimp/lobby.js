// Monopoly's tables: each with its seats and state, a new table, bots, the house rules.

import { arrival } from "../lib/arrival.js";
import { toast } from "../lib/dialog.js";
import { h, patch, steadily, submit } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import * as house from "../lib/house.js";
import { seat, token } from "../lib/store.js";
import { ruleList } from "./menu.js";

const PHASES = {
  idle: "waiting for players",
  auction: "an auction runs",
  over: "game over",
  sale: "a deed is for sale",
  held: "a debt is being paid",
  tax: "taxes",
  jail: "somebody is in jail",
};

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
      { class: "seat-marks", role: "img", "aria-label": `${players} of ${rules.max_players} seats taken` },
      Array.from({ length: rules.max_players }, (_, n) => h("i", { key: n, class: n < players ? "taken" : "" })),
    ),
    h(
      "p",
      { class: "about" },
      `${players} playing · ${watchers} watching · ${PHASES[phase] ?? "playing"}${turn ? ` · turn ${turn}` : ""}`,
    ),
  ];
  const way = isMine ? "Back to your seat" : phase === "over" ? "Have a look" : free > 0 ? "Sit down" : "Watch";
  return card(table, `Table ${table}`, isMine, about, [
    h("a", { class: "button primary", href: `/pimp?table=${table}` }, way),
    mayCommand &&
      phase !== "over" &&
      free > 0 &&
      h(
        "button",
        {
          onclick: () => command(() => house.addBot(table, strength)),
          "aria-label": `Add a bot to table ${table}`,
        },
        "Add a bot",
      ),
  ]);
}

// The server makes tables as people come: whoever sits down next completes the one that fills.
function next() {
  const isMine = seat.get("lobby") !== null;
  const about = h("p", { class: "about" }, "With whoever comes next; a new table is made when one is full.");
  const way = isMine ? "Back to your seat" : "Sit at the next free table";
  const link = h("a", { class: "button primary", href: "/pimp?table=lobby" }, way);
  return card("next", "The next free table", isMine, about, link);
}

function commands(list) {
  if (list.may_command) {
    return h(
      "div",
      { class: "row" },
      list.may_make !== false && h("button", { onclick: () => command(house.newTable) }, "New table"),
      h(
        "label",
        { class: "setting" },
        "Bots play",
        h(
          "select",
          { value: strength, onchange: (event) => (strength = event.target.value) },
          h("option", { value: "shrewd" }, "shrewdly"),
          h("option", { value: "plain" }, "simply"),
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
    h("summary", {}, "Tables and bots are made on the server's machine, or with its token"),
    h(
      "form",
      { class: "row", onsubmit: submit(enter) },
      h("label", { for: "token" }, "Token"),
      h("input", { id: "token", name: "token", type: "password", autocomplete: "off" }),
      h("button", {}, "Use it"),
    ),
  );
}

const body = (list, failed) => [
  h(
    "header",
    { class: "hero" },
    h("p", {}, h("a", { href: "/" }, "← parlor: all games")),
    h("h1", {}, "Monopoly"),
    h("p", {}, "At a table with friends. Choose a table, give your name, play."),
  ),
  failed && h("p", { class: "notice", role: "status" }, failed),
  list && [
    h("h2", {}, "Tables"),
    h(
      "ul",
      { class: "tables" },
      list.lobby && next(),
      list.tables.map((table) => row(table, list)),
    ),
    commands(list),
    h("h2", {}, "House rules"),
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
