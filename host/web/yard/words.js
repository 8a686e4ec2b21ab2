// Scotland Yard in plain words: what happened, what is asked, why something was refused.

import { REVEALS } from "./map.js";
import { MR_X } from "./mirror.js";

export const pawnName = (pawn) => (pawn === "X" ? MR_X : pawn);

export const TICKET = {
  taxi: ["Taxi", "T", "a taxi ticket"],
  bus: ["Bus", "B", "a bus ticket"],
  underground: ["Underground", "U", "an underground ticket"],
  black: ["Black ticket", "★", "a black ticket"],
};
export const ticketName = (ticket) => TICKET[ticket][0];
export const letter = (ticket) => TICKET[ticket][1];

export const nextReveal = (turn) => REVEALS.find((reveal) => reveal >= turn);

// How a pawn went: everybody's view, and a little more for who knows more.
export function moveWords({ pawn, to, ticket, turn, seen, double }) {
  const how = `with ${TICKET[ticket][2]}`;
  if (pawn !== "X") return `${pawn} goes to ${to} ${how}.`;
  const again = double ? " again: a double move" : "";
  if (seen) return `Turn ${turn}: Mr. X shows himself at ${to}. He came ${how}${again}.`;
  return `Turn ${turn}: Mr. X moves${to ? ` to ${to}` : ""} ${how}${again}.`;
}

const LINES = {
  moved: (t, { move }) => moveWords(move),
  playerleave: (t, { words: [name] }) =>
    t.started && !t.isOver ? `${name} is away. The game waits for ${name}.` : `${name} leaves.`,
  rejoin: (t, { words: [name] }) => `${name} is back.`,
  gamestart: () => "The game begins.",
  stuck: (t, { words: [pawn] }) => `${pawn} can't move and is passed over.`,
  gameover: (t, { words: [winner, reason] }) =>
    `— ${winner === MR_X ? "Mr. X wins" : "The detectives win"}: ${reason}.`,
  chatall: (t, { words: [name, text] }) => `${name}: ${text}`,
  chatteam: (t, { words: [name, text] }) => `${name} (to the team): ${text}`,
};

// A line of the log; nothing for what is not worth one.
export const line = (t, said) => LINES[said.status]?.(t, said) ?? "";

const people = (names) => names.join(names.length > 2 ? ", " : " and ");

// Why a game does not begin yet.
export function waitingFor(t) {
  const players = [...t.players.values()];
  const teams = new Set(players.map((player) => player.team));
  if (players.length < 2) return "Waiting for somebody else: send the link, or add a bot.";
  if (!teams.has(MR_X)) return "Nobody is Mr. X yet.";
  if (!teams.has("Detectives")) return "There is no detective yet.";
  const slow = players.filter((player) => !player.ready).map((player) => (player.name === t.me ? "you" : player.name));
  return slow.length ? `Waiting for ${people(slow)} to be ready.` : "The game begins …";
}

// What is asked just now.
export function status(t) {
  if (!t.started) return waitingFor(t);
  if (t.isOver) {
    const won = t.isPlaying && t.team === t.winner ? "You have won! " : t.isPlaying ? "You have lost. " : "";
    return `${won}${t.winner === MR_X ? "Mr. X got away" : "Mr. X is caught"}: ${t.reason}.`;
  }
  if (!t.next) return "One moment …";
  if (t.toMove) return t.next === "X" ? "Your turn: move Mr. X." : `Your turn: move ${t.next}.`;
  const owner = t.owners[t.next];
  const who = t.next === "X" ? MR_X : t.next;
  return `${owner === who ? who : `${who} (${owner})`} is to move.`;
}

// What no control of the page leads to is told in the server's own words.
const REFUSALS = [
  ["name is in use", "Somebody with that name is here already. Choose another name."],
  [
    "wrong password",
    "That name belongs to somebody who has another password. Choose another name, or give its password.",
  ],
  ["too many users", "The server is full. Try again later."],
  ["name is taken", "There is a game with that name already. Join it, or choose another name."],
  ["no room for another", "There are as many games as there may be. Join one of them."],
  ["begun without you", "The game has begun already. You are watching it."],
  ["game is over", "The game is over. You are looking at how it went."],
  ["game is full", "All six seats are taken. You are watching."],
  ["no such game", "There is no such game any more."],
  ["team is full", "That side is full."],
  ["not your turn", "It is not your turn."],
  ["no such ticket", "You have no such ticket left."],
  ["does not lead there", "That ticket does not lead there."],
  ["another detective", "Another detective stands there."],
  ["no double move", "You have no double move left."],
  ["try again later", "The server is busy with names and passwords. Try again in a while."],
  ["nobody is", "No bot is free just now."],
  ["not now", "That is not possible just now."],
  ["too long", "That is too long."],
];

export function refusal(reason) {
  const known = REFUSALS.find(([part]) => reason.includes(part));
  return known ? known[1] : `The server says: ${reason || "no"}.`;
}
