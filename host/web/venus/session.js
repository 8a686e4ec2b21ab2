// One user of Merchant of Venus: logs in, goes to a room, sits down, comes back, listens, says.

import { AccountSession } from "../lib/account.js";
import { arrival } from "../lib/arrival.js";
import * as store from "../lib/store.js";
import { lang } from "./lang.js";
import * as codec from "./lines.js";
import { Mirror } from "./mirror.js";
import { token } from "./tokens.js";
import { deal, line, refusal, talkWords } from "./words.js";

export const HALL = "Great Hall";
const GAME = "MerchantOfVenus";
// Letters of a room's name.
export const LONGEST = 24;
// Lines that are kept over a reload.
const KEPT = 800;
// An old connection of ours is told so often to make room.
const TAKEOVERS = 3;

export class VenusSession extends AccountSession {
  // Where this user is, and everything else that the hall tells.
  room = HALL;
  rooms = new Map();
  people = new Map();
  saves = [];
  mirror = new Mirror();
  refusals = 0;
  // What everybody was worth when a turn began, and the last line of the log then.
  worths = [];
  turnLines = [];
  #takeovers = 0;
  #isLoggingIn = false;
  #isExplained = false;
  // A refresh is being told: it is no news.
  #isReading = false;
  #before = { isStarted: false };
  #trade = null;
  // How many bots a game shall begin with, and how many were called.
  #bots = 0;
  #called = 0;

  constructor(room, events) {
    super("venus", codec, room, events);
    addEventListener("pagehide", () => this.#keep());
    this.begin();
  }

  get game() {
    return this.rooms.get(this.room)?.game ? this.rooms.get(this.room) : null;
  }
  get here() {
    return [...this.people].filter(([, room]) => room === this.room).map(([user]) => user);
  }
  isPresent(user) {
    return this.people.get(user) === this.room;
  }
  // What this user is asked, if anything.
  get question() {
    const { mirror: t } = this;
    return t.isMyTurn && !this.#isReading ? `${t.current} ${this.worths.length}` : null;
  }

  // As a person. Was it sent?
  say(name, ...fields) {
    return this.sent(this.isUp && this.line.send(name, ...fields));
  }

  // The server speaks first.
  greet() {
    this.#takeovers = 0;
  }

  logInAs({ name, password }) {
    this.#isLoggingIn = true;
    this.line.send("LOGIN", name, password);
  }

  #notIn(reason) {
    this.#isLoggingIn = false;
    const isWrong = /password/i.test(reason) && !this.account.isNew;
    this.notIn(refusal(reason), { mayWait: /busy|later/i.test(reason), isWrong, isPassword: /password/i.test(reason) });
  }

  // The hall was told: now to the room that was asked for.
  #arrive() {
    const { wish } = this;
    if (wish) this.open(wish.place, wish);
    else if (arrival.bots) this.#againstBots();
    else this.stand("lobby");
  }

  #againstBots() {
    this.#bots = arrival.bots;
    arrival.bots = 0;
    this.open(this.ownName(LONGEST, (room) => this.rooms.has(room)));
  }

  // A game that was asked for with bots begins when they are there.
  #begin() {
    const { mirror: t } = this;
    if (!this.#bots || t.me === null) return;
    if (t.state === "InitialState" && t.players.size === 1 && this.#called === 0) {
      this.#called = this.#bots;
      for (let n = 0; n < this.#bots; n++) this.line.send("REQUESTBOT");
    } else if (t.players.size > this.#bots && t.may("VALIDATESETUP")) this.line.send("VALIDATESETUP");
    else if (t.may("LIKEOPTIONS")) {
      this.#bots = 0;
      this.line.send("LIKEOPTIONS");
    }
  }

  // --- rooms ----------------------------------------------------------------------------------------------------------

  // Goes to a room; one that is not there is made, with a game in it.
  open(room, { watch = false } = {}) {
    this.wish = { place: room, watch };
    if (!this.rooms.has(room)) {
      if (watch) return this.#home(lang.noRoom(room));
      this.line.send("NEWROOM", room);
    }
    this.line.send("CHANGEROOM", room);
    if (this.stage !== "table") this.stand("asking");
  }

  newGame() {
    this.say("NEWGAME", GAME);
  }

  leave() {
    this.wish = null;
    this.say("CHANGEROOM", HALL);
  }

  // Instead of waiting for somebody: all who want it meet in a room whose name follows from this one's. The seat here is kept.
  anew() {
    const isTaken = (room) => ["In Progress.", "Complete."].includes(this.rooms.get(room)?.status);
    this.open(this.nextName(this.room, LONGEST, isTaken));
  }

  #home(notice) {
    this.wish = null;
    this.moved("");
    this.stand("lobby", notice);
  }

  sitDown() {
    if (this.wish) this.wish.watch = false;
    this.say("JOIN");
  }

  // This user is in another room now.
  #entered(room) {
    this.room = room;
    this.chat = [];
    if (room === HALL) {
      if (this.stage === "table") this.#home("");
      return;
    }
    this.moved(room);
    this.stand("table");
    if (!this.game && !this.wish?.watch && this.here.length === 1) this.newGame();
    else this.#sit();
  }

  // Who came to play sits down as soon as that is possible.
  #sit() {
    const { mirror } = this;
    if (this.wish && !this.wish.watch && mirror.me === null && mirror.may("JOIN")) {
      this.line.send("JOIN");
      this.wish.watch = true;
    }
  }

  // --- what is heard -----------------------------------------------------------------------------------------------------

  hear({ name, fields }) {
    const act = this[`_${name}`];
    if (act) act.apply(this, fields);
    else this.#follow({ name, fields });
  }

  _CONNECTSTRING() {
    this.logInAs(this.account);
  }
  _WELCOME() {
    this.#isLoggingIn = false;
    this.rooms.clear();
    this.people.clear();
    this.room = HALL;
    this.entered();
  }
  // An old connection of ours, or another device: this one takes its place.
  _ALREADYLOGGEDIN() {
    const { name, password } = this.account;
    if (this.#takeovers++ >= TAKEOVERS) return this.#notIn(lang.elsewhere);
    this.line.send("LOGOUTOTHER", name, password);
    this.logInAs(this.account);
  }
  _ERROR(text) {
    this.refusals += 1;
    if (this.#isLoggingIn) this.#notIn(text);
    // A rule that says no has told why.
    else if (!this.#isExplained) this.refused(refusal(text));
    this.#isExplained = false;
  }
  _MOVERROR(text) {
    this.refusals += 1;
    this.#isExplained = true;
    this.refused(lang.told(text));
  }
  _GUIIAM() {}
  _NEWGUI() {}
  _GAMES() {}
  _SAVEGAMES(list) {
    this.saves = list === "" ? [] : list.split(",");
  }
  _DROPGUI(gui) {
    if (gui !== "ROOMGUI") this.#clear();
  }
  _GUIROOM(room, game, status) {
    this.rooms.set(room, { room, game, status });
  }
  _DROPROOM(room) {
    this.rooms.delete(room);
  }
  _INHABITANT(user, room) {
    const was = this.people.get(user);
    this.#follows(user, room);
    if (user === this.account.name) {
      if (was === undefined) this.#arrive();
      else if (was !== room) this.#entered(room);
    }
  }
  _DROPINHABITANT(user) {
    this.#follows(user, "");
  }

  // Who plays here and goes, or comes back, is told of.
  #follows(user, room) {
    const was = this.isPresent(user);
    this.people.set(user, room);
    const { isStarted, inOrder, me } = this.mirror;
    const plays = this.room !== HALL && isStarted && inOrder.some(({ id, name }) => name === user && id !== me);
    if (plays && was !== this.isPresent(user)) this.write((was ? lang.goes : lang.isBack)(user));
  }
  _MESSAGE(said) {
    const text = talkWords(said);
    this.chat.push({ text });
    this.write(text);
  }


  #clear() {
    this.mirror = new Mirror();
    Object.assign(this, { log: [], worths: [], turnLines: [] });
    this.#before = { isStarted: false };
    this.#trade = null;
  }

  // A line of the game itself.
  #follow(said) {
    const { mirror: t } = this;
    const { name, fields } = said;
    if (name === "RESET") {
      this.#isReading = true;
      // The same game goes on after a lost connection: what was logged is still true.
      if (!t.isStarted) this.#clear();
    }
    const player = t.players.get(Number(fields[0]));
    const cash = player ? player.cash + player.barter : 0;
    t.take(said);
    if (name === "NEWSTATE") return this.#settled(t);
    if (this.#isReading) return;
    if (this.#before.isStarted) this.#note(name, fields, player, cash);
    if (name === "CURPLAYER") {
      this.#tellTrade(t);
      this.worths.push(t.inOrder.map(({ id, worth }) => [id, worth]));
      this.turnLines.push(this.logged + 1);
    }
    this.write(line(t, said, this.#before));
  }

  // What was said and done outlives a reload: the map of each line too, which many lines have in common.
  #keep() {
    const { mirror: t, log, logged, worths, turnLines, chat } = this;
    if (this.room === HALL) return;
    const maps = [];
    const place = (map) => {
      const at = maps.indexOf(map);
      return at < 0 ? maps.push(map) - 1 : at;
    };
    const lines = log.slice(-KEPT).map(({ scene, ...line }) => ({
      ...line,
      scene: { ...scene, boxes: place(scene.boxes), homes: place(scene.homes) },
    }));
    const told = { logged, worths, turnLines, chat: chat.slice(-KEPT) };
    store.past.set(`venus:${this.room}`, { game: gameOf(t), told, lines, maps: maps.map((map) => [...map]) });
  }

  #recall() {
    const past = store.past.get(`venus:${this.room}`);
    if (past?.game !== gameOf(this.mirror)) return;
    const maps = past.maps.map((entries) => new Map(entries));
    const whole = ({ scene, ...line }) => ({
      ...line,
      scene: { ...scene, boxes: maps[scene.boxes], homes: maps[scene.homes] },
    });
    Object.assign(this, past.told, { log: past.lines.map(whole) });
  }

  // What came and went, until the action is over.
  #note(name, [id, text], player, cash) {
    if (!["ADDTOPLAYER", "SUBTRACTFROMPLAYER", "PLAYERMONEY"].includes(name)) return;
    const { mirror: t } = this;
    if (Number(id) !== t.current && name === "PLAYERMONEY") return;
    this.#trade ??= { id: Number(id), got: [], gave: [], paid: 0 };
    if (name === "PLAYERMONEY") this.#trade.paid += player.cash + player.barter - cash;
    else this.#trade[name === "ADDTOPLAYER" ? "got" : "gave"].push(token(text));
  }

  #tellTrade(t) {
    const trade = this.#trade;
    this.#trade = null;
    if (trade) this.write(deal(t, trade.id, trade));
  }

  // The server has said all that belongs to one action.
  #settled(t) {
    this.#tellTrade(t);
    this.#isExplained = false;
    if (this.#isReading && t.isStarted && this.log.length === 0) this.#recall();
    this.#isReading = false;
    this.#before = { isStarted: t.isStarted, seen: new Set(knownBoxes(t)), homes: new Set(t.homes.keys()) };
  }

  settle() {
    this.#sit();
    this.#begin();
  }

  lost(pause) {
    // Who goes before the start gives up the seat (venus 4.4), and whoever was alone the room: they are for the taking again.
    if (this.wish && this.mirror.me !== null && !this.mirror.isStarted) this.wish.watch = false;
    this.people.clear();
    super.lost(pause);
  }
}

// Which game it is, as far as can be told: who plays, and in which order.
const gameOf = (t) => `${t.winMoney} ${t.inOrder.map((player) => player.name).join()}`;

function* knownBoxes(t) {
  for (const [name, { contents }] of t.boxes) if (contents) yield name;
}
