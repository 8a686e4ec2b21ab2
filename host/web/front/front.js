// `/`: what can be played, what is played now, who is here, and the way in for friends. What a game is called, a sentence
// about it, its colour and its address stand in the head of its own page: nothing here knows a game.

import { h, patch, steadily } from "../lib/dom.js";
import { linkField, nameField, tongue } from "../lib/fields.js";
import * as house from "../lib/house.js";
import { invite, told } from "../lib/invite.js";
import { language } from "../lib/lang.js";
import { showTheme } from "../lib/signs.js";
import { person } from "../lib/store.js";
import { lang } from "./lang.js";

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
  // What is named below the version is asked for once; a board has one page for all languages.
  const where = new URL(list.is_board ? `/${game}` : `../${game}/index.${language}.html`, import.meta.url);
  const page = new DOMParser().parseFromString(await (await fetch(where)).text(), "text/html");
  // A board's page has a line for each.
  const meta = (of) => page.querySelector(`meta[name=${of}][lang=${language}]`) ?? page.querySelector(`meta[name=${of}]`);
  const content = (of) => meta(of).content;
  heads.set(game, { title: page.title.split(" – ")[0], about: content("description"), place: content("place"), colour: content("theme-color") });
}

// House rules are told in the server's own words; in other languages than its own a game's page has them by their names.
const rulesOf = new Map();

async function readRules(game) {
  if (language !== "en") rulesOf.set(game, (await import(`../${game}/rules.${language}.js`)).rules);
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
    h("summary", {}, lang.houseRulesMore),
    h(
      "dl",
      {},
      game.rules.map(({ name: rule, about, value }) => [
        h("dt", { key: about }, rulesOf.get(game.name)?.[rule] ?? about),
        h("dd", { key: `${about} is` }, lang.ruleValue(value)),
      ]),
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
        h("a", { class: "button primary", href: `/${game.name}?bots=${BOTS}${way("play")}`, "aria-label": lang.playAgainstBots(title(game)) }, lang.againstBots),
      h("a", { class: "button", href: `/${game.name}`, "aria-label": lang.playWithPeople(title(game)) }, lang.withPeople),
      running &&
        head &&
        h("a", { class: "button", href: link(head, running, "watch"), "aria-label": lang.watchWhat(title(game)) }, lang.watch),
    ),
    game.rules.length > 0 && rules(game),
  );
}

// --- what is played now ------------------------------------------------------------------------------------------------------

const link = (head, { place }, how) => `${head.place}${encodeURIComponent(place)}${way(how)}`;

const seatMarks = ({ seats, players }) =>
  h(
    "p",
    { class: "seat-marks", role: "img", "aria-label": lang.seatsTaken(players.length, seats) },
    Array.from({ length: seats }, (_, n) => h("i", { key: n, class: n < players.length ? "taken" : "" })),
  );

function ways(head, table, what) {
  if (!table.place) return h("p", { class: "about" }, lang.nextFreeTable);
  const isMine = table.players.some((player) => player.name === name);
  const isFree = table.stage === "filling" && table.players.length < table.seats;
  const main = isMine ? lang.goOn : isFree ? lang.sitDown : null;
  return [
    main && h("a", { class: "button primary", href: link(head, table, "play"), "aria-label": lang.doAt(main, what) }, main),
    !isMine && h("a", { class: "button", href: link(head, table, "watch"), "aria-label": lang.doAt(lang.watch, what) }, lang.watch),
  ];
}

function tableRow(game, head, table) {
  const place = table.place && (/^\d+$/.test(table.place) ? lang.table : lang.named)(table.place);
  const what = [title(game), place].filter(Boolean).join(", ");
  const away = table.players.filter((player) => !player.is_here).length;
  const about = [lang.stages[table.stage], table.turn > 0 && lang.turn(table.turn), away > 0 && lang.countAway(away)];
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
            h("span", { key: who, class: isHere ? "" : "away", title: isHere ? null : lang.away }, who),
        ),
        table.watchers.length > 0 && h("small", { key: "w" }, lang.watchers(table.watchers)),
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
    h("h2", { id: "now" }, lang.tablesNow),
    rows.length > 0
      ? h("ul", { class: "tables" }, rows)
      : h("p", { class: "none" }, lang.nobodyPlaysNow),
    more > 0 && h("p", { class: "about" }, lang.moreTables(more)),
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
      h("h2", { id: "here" }, lang.whoIsHere),
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
    h("h2", { id: "friends" }, lang.friendsHere),
    invite(location.href)
      ? linkField(new URL("/", location.href).href)
      : [
          h("p", {}, lang.onlyThisMachine),
          h("p", {}, lang.startWith),
          h("p", {}, h("code", {}, "parlor --lan")),
        ],
  );

// --- all of it -----------------------------------------------------------------------------------------------------------------

const page = () => [
  h(
    "header",
    { class: "hero" },
    h("div", {}, h("h1", {}, lang.page), h("p", {}, lang.about)),
    nameField(lang.nameForAll, "name", name, NAME, {
      required: false,
      autocapitalize: "words",
      oninput: ({ target }) => rename(target.value),
    }),
  ),
  failed && h("p", { class: "notice", role: "status" }, failed),
  list && [
    h("div", { class: "front" }, h("section", { "aria-label": lang.games }, h("ul", { class: "games" }, list.games.map(gameCard))), friends()),
    h("div", { class: "front" }, running(), here()),
    // Only a board tells its name.
    list.board && h("p", { class: "about" }, h("a", { href: "/settings" }, lang.settingsOf(list.board))),
  ],
  tongue(),
];

function draw() {
  steadily(() => patch(root, h("main", { class: "lobby wide", id: "main" }, page())));
}

function show(found, wrong) {
  [list, failed] = [found, wrong];
  if (list) told(list.addresses);
  draw();
  for (const game of list?.games ?? [])
    if (!heads.has(game.name)) {
      readHead(game.name).then(draw, () => {});
      if (game.rules.length > 0) readRules(game.name).then(draw, () => {});
    }
}

showTheme();
draw();
house.follow(show, house.now);
