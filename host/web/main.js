// `/` is the lobby, `/?table=N` a table.

import { settings } from "./store.js";

document.documentElement.dataset.theme = settings.theme;
const root = document.getElementById("app");
const table = Number(new URLSearchParams(location.search).get("table"));
if (Number.isInteger(table) && table > 0) {
  const { TableView } = await import("./table.js");
  new TableView(root, table);
} else {
  const { showLobby } = await import("./lobby.js");
  showLobby(root);
}
