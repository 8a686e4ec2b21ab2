// The server over HTTP: which games and tables there are, the house rules, and what may be asked of it.

import { token } from "./store.js";

async function ask(path, method = "GET", body = undefined) {
  const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.status === 401) throw new Error("The server takes this only from its own machine, or with its token.");
  if (answer.status === 503) throw new Error("There are as many tables as there may be.");
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
}

export const lobby = () => ask("/lobby");

const PAUSE = 3000;

// Tells `draw` what the lobby shows, or what is wrong, again and again; gives a function that asks at once.
export function follow(draw) {
  let timer = 0;
  let list = null;
  const refresh = async () => {
    clearTimeout(timer);
    let failed = "";
    try {
      list = await lobby();
    } catch {
      failed = "The server does not answer. Trying again …";
    }
    draw(list, failed);
    timer = setTimeout(refresh, document.hidden ? PAUSE * 5 : PAUSE);
  };
  refresh();
  return refresh;
}
export const newTable = () => ask("/tables", "POST");
export const addBot = (table, strength = "shrewd") =>
  ask(`/tables/${table}/bots`, "POST", { players: 1, strength, seed: Math.floor(Math.random() * 0xffffffff) });
