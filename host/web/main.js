// `/` is the lobby, `/?table=N` a table, `/?table=lobby` the next one with a free seat.

import { settings } from "./store.js";

document.documentElement.dataset.theme = settings.theme;
const root = document.getElementById("app");
const asked = new URLSearchParams(location.search).get("table");
const table = asked === "lobby" ? asked : Number(asked);
if (table === "lobby" || (Number.isInteger(table) && table > 0)) {
  const { TableView } = await import("./table.js");
  new TableView(root, table);
} else {
  const { showLobby } = await import("./lobby.js");
  showLobby(root);
}
