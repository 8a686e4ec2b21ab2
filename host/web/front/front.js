// `/`: the games that are served, with their tables. What a game is called, and a sentence about it, stand in the head of
// its own page: nothing here knows a game.

import { h, patch } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import { follow } from "../lib/house.js";
import { showTheme } from "../lib/signs.js";

const heads = new Map();

async function readHead(game) {
  const page = new DOMParser().parseFromString(await (await fetch(`/${game}`)).text(), "text/html");
  const about = page.querySelector("meta[name=description]").content;
  return { title: page.title.split(" – ")[0], about };
}

const table = (game) => (row) =>
  h(
    "li",
    { key: row.table },
    h("a", { href: `/${game}?table=${row.table}` }, `Table ${row.table}`),
    h("span", { class: "about" }, ` ${row.players} playing · ${row.watchers} watching`),
  );

function gameCard(game, tables) {
  const { title, about } = heads.get(game);
  const body = [h("p", { class: "about" }, about), tables.length > 0 && h("ul", {}, tables.map(table(game)))];
  return card(game, title, false, body, h("a", { class: "button primary", href: `/${game}` }, `Play ${title}`));
}

const body = (list, failed) => [
  h("header", { class: "hero" }, h("h1", {}, "parlor"), h("p", {}, "Board games at a table with friends. Choose one.")),
  failed && h("p", { class: "notice", role: "status" }, failed),
  list &&
    h(
      "ul",
      { class: "tables" },
      list.games
        .filter((game) => heads.has(game))
        .map((game) =>
          gameCard(
            game,
            list.tables.filter((row) => row.game === game),
          ),
        ),
    ),
];

const root = document.getElementById("app");

function draw(list, failed) {
  patch(root, h("main", { class: "lobby", id: "main" }, body(list, failed)));
  for (const game of list?.games ?? []) {
    if (heads.has(game)) continue;
    readHead(game).then(
      (head) => (heads.set(game, head), draw(list, failed)),
      () => {},
    );
  }
}

showTheme();
draw(null, "");
follow(draw);
