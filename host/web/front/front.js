// `/`: what can be played, what is played now, who is here, and the way in for friends. What a game is called, a sentence
// about it, its colour and its address stand in the head of its own page: nothing here knows a game.

import { h, patch } from "../lib/dom.js";
import { linkField, nameField } from "../lib/fields.js";
import * as house from "../lib/house.js";
import { invite, told } from "../lib/invite.js";
import { showTheme } from "../lib/signs.js";
import { person } from "../lib/store.js";

// Opponents in a game that begins at once.
const BOTS = 2;
// As many letters as every game takes.
const NAME = 20;

const root = document.getElementById("app");
const heads = new Map();
let list = null;
let failed = "";
let { name } = person.get();

async function readHead(game) {
  const page = new DOMParser().parseFromString(await (await fetch(`/${game}`)).text(), "text/html");
  const content = (of) => page.querySelector(`meta[name=${of}]`).content;
  heads.set(game, { title: page.title.split(" – ")[0], about: content("description"), place: content("place"), colour: content("theme-color") });
}

function rename(text) {
  name = text.trim().replace(/\s+/g, " ");
  person.set({ ...person.get(), name });
  draw();
}

const title = ({ name: game, title: told }) => told ?? heads.get(game)?.title ?? "";

// --- what there is -----------------------------------------------------------------------------------------------------------

const way = (how) => (name ? `&way=${how}` : "");

const rules = (game) =>
  h(
    "details",
    { class: "house" },
    h("summary", {}, "House rules ▾"),
    h(
      "dl",
      {},
      game.rules.map(({ about, value }) => [h("dt", { key: about }, about), h("dd", { key: `${about} is` }, value)]),
    ),
  );

function gameCard(game) {
  const head = heads.get(game.name);
  const running = game.tables.find(({ place, stage, players }) => place && stage === "playing" && players.length > 0);
  return h(
    "li",
    { key: game.name, class: "game", style: { "--own": head?.colour ?? "var(--go)" } },
    h("h3", {}, title(game)),
    h("p", { class: "about" }, head?.about),
    h(
      "div",
      { class: "row" },
      list.bots !== false &&
        h("a", { class: "button primary", href: `/${game.name}?bots=${BOTS}${way("play")}`, "aria-label": `Play ${title(game)} against bots` }, "Against bots"),
      h("a", { class: "button", href: `/${game.name}`, "aria-label": `Play ${title(game)} with people` }, "With people"),
      running &&
        head &&
        h("a", { class: "button", href: link(head, running, "watch"), "aria-label": `Watch ${title(game)}` }, "Watch"),
    ),
    game.rules.length > 0 && rules(game),
  );
}

// --- what is played now ------------------------------------------------------------------------------------------------------

const link = (head, { place }, how) => `${head.place}${encodeURIComponent(place)}${way(how)}`;

const STAGES = { filling: "waits for players", playing: "is being played", over: "is over" };

const seatMarks = ({ seats, players }) =>
  h(
    "p",
    { class: "seat-marks", role: "img", "aria-label": `${players.length} of ${seats} seats taken` },
    Array.from({ length: seats }, (_, n) => h("i", { key: n, class: n < players.length ? "taken" : "" })),
  );

function ways(head, table, what) {
  if (!table.place) return h("p", { class: "about" }, "At the next free table");
  const isMine = table.players.some((player) => player.name === name);
  const isFree = table.stage === "filling" && table.players.length < table.seats;
  const main = isMine ? "Go on" : isFree ? "Sit down" : null;
  return [
    main && h("a", { class: "button primary", href: link(head, table, "play"), "aria-label": `${main}: ${what}` }, main),
    !isMine && h("a", { class: "button", href: link(head, table, "watch"), "aria-label": `Watch: ${what}` }, "Watch"),
  ];
}

function tableRow(game, head, table) {
  const place = table.place && (/^\d+$/.test(table.place) ? `table ${table.place}` : `“${table.place}”`);
  const what = [title(game), place].filter(Boolean).join(", ");
  const away = table.players.filter((player) => !player.is_here).length;
  const about = [STAGES[table.stage], table.turn > 0 && `turn ${table.turn}`, away > 0 && `${away} away`];
  return h(
    "li",
    { key: what, class: "table-card" },
    h(
      "div",
      {},
      h("h3", {}, title(game), h("small", {}, ` ${place ?? ""}`)),
      seatMarks(table),
      h(
        "p",
        { class: "names" },
        table.players.map(
          ({ name: who, is_here: isHere }) =>
            who &&
            h("span", { key: who, class: isHere ? "" : "away", title: isHere ? null : "away" }, who),
        ),
        table.watchers.length > 0 && h("small", { key: "w" }, `watching: ${table.watchers.join(", ")}`),
      ),
      h("p", { class: "about" }, about.filter(Boolean).join(" · ")),
    ),
    h("div", { class: "row" }, ways(head, table, what)),
  );
}

function running() {
  const rows = list.games.flatMap((game) =>
    game.tables
      .filter(({ players, watchers }) => players.length + watchers.length > 0)
      .map((table) => heads.has(game.name) && tableRow(game, heads.get(game.name), table)),
  );
  const more = list.games.reduce((sum, game) => sum + game.more, 0);
  return h(
    "section",
    { "aria-labelledby": "now" },
    h("h2", { id: "now" }, "At the tables now"),
    rows.length > 0
      ? h("ul", { class: "tables" }, rows)
      : h("p", { class: "none" }, "Nobody plays just now. Begin, and others can join."),
    more > 0 && h("p", { class: "about" }, `And ${more} more tables.`),
  );
}

function here() {
  const names = new Set(
    list.games.flatMap(({ tables, guests }) => [
      ...tables.flatMap(({ players, watchers }) => [...players.filter((one) => one.is_here && one.name).map((one) => one.name), ...watchers]),
      ...guests,
    ]),
  );
  return (
    names.size > 0 &&
    h(
      "section",
      { "aria-labelledby": "here" },
      h("h2", { id: "here" }, "Who is here"),
      h(
        "ul",
        { class: "names" },
        [...names].sort((a, b) => a.localeCompare(b)).map((who) => h("li", { key: who }, who)),
      ),
    )
  );
}

// --- friends -----------------------------------------------------------------------------------------------------------------

const friends = () =>
  h(
    "section",
    { class: "friends", "aria-labelledby": "friends" },
    h("h2", { id: "friends" }, "Friends come in here"),
    invite(location.href)
      ? linkField(new URL("/", location.href).href)
      : [
          h("p", {}, "Only this machine can open this page."),
          h("p", {}, "To let friends in, stop the server and start it with"),
          h("p", {}, h("code", {}, "parlor --lan")),
        ],
  );

// --- all of it -----------------------------------------------------------------------------------------------------------------

const page = () => [
  h(
    "header",
    { class: "hero" },
    h("div", {}, h("h1", {}, "parlor"), h("p", {}, "Board games at a table with friends.")),
    nameField("Your name, for all games", "name", name, NAME, {
      required: false,
      autocapitalize: "words",
      oninput: ({ target }) => rename(target.value),
    }),
  ),
  failed && h("p", { class: "notice", role: "status" }, failed),
  list && [
    h("div", { class: "front" }, h("section", { "aria-label": "Games" }, h("ul", { class: "games" }, list.games.map(gameCard))), friends()),
    h("div", { class: "front" }, running(), here()),
    // Only a board tells its name.
    list.board && h("p", { class: "about" }, h("a", { href: "/settings" }, `Settings of ${list.board}`)),
  ],
];

function draw() {
  patch(root, h("main", { class: "lobby wide", id: "main" }, page()));
}

function show(found, wrong) {
  [list, failed] = [found, wrong];
  if (list) told(list.addresses);
  draw();
  for (const game of list?.games ?? [])
    if (!heads.has(game.name)) readHead(game.name).then(draw, () => {});
}

showTheme();
draw();
if (!name) root.querySelector("[name=name]").focus();
house.follow(show, house.now);
