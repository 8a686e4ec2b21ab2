// `/pimp` is the list of tables, `/pimp?table=N` a table, `/pimp?table=lobby` the next one with a free seat.

import { arrival } from "../lib/arrival.js";
import { showTheme } from "../lib/signs.js";

showTheme();
const root = document.getElementById("app");
const asked = new URLSearchParams(location.search).get("table");
const table = asked === "lobby" ? asked : Number(asked);
if (table === "lobby" || (Number.isInteger(table) && table > 0)) {
  const { PimpPage } = await import("./page.js");
  new PimpPage(root, table);
} else if (arrival.bots) {
  const { freeTable } = await import("./lobby.js");
  freeTable(root);
} else {
  const { showLobby } = await import("./lobby.js");
  showLobby(root);
}
