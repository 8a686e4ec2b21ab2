// Scotland Yard in plain words: what happened, what is asked, why something was refused. The words themselves stand in the
// tables of the languages; here is which of them is meant.

import { lang } from "./lang.js";
import { REVEALS } from "./map.js";
import { MR_X } from "./mirror.js";

export const pawnName = (pawn) => lang.pawns[pawn];
export const ticketName = (ticket) => lang.tickets[ticket];

// Signs, the same in every language: they stand on the map.
const LETTERS = { taxi: "T", bus: "B", underground: "U", black: "★" };
export const letter = (ticket) => LETTERS[ticket];

export const nextReveal = (turn) => REVEALS.find((reveal) => reveal >= turn);

export const moveWords = (move) => lang.move(move);

// Why a game is over, as the server says it.
const REASONS = [
  [/^(\w+) caught Mr\. X at (\d+)$/, lang.reasons.caught],
  [/^all detectives are stuck and Mr\. X is at (\d+)$/, lang.reasons.stuck],
  [/^Mr\. X was not caught and is at (\d+)$/, lang.reasons.escaped],
];

function reasonWords(reason) {
  for (const [pattern, say] of REASONS) {
    const [, ...found] = reason.match(pattern) ?? [];
    if (found.length) return say(...found);
  }
  return reason;
}

const { lines } = lang;
const LINES = {
  moved: (t, { move }) => moveWords(move),
  playerleave: (t, { words: [name] }) => lang.goes(name),
  rejoin: (t, { words: [name] }) => lang.isBack(name),
  gamestart: () => lines.begins,
  stuck: (t, { words: [pawn] }) => lines.stuck(pawn),
  gameover: (t, { words: [winner, reason] }) =>
    (winner === MR_X ? lines.xWins : lines.detectivesWin)(reasonWords(reason)),
  chatall: (t, { words: [name, text] }) => lines.said(name, text),
  chatteam: (t, { words: [name, text] }) => lines.saidToTeam(name, text),
};

// A line of the log; nothing for what is not worth one.
export const line = (t, said) => LINES[said.status]?.(t, said) ?? "";

// Why a game does not begin yet.
export function waitingFor(t) {
  const players = [...t.players.values()];
  const teams = new Set(players.map((player) => player.team));
  if (players.length < 2) return lang.status.alone;
  if (!teams.has(MR_X)) return lang.status.noX;
  if (!teams.has("Detectives")) return lang.status.noDetective;
  const slow = players.filter((player) => !player.ready).map(({ name }) => ({ name, isMe: name === t.me }));
  return slow.length ? lang.status.waitingFor(slow) : lang.status.beginning;
}

// What is asked just now.
export function status(t) {
  if (!t.started) return waitingFor(t);
  if (t.isOver) {
    const won = t.isPlaying && (t.team === t.winner ? lang.status.won : lang.status.lost);
    return `${won || ""}${(t.winner === MR_X ? lang.status.gotAway : lang.status.isCaught)(reasonWords(t.reason))}`;
  }
  if (!t.next) return lang.status.moment;
  return t.toMove ? lang.status.yourMove(t.next) : lang.status.toMove(t.next, t.owners[t.next]);
}

// What no control of the page leads to is told in the server's own words.
export function refusal(reason) {
  const known = Object.entries(lang.refusals).find(([part]) => reason.includes(part));
  return known ? known[1] : lang.serverSays(reason);
}
