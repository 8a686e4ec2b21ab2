// One user of Scotland Yard: logs in, lists, joins, comes back, listens, says.

import { AccountSession } from "../lib/account.js";
import { arrival } from "../lib/arrival.js";
import * as house from "../lib/house.js";
import * as store from "../lib/store.js";
import { lang } from "./lang.js";
import * as codec from "./lines.js";
import { Mirror } from "./mirror.js";
import { line, refusal } from "./words.js";

// Letters of a game's name.
const LONGEST = 40;
const seatName = (game) => `yard:${game}`;
const isBot = (name) => name.startsWith("bot-");

export class YardSession extends AccountSession {
  isWatcher = false;
  // The table's name.
  game = "";
  games = new Map();
  // Does the server have bots to seat?
  hasBots = false;
  mirror = new Mirror("");
  #tag = 0;
  #pending = new Map();
  // The game was over before it was looked at.
  #isPast = false;

  constructor(game, events) {
    super("yard", codec, game, events);
    addEventListener("pagehide", () => this.game && store.past.set(seatName(this.game), this.chat.slice(-200)));
    this.begin();
  }

  // Says a command; `then` hears the answer. Without a connection nothing is said, and the user told so. Was it sent?
  #ask(words, then = (answer) => this.#denied(answer)) {
    this.#tag += 1;
    this.#pending.set(this.#tag, then);
    return this.sent(this.line.send(this.#tag, ...words));
  }

  #denied({ kind, text }) {
    if (kind !== "ok") this.refused(refusal(text));
    this.changed();
  }

  // As a person: a refusal is told in words. Was it sent?
  say(...words) {
    return this.isUp ? this.#ask(words) : this.sent(false);
  }

  probe() {
    this.#ask(["noop"], () => {});
  }

  greet() {
    this.#pending.clear();
    this.#ask(["protocol", "2.0"], ({ kind, text }) =>
      kind === "ok" ? this.logInAs(this.account) : this.door(lang.otherProtocol(text)),
    );
  }

  logInAs({ name, password }) {
    this.#ask(["login", name, password], (answer) => (answer.kind === "ok" ? this.#enter() : this.#notIn(answer.text)));
  }

  #notIn(reason) {
    // The server may not have noticed yet that this browser was gone, or have many others come back as well.
    const mayWait = /in use|later/.test(reason) && !this.account.isNew;
    this.notIn(refusal(reason), { mayWait, isWrong: reason.includes("wrong password"), isPassword: reason.includes("password") });
  }

  #enter() {
    this.entered();
    this.#list();
    // The first line of the answer names a bot.
    this.#ask(["listai"], ({ kind }) => (this.hasBots = kind === "data"));
    const { wish } = this;
    if (wish) this.open(wish.place, wish);
    else if (arrival.bots) this.#againstBots();
    else this.stand("lobby");
  }

  // A game of one's own that begins when so many bots are there.
  #againstBots() {
    let { bots } = arrival;
    arrival.bots = 0;
    const next = (answer) => {
      if (answer.kind !== "ok") return this.#denied(answer);
      if (bots-- > 0) this.#ask(["requestai"], next);
      else this.#ask(["votestart", "True"]);
    };
    // The list of games is asked for before, and so known by then.
    this.#ask(["noop"], () => {
      this.newGame(this.ownName(LONGEST, (name) => this.games.has(name)));
      next({ kind: "ok" });
    });
  }

  #list() {
    this.games.clear();
    this.#ask(["listgames"], () => this.changed());
  }

  // --- tables ---------------------------------------------------------------------------------------------------------

  // Sits down at a table, or looks on.
  open(game, { watch = false } = {}) {
    this.#turnTo(game);
    this.wish = { place: game, watch };
    if (this.stage !== "asking") this.stand("asking");
    if (watch) this.#watch("");
    else this.#ask(["join", game], ({ kind, text }) => (kind === "ok" ? this.#seated() : this.#notSeated(text)));
  }

  #turnTo(game) {
    if (game === this.game) return;
    this.game = game;
    // What was said before a reload; what was done the server tells.
    this.chat = store.past.get(seatName(game)) ?? [];
    this.mirror = new Mirror("");
  }

  newGame(game) {
    return this.#ask(["newgame", game, "standard"], ({ kind, text }) => {
      if (kind !== "ok") return this.refused(refusal(text));
      this.#turnTo(game);
      this.wish = { place: game };
      this.#seated();
    });
  }

  // What is told next is told from the beginning. A game that goes on stays on the screen meanwhile.
  #begin() {
    const { name } = this.account;
    const goesOn = this.mirror.started && this.mirror.me === name && this.games.get(this.game)?.stage === "in progress";
    if (goesOn) this.mirror.players.clear();
    else this.mirror = new Mirror(name);
    this.log = [];
    this.#seek(this.mirror);
  }

  // Who comes to a game is not told who is gone from it: the server's list of tables says so.
  async #seek(t) {
    const seats = await house.seats("yard", this.game).catch(() => []);
    const absent = seats.filter((seat) => !seat.is_here && seat.name !== t.me);
    t.absent = new Set(absent.map(({ name }) => name));
    this.changed();
  }

  #seated() {
    this.isWatcher = false;
    this.#isPast = false;
    this.#begin();
    this.#sit("");
    const kept = store.seat.get(seatName(this.game));
    // A table that had not begun forgets who leaves: back to the side that was chosen.
    if (kept?.team && this.games.get(this.game)?.stage !== "in progress") this.#ask(["setteam", kept.team], () => {});
    this.#ask(["listplayers"]);
    store.seat.set(seatName(this.game), kept ?? {});
  }

  #sit(notice) {
    this.moved(this.game);
    this.stand("table", notice);
  }

  #notSeated(reason) {
    const { game } = this;
    if (!reason.includes("no such game")) return this.#watch(refusal(reason));
    // A table at which only this browser sat is gone while the page is loaded anew: laid again, or by a friend meanwhile.
    const kept = store.seat.get(seatName(game));
    if (!kept) return this.#home(lang.noGame(game));
    store.seat.clear(seatName(game));
    this.#ask(["newgame", game, "standard"], ({ kind }) => {
      if (kind !== "ok") return this.open(game);
      store.seat.set(seatName(game), { team: kept.team });
      this.#seated();
      for (let n = 0; n < (kept.bots ?? 0); n++) this.#ask(["requestai"]);
    });
  }

  // After the end, or instead of waiting for somebody: the same people on the same sides at a new table. Its name follows
  // from that of the old one, so that all who want it meet there; who comes first lays it, and calls as many bots as there
  // were.
  rematch() {
    const t = this.mirror;
    const isOpen = (name) => ["in progress", "complete"].includes(this.games.get(name)?.stage);
    const next = this.nextName(this.game, LONGEST, isOpen);
    store.seat.clear(seatName(this.game));
    store.seat.set(seatName(next), { team: t.team, bots: new Set(Object.values(t.owners).filter(isBot)).size });
    if (t.isOver) this.#ask(["leave"], () => this.open(next));
    else this.#away({ place: next });
  }

  #watch(notice) {
    const { game } = this;
    this.#isPast = this.games.get(game)?.stage === "complete";
    this.#ask(["watch", game], ({ kind, text }) => {
      if (kind !== "ok") return this.#home(refusal(text));
      this.isWatcher = true;
      this.#begin();
      this.#sit(notice);
      this.#ask(["listplayers"]);
    });
  }

  // From looking on to playing.
  sitDown() {
    this.#ask(["leave"], () => this.open(this.game));
  }

  // Chooses a side.
  setTeam(team) {
    this.#ask(["setteam", team], (answer) => {
      if (answer.kind !== "ok") return this.#denied(answer);
      store.seat.set(seatName(this.game), { team });
    });
  }

  // Back to the list of games. A seat in a game that goes on is kept.
  leave() {
    const t = this.mirror;
    if (!this.isWatcher && t.started && !t.isOver) return this.#away(null);
    store.seat.clear(seatName(this.game));
    this.#ask(["leave"], () => this.#home(""));
  }

  // A game that goes on is left by going: the seat is kept.
  #away(wish) {
    this.wish = wish;
    this.line.close();
    this.isUp = false;
    this.moved(wish?.place ?? "");
    this.resume();
  }

  #home(notice) {
    this.wish = null;
    this.game = "";
    this.moved("");
    this.#list();
    this.stand("lobby", notice);
  }

  // One hop, or two; `refused` hears if nothing came of it.
  move(pawn, hops, refused) {
    const words = [hops.length > 1 ? "doublemove" : "move", pawn, ...hops.flatMap(({ to, ticket }) => [to, ticket])];
    this.#ask(words, (answer) => {
      if (answer.kind !== "ok") refused();
      this.#denied(answer);
    });
  }

  // --- what is heard -----------------------------------------------------------------------------------------------------

  hear(said) {
    if (said.status === undefined) {
      const then = this.#pending.get(said.tag);
      this.#pending.delete(said.tag);
      then?.(said);
      return;
    }
    const [name, stage, , players] = said.words;
    if (said.status === "gameinfo") this.games.set(name, { name, stage, players: Number(players) });
    else if (said.status === "gameremoved") this.#removed(name);
    else if (said.status === "bad") this.refused(refusal(said.words.join(" ")));
    else this.#follow(said);
  }

  #removed(name) {
    this.games.delete(name);
    store.seat.clear(seatName(name));
    if (this.stage === "table" && name === this.game) this.#home(lang.gameGone(name));
  }

  #follow(said) {
    const t = this.mirror;
    const seen = t.moves.length;
    t.take(said);
    if (said.status === "gamestart") this.log = [];
    // Once the game is over the whole history is told, Mr. X's stations too: it was in the log as everybody saw it.
    if (!(said.status === "history" && t.isOver)) {
      if (said.status === "history" && said.words[0] === "0") this.log = [];
      t.moves.slice(seen).forEach((move, n) => {
        this.write(line(t, { status: "moved", move }), t.scenes[seen + n + 1]);
      });
      this.write(line(t, said));
      if (said.status.startsWith("chat"))
        this.chat.push({ name: said.words[0], text: said.words[1], mark: said.status === "chatteam" && lang.team });
    }
    if (said.status === "history" && !t.reading && this.#isPast) t.conclude();
    if (said.status === "gameover") this.#ask(["history"], () => this.#ask(["pawninfo"], () => this.changed()));
  }

  get question() {
    return this.mirror.toMove && this.mirror.moves.length;
  }
}
