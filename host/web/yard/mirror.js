// What a player knows of one game: the server's lines to who plays what, where everything stands, and how it came there.
// Follows core's view; a test holds the two against each other.

import { LAST_TURN, PAWNS, REVEALS, TICKETS } from "./map.js";
import { firstSight, rides, sightAfter } from "./roads.js";

export const DETECTIVES = PAWNS.slice(1);
export const MR_X = "Mr. X";
const NAMED = Object.fromEntries(PAWNS.map((pawn) => [pawn.toLowerCase(), pawn]));

const place = (word) => (Number(word) > 0 ? Number(word) : null);
const byPawn = (value) => Object.fromEntries(PAWNS.map((pawn) => [pawn, value(pawn)]));

export class Mirror {
  // By name: { name, team, ready, pawns }.
  players = new Map();
  // Names of those who have a seat and are not there.
  absent = new Set();

  constructor(me) {
    this.me = me;
    this.#blank();
  }

  #blank() {
    this.started = false;
    this.at = byPawn(() => null);
    // taxi, bus, underground, black, double; -1 is no end of them.
    this.purses = byPawn(() => [0, 0, 0, 0, 0]);
    this.owners = {};
    this.turn = 0;
    this.next = null;
    this.winner = null;
    this.reason = "";
    this.sight = new Set();
    // Every move so far, and the board after each; scenes[0] is the start.
    this.moves = [];
    this.scenes = [];
    this.reading = false;
    this.xMoved = false;
  }

  get team() {
    return this.players.get(this.me)?.team ?? null;
  }
  get isPlaying() {
    return this.players.has(this.me);
  }
  get isOver() {
    return this.winner !== null;
  }
  get detectives() {
    return DETECTIVES.map((pawn) => this.at[pawn]);
  }
  mine(pawn) {
    return this.owners[pawn] === this.me;
  }
  // The pawn that this player has to move now.
  get toMove() {
    return this.next && this.mine(this.next) && !this.isOver && !this.reading ? this.next : null;
  }
  // Mr. X's travel log: a ticket a turn, and a station where he was seen.
  get rides() {
    return this.moves.filter((move) => move.pawn === "X");
  }

  // Where a pawn may go: station -> tickets. `first` is the half of a double move that is already chosen.
  hops(pawn, first = null) {
    const from = first ? first.to : this.at[pawn];
    const purse = [...this.purses[pawn]];
    if (first && purse[TICKETS.indexOf(first.ticket)] > 0) purse[TICKETS.indexOf(first.ticket)] -= 1;
    const found = new Map();
    if (!from) return found;
    for (const [n, ticket] of TICKETS.entries()) {
      if (purse[n] === 0) continue;
      for (const to of rides(from, ticket)) {
        if (pawn === "X" || !this.detectives.includes(to)) found.set(to, [...(found.get(to) ?? []), ticket]);
      }
    }
    return found;
  }

  get mayDouble() {
    return this.toMove === "X" && this.purses.X[4] > 0 && this.turn < LAST_TURN;
  }

  take({ status, words }) {
    const act = this[`_${status}`];
    if (act) act.apply(this, words);
  }

  _playerinfo(name, team, vote, pawns) {
    const ready = vote.toLowerCase() === "true";
    this.players.set(name, { name, team, ready, pawns: pawns ? pawns.split(" ") : [] });
  }

  _playerleave(name) {
    if (this.started && !this.isOver) this.absent.add(name);
    else this.players.delete(name);
  }

  _rejoin(name) {
    this.absent.delete(name);
  }

  _gamestart() {
    this.#blank();
  }

  _pawninfo(pawn, user, at, ...purse) {
    this.started = true;
    this.owners[pawn] = user;
    this.at[pawn] = place(at);
    this.purses[pawn] = purse.map(Number);
    // At the start nothing else is told: from the detectives' places follows where Mr. X may begin.
    if (this.moves.length === 0 && pawn === "Black") this.#begin();
  }

  #begin() {
    this.sight = firstSight(this.detectives);
    this.scenes = [this.#scene(null)];
  }

  _turnnum(turn) {
    this.turn = Number(turn);
  }

  _turn(pawn) {
    this.next = pawn;
    this.xMoved &&= pawn !== "X";
  }

  _move(word, to, ticket) {
    const pawn = NAMED[word.toLowerCase()];
    this.#spend(pawn, ticket);
    this.#moved(pawn, place(to), ticket);
  }

  _gameover(winner, reason) {
    this.winner = winner;
    this.reason = reason;
    this.next = null;
  }

  _history(turn, ...rounds) {
    if (turn === "end") {
      this.reading = false;
      return;
    }
    const made = rounds.map((round) => round.split(" "));
    if (turn === "0") return this.#relive(made);
    this.turn = Number(turn);
    this.xMoved = false;
    for (const [pawn, to, ticket] of made) this.#moved(pawn, place(to), ticket);
  }

  // A history begins: everything is told again from the starts. What tickets are left was told before it.
  #relive(starts) {
    for (const [pawn, at] of starts) this.at[pawn] = place(at);
    Object.assign(this, { turn: 1, moves: [], xMoved: false, reading: true });
    this.#begin();
  }

  #moved(pawn, to, ticket) {
    this.at[pawn] = to;
    const seen = pawn === "X" && REVEALS.includes(this.turn) ? to : null;
    if (pawn === "X") {
      this.sight = seen ? new Set([seen]) : sightAfter(this.sight, ticket, this.detectives);
    } else if (to) {
      this.sight = new Set(this.sight);
      this.sight.delete(to);
    }
    const move = { pawn, to, ticket, turn: this.turn, seen, double: pawn === "X" && this.xMoved };
    if (pawn === "X") this.xMoved = true;
    this.moves.push(move);
    this.scenes.push(this.#scene(move));
  }

  #scene(last) {
    return { at: { ...this.at }, sight: this.sight, turn: this.turn, last, step: this.moves.length };
  }

  // The board as it is now.
  scene() {
    return { ...this.#scene(null), next: this.next };
  }

  #spend(pawn, ticket) {
    const purse = this.purses[pawn];
    // What there is no end of is -1 and stays so.
    const less = (n) => purse[n] > 0 && (purse[n] -= 1);
    less(TICKETS.indexOf(ticket));
    if (pawn === "X" && this.xMoved) less(4);
  }

  // A game that was over before this player looked on: nobody says again who has won.
  conclude() {
    const catcher = DETECTIVES.find((pawn) => this.at[pawn] === this.at.X);
    this.winner ??= catcher ? "Detectives" : MR_X;
    // In the server's words.
    this.reason ||= catcher ? `${catcher} caught ${MR_X} at ${this.at.X}` : `${MR_X} was not caught and is at ${this.at.X}`;
    this.next = null;
  }
}
