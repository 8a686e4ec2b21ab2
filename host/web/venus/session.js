// One user of Merchant of Venus: logs in, goes to a room, sits down, comes back, listens, says. What the screen shows is
// drawn from here; nothing here draws.

import { Line } from "../lib/socket.js";
import * as store from "../lib/store.js";
import * as codec from "./lines.js";
import { Mirror } from "./mirror.js";
import { token } from "./tokens.js";
import { deal, line, refusal } from "./words.js";

export const HALL = "Great Hall";
const GAME = "MerchantOfVenus";
const LINES = 2400;
// While the server is busy, a login is tried again after this pause, so often.
const PAUSE = 1000;
const TRIES = 40;

// Nobody has to remember it: the browser does.
const freshPassword = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(15)), (n) => (n % 36).toString(36)).join("");

export class Session {
  // "door" (asked for a name), "asking", "lobby", "table", "elsewhere" (another tab).
  stage = "door";
  notice = "";
  isUp = false;
  retryAt = 0;
  // Where this user is, and everything else that the hall tells.
  room = HALL;
  rooms = new Map();
  people = new Map();
  saves = [];
  chat = [];
  mirror = new Mirror();
  log = [];
  logged = 0;
  // What everybody was worth when a turn began.
  worths = [];
  #account = store.seat.get("venus");
  #wish = null;
  #tries = 0;
  #isLoggingIn = false;
  #asked = "";
  // A refresh is being told: it is no news.
  #isReading = false;
  #before = { isStarted: false };
  #trade = null;
  #id = Math.random();

  // `changed`: something to draw anew. `refused`: a sentence for the user. `yourTurn`: the table asks this user.
  // `moved`: another room, or the hall, belongs into the address.
  constructor(room, { changed, refused, yourTurn, moved }) {
    Object.assign(this, { changed, refused, yourTurn, moved });
    this.line = new Line("/ws/venus", codec, {
      open: () => {},
      message: (said) => this.#hear(said),
      settled: () => this.#settle(),
      lost: (pause) => this.#lost(pause),
    });
    // One account is connected once: the newer tab has it.
    this.channel = new BroadcastChannel("parlor:venus");
    this.channel.onmessage = ({ data }) => {
      if (data === this.#id || ["door", "elsewhere"].includes(this.stage)) return;
      this.line.close();
      this.isUp = false;
      this.#stand("elsewhere");
    };
    if (room) this.#wish = { room };
    if (this.#account) this.resume();
  }

  get account() {
    return this.#account;
  }
  get wish() {
    return this.#wish;
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

  #stand(stage, notice = "") {
    this.stage = stage;
    this.notice = notice;
    this.changed();
  }

  // With the name and password that the browser remembers.
  resume() {
    this.channel.postMessage(this.#id);
    this.#tries = 0;
    this.#stand("asking");
    this.line.connect();
  }

  // A name, and a password if this person has one of their own.
  logIn(name, password, watch) {
    this.#account = { name, password: password || freshPassword(), isOwn: Boolean(password), isNew: true };
    if (this.#wish) this.#wish.watch = watch;
    store.person.set({ ...store.person.get(), name });
    this.line.close();
    this.resume();
  }

  logOut() {
    store.seat.clear("venus");
    this.#door("");
  }

  #door(notice) {
    this.#account = null;
    this.line.close();
    this.isUp = false;
    this.#stand("door", notice);
  }

  // As a person: without a connection nothing is said, and that is told.
  say(name, ...fields) {
    if (this.isUp && this.line.send(name, ...fields)) return true;
    this.refused("There is no connection just now. Try again in a moment.");
    return false;
  }

  #logIn(isAgain = false) {
    const { name, password } = this.#account;
    this.#isLoggingIn = true;
    if (isAgain) this.line.send("LOGOUTOTHER", name, password);
    this.line.send("LOGIN", name, password);
  }

  #notIn(reason) {
    const account = this.#account;
    this.#isLoggingIn = false;
    if (/busy|later/i.test(reason) && this.#tries < TRIES) {
      this.#tries += 1;
      if (this.#tries > 3) this.#stand("asking", "The server is not ready for you yet …");
      setTimeout(() => this.#account === account && this.line.isOpen && this.#logIn(), PAUSE);
      return;
    }
    if (!account.isNew && /password/i.test(reason)) store.seat.clear("venus");
    this.#door(refusal(reason));
  }

  #enter() {
    const { isNew, ...account } = this.#account;
    this.#account = account;
    this.#isLoggingIn = false;
    store.seat.set("venus", account);
    this.rooms.clear();
    this.people.clear();
    this.room = HALL;
    this.isUp = true;
    this.line.prove();
  }

  // The hall was told: now to the room that was asked for.
  #arrive() {
    const wish = this.#wish;
    if (wish) this.open(wish.room, wish);
    else this.#stand("lobby");
  }

  // --- rooms ----------------------------------------------------------------------------------------------------------

  // Goes to a room; one that is not there is made, with a game in it.
  open(room, { watch = false } = {}) {
    this.#wish = { room, watch };
    if (!this.rooms.has(room)) {
      if (watch) return this.#home(`There is no room “${room}”.`);
      this.line.send("NEWROOM", room);
    }
    this.line.send("CHANGEROOM", room);
    if (this.stage !== "table") this.#stand("asking");
  }

  newGame() {
    this.say("NEWGAME", GAME);
  }

  leave() {
    this.#wish = null;
    this.say("CHANGEROOM", HALL);
  }

  #home(notice) {
    this.#wish = null;
    this.moved("");
    this.#stand("lobby", notice);
  }

  sitDown() {
    if (this.#wish) this.#wish.watch = false;
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
    this.#stand("table");
    if (!this.game && !this.#wish?.watch && this.here.length === 1) this.newGame();
    else this.#sit();
  }

  // Who came to play sits down as soon as that is possible.
  #sit() {
    const { mirror } = this;
    if (this.#wish && !this.#wish.watch && mirror.me === null && mirror.may("JOIN")) {
      this.line.send("JOIN");
      this.#wish.watch = true;
    }
  }

  // --- what is heard -----------------------------------------------------------------------------------------------------

  #hear({ name, fields }) {
    const act = this[`_${name}`];
    if (act) act.apply(this, fields);
    else this.#follow({ name, fields });
  }

  _CONNECTSTRING() {
    this.#logIn();
  }
  _WELCOME() {
    this.#enter();
  }
  // An old connection of ours, or another device: this one takes its place.
  _ALREADYLOGGEDIN() {
    if (this.#tries++ < 3) this.#logIn(true);
    else this.#notIn("this name is connected elsewhere");
  }
  _ERROR(text) {
    if (this.#isLoggingIn) this.#notIn(text);
    else this.refused(refusal(text));
  }
  _MOVERROR(text) {
    this.refused(text);
    this.changed();
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
    this.people.set(user, room);
    if (user === this.account.name) {
      if (was === undefined) this.#arrive();
      else if (was !== room) this.#entered(room);
    }
  }
  _DROPINHABITANT(user) {
    this.people.delete(user);
  }
  _MESSAGE(text) {
    this.chat.push(text);
    this.#write(text);
  }


  #clear() {
    this.mirror = new Mirror();
    Object.assign(this, { log: [], worths: [] });
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
    }
    this.#write(line(t, said, this.#before));
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
    if (trade) this.#write(deal(t, trade.id, trade));
  }

  // The server has said all that belongs to one action.
  #settled(t) {
    this.#tellTrade(t);
    this.#isReading = false;
    this.#before = { isStarted: t.isStarted, seen: new Set(knownBoxes(t)), homes: new Set(t.homes.keys()) };
  }

  #write(text) {
    if (!text) return;
    this.logged += 1;
    this.log.push({ number: this.logged, text, scene: this.mirror.scene() });
    if (this.log.length > LINES * 1.25) this.log.splice(0, this.log.length - LINES);
  }

  #settle() {
    const { mirror: t } = this;
    this.#sit();
    const asked = t.isMyTurn && !this.#isReading ? `${t.state} ${this.logged}` : "";
    if (asked && !this.#asked) this.yourTurn();
    this.#asked = asked;
    this.changed();
  }

  #lost(pause) {
    this.isUp = false;
    this.people.clear();
    this.retryAt = Date.now() + pause;
    this.changed();
  }
}

function* knownBoxes(t) {
  for (const [name, { contents }] of t.boxes) if (contents) yield name;
}
