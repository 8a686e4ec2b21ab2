// The server over HTTP: which games and tables there are, the house rules, and what may be asked of it.

import { lang } from "./lang.js";
import { token } from "./store.js";

export async function ask(path, method = "GET", body = undefined) {
  const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) }).catch(() => {
    throw new Error(lang.noAnswer);
  });
  if (answer.status === 401) throw new Error(lang.needsToken);
  if (answer.status === 503) throw new Error(lang.noMoreTables);
  if (!answer.ok) throw new Error(lang.answered(answer.status));
  return answer.json();
}

export const lobby = () => ask("/lobby");
// Every game with its tables and who is there. A board tells only how many.
export const now = () => ask("/now").catch(async () => asNow(await lobby()));

const asNow = ({ games, tables, may_command, board }) => ({
  games: games.map((name) => ({
    name,
    tables: tables
      .filter(({ game }) => game === name)
      .map(({ table, phase, players, turn }) => ({
        place: String(table),
        stage: { idle: "filling", over: "over" }[phase] ?? "playing",
        seats: players,
        turn,
        players: Array(players).fill({ name: "", is_here: true }),
        watchers: [],
      })),
    more: 0,
    guests: [],
    rules: [],
  })),
  may_command,
  // Its bots are for whoever asks, or there are none.
  bots: may_command,
  board,
  is_board: true,
  addresses: [],
});

// Who has a seat at a table: { name, is_here }.
export async function seats(game, place) {
  const { games } = await now();
  return games.find(({ name }) => name === game)?.tables.find((table) => table.place === place)?.players ?? [];
}

const PAUSE = 3000;

// Tells `draw` what `look` finds, or what is wrong, again and again; gives a function that asks at once.
export function follow(draw, look = lobby) {
  let timer = 0;
  let list = null;
  const refresh = async () => {
    clearTimeout(timer);
    let failed = "";
    try {
      list = await look();
    } catch {
      failed = navigator.onLine ? lang.noAnswerTrying : lang.offline;
    }
    draw(list, failed);
    timer = setTimeout(refresh, document.hidden ? PAUSE * 5 : PAUSE);
  };
  for (const change of ["online", "offline"]) addEventListener(change, refresh);
  refresh();
  return refresh;
}
export const newTable = () => ask("/tables", "POST");
// `pace`: milliseconds that the bots think; without it as long as the server's bots do.
export const addBot = (table, strength = "shrewd", players = 1, pace = undefined) =>
  ask(`/tables/${table}/bots`, "POST", { players, strength, pace, seed: Math.floor(Math.random() * 0xffffffff) });
