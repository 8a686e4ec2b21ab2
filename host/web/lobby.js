// The front page: every table with its seats and state, a new table, bots, the house rules.

import { h, patch, submit, toast } from "./dom.js";
import * as house from "./house.js";
import { ruleList } from "./leave.js";
import { seat, token } from "./store.js";

const PAUSE = 3000;

const PHASES = {
  idle: "waiting for players",
  auction: "an auction runs",
  over: "game over",
  sale: "a deed is for sale",
  held: "a debt is being paid",
  tax: "taxes",
  jail: "somebody is in jail",
};

const state = { list: null, failed: "" };
let timer = 0;
let strength = "shrewd";

async function refresh(root) {
  clearTimeout(timer);
  try {
    state.list = await house.lobby();
    state.failed = "";
  } catch {
    state.failed = "The server does not answer. Trying again …";
  }
  draw(root);
  timer = setTimeout(() => refresh(root), document.hidden ? PAUSE * 5 : PAUSE);
}

async function command(root, what) {
  try {
    await what();
  } catch (error) {
    toast(error.message, "bad");
  }
  refresh(root);
}

function row(root, { table, players, watchers, turn, phase }, { rules, may_command: mayCommand }) {
  const free = rules.max_players - players;
  const mine = seat.get(table);
  return h(
    "li",
    { key: table, class: "table-card" },
    h(
      "div",
      {},
      h("h3", {}, `Table ${table}`, mine && h("span", { class: "step s2" }, "you were here")),
      h(
        "p",
        { class: "seats", role: "img", "aria-label": `${players} of ${rules.max_players} seats taken` },
        Array.from({ length: rules.max_players }, (_, n) => h("i", { key: n, class: n < players ? "taken" : "" })),
      ),
      h(
        "p",
        { class: "about" },
        `${players} playing · ${watchers} watching · ${PHASES[phase] ?? "playing"}${turn ? ` · turn ${turn}` : ""}`,
      ),
    ),
    h(
      "div",
      { class: "row" },
      h(
        "a",
        { class: "button primary", href: `/?table=${table}` },
        mine ? "Back to your seat" : phase === "over" ? "Have a look" : free > 0 ? "Sit down" : "Watch",
      ),
      mayCommand &&
        phase !== "over" &&
        free > 0 &&
        h(
          "button",
          {
            onclick: () => command(root, () => house.addBot(table, strength)),
            "aria-label": `Add a bot to table ${table}`,
          },
          "Add a bot",
        ),
    ),
  );
}

// The server makes tables as people come: whoever sits down next completes the one that fills.
const next = () =>
  h(
    "li",
    { key: "next", class: "table-card" },
    h(
      "div",
      {},
      h("h3", {}, "The next free table", seat.get("lobby") && h("span", { class: "step s2" }, "you were here")),
      h("p", { class: "about" }, "With whoever comes next; a new table is made when one is full."),
    ),
    h(
      "a",
      { class: "button primary", href: "/?table=lobby" },
      seat.get("lobby") ? "Back to your seat" : "Sit at the next free table",
    ),
  );

function commands(root, list) {
  if (list.may_command) {
    return h(
      "div",
      { class: "row" },
      h("button", { onclick: () => command(root, house.newTable) }, "New table"),
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
    refresh(root);
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

function draw(root) {
  const { list, failed } = state;
  patch(
    root,
    h(
      "main",
      { class: "lobby", id: "main" },
      h(
        "header",
        { class: "hero" },
        h("h1", {}, "parlor"),
        h("p", {}, "Monopoly at a table with friends. Choose a table, give your name, play."),
        list?.halls.includes("yard") && h("p", {}, h("a", { href: "/yard" }, "Or play Scotland Yard →")),
      ),
      failed && h("p", { class: "notice", role: "status" }, failed),
      list && [
        h("h2", {}, "Tables"),
        h(
          "ul",
          { class: "tables" },
          list.lobby && next(),
          list.tables.map((table) => row(root, table, list)),
        ),
        commands(root, list),
        h("h2", {}, "House rules"),
        ruleList(list.rules),
      ],
    ),
  );
}

export function showLobby(root) {
  draw(root);
  refresh(root);
}
