// One user at one table: joins, comes back, listens, says.

import { arrival } from "../lib/arrival.js";
import { Session } from "../lib/session.js";
import * as store from "../lib/store.js";
import { myClaims, payRefusal, payment } from "./choices.js";
import * as codec from "./codec.js";
import { lang } from "./lang.js";
import { Mirror, isDebt } from "./mirror.js";
import { Story } from "./story.js";
import { line, person, refusal } from "./words.js";

store.settings.add({ speed: "normal", claim: true, pay: false, admit: false });

const PATH_MAX = 48;
// Between two tries to sit down at a table whose game is over.
const PATIENCE = 2000;

export const isBot = (name) => /^bot\d/.test(name);

export class PimpSession extends Session {
  // Beside the stages of every session: "pending" (a vote), "seated".
  isAway = false;
  // The house rules, once they are known.
  rules = null;
  mirror = new Mirror();
  card = null;
  // Squares that each piece has yet to walk over, for the board to show.
  paths = new Map();
  // When bidding began, or the last bid came; 0: before this page did.
  askedAt = 0;
  // How the game went, for its end.
  story = new Story();
  #claimed = 0;
  #paid = 0;
  // The deal that this user has called off.
  #calledOff = 0;
  #voted = 0;
  // Bots that this user has called and that have not come yet.
  #called = 0;
  // All that this user has called.
  #bots = 0;
  // Names of those who played in the last game here, once this user wants another.
  #companions = new Set();
  #wish = null;
  #greetings = 0;

  constructor(table, events) {
    super(`/ws/pimp/${table}`, codec, table, events);
    this.table = table;
    const seat = store.seat.get(table);
    const past = seat && store.past.get(table);
    if (past?.game === seat?.game) {
      Object.assign(this, past?.told);
      Object.assign(this.story, past?.story);
    }
    addEventListener("pagehide", () => {
      const { log, logged, story } = this;
      store.past.set(table, { game: this.mirror.game, told: { log, logged }, story });
    });
    const { name, piece = 0 } = store.person.get();
    if (seat) this.resume();
    else if (arrival.way && name) this.join(name, piece, arrival.way === "play");
  }

  // A bot that this user has called needs no vote of this user.
  expect(bots) {
    this.#called += bots;
    this.#bots += bots;
  }

  greet() {
    this.#greetings = 0;
    this.line.send("HANDSHAKE", { version: 1 });
  }

  join(name, piece, play) {
    this.#wish = { name, piece, play };
    store.person.set({ ...store.person.get(), name, piece });
    store.seat.clear(this.table);
    this.stand("asking");
    if (this.line.isOpen) this.line.send("JOIN", this.#wish);
    else this.line.connect();
  }

  // To the door.
  again() {
    this.#door("");
  }

  // After a game that is over, once more with the same people: as who one was, and none of them needs a vote of this user.
  // The server has a new game as soon as the old one is left. Bots are called anew by who called them.
  rematch() {
    const { self } = this.mirror;
    const played = Object.values(this.story.names);
    this.#door("");
    if (!played.includes(self.name)) return;
    this.#companions = new Set(played);
    arrival.bots = Math.min(this.#bots, played.filter(isBot).length);
    this.#bots = 0;
    this.join(self.name, self.piece, true);
  }

  // Was it sent?
  send(type, fields) {
    this.isAway = type === "AFK";
    if (type === "TRANSACTION_CANCEL") this.#calledOff = fields.transaction;
    if (type === "KICK") this.voted(this.mirror.users.get(fields.player).name);
    const isSent = this.sent(this.line.send(type, fields));
    this.changed();
    return isSent;
  }

  sendAll(messages) {
    for (const [type, fields] of messages) this.send(type, fields);
  }

  #door(notice) {
    store.seat.clear(this.table);
    this.#wish = null;
    this.mirror = new Mirror();
    this.story = new Story();
    this.card = null;
    this.hangUp("door", notice);
  }

  #greeted(game) {
    const seat = store.seat.get(this.table);
    this.#greetings += 1;
    // A lobby greets with the table that fills, then with that of the seat once it has found it.
    const isHome = this.table === "lobby" ? seat !== null : seat?.game === game;
    if (isHome && this.#greetings > 1) return;
    if (isHome) this.line.send("REJOIN", { player: seat.id, password: seat.password });
    else if (this.#wish && !seat) this.line.send("JOIN", this.#wish);
    else this.#door(lang.newGameBegun);
  }

  #seated() {
    this.isAway = false;
    this.up();
    this.stand("seated");
  }

  hear(m) {
    const t = this.mirror;
    if (m.type === "TRANSACTION_CANCELLED") this.#vanished(t.deals.get(m.transaction));
    t.take(m);
    switch (m.type) {
      case "PING":
        this.line.send("PONG", { nonce: m.nonce });
        return;
      case "HANDSHAKE_ACKNOWLEDGE":
        return this.#greeted(m.game);
      case "WELCOME_DETAILS":
        store.seat.set(this.table, { game: t.game, id: m.player, password: m.password });
        return this.#seated();
      case "WELCOME_BACK":
        this.#seated();
        break;
      case "JOIN_PENDING":
        if (this.stage !== "seated") this.stand("pending");
        break;
      case "ERROR_WRONG_PASSWORD":
        return this.#door(refusal(m));
    }
    if (m.type.startsWith("ERROR_")) return this.#denied(m);
    this.#show(m);
    this.story.take(t, m);
    this.write(line(t, m));
  }

  // An offer that is gone from the screen says where it went. What somebody owes goes only with its debtor, who is told of.
  #vanished(deal) {
    if (!deal || this.#calledOff === deal.id || this.mirror.dumping || deal.creditor === this.mirror.me) return;
    const { players } = this.mirror;
    const isGone = !players.some((user) => user.id === deal.other);
    const other = person(this.mirror, deal.other);
    this.refused(isGone ? lang.leftVoid(other) : lang.calledOff(other, deal.id));
  }

  #denied(m) {
    if (this.stage === "seated") return this.refused(refusal(m));
    // Without a vote it is the table that can't: its game is over, and a new one begins when everybody has left.
    if (m.type === "ERROR_NOT_WELCOME" && this.stage === "asking" && this.#wish) {
      setTimeout(() => this.stage === "asking" && this.#wish && this.line.send("JOIN", this.#wish), PATIENCE);
      return this.stand("asking", lang.clearingAway);
    }
    if (["ERROR_TOO_MANY_USERS", "ERROR_NAME_IN_USE", "ERROR_NOT_WELCOME", "ERROR_UNKNOWN_PROTOCOL"].includes(m.type)) {
      this.#door(refusal(m));
    }
  }

  // What the board plays back: steps, cards.
  #show(m) {
    const path = this.paths.get(m.player) ?? [];
    switch (m.type) {
      case "STATE_BOARD":
        this.paths.clear();
        break;
      case "PLAYER_PASSING_BY_SQUARE":
      case "PLAYER_LANDING_ON_SQUARE":
      case "GOING_TO_JAIL":
        // With quick bots a piece may never catch up: it jumps then.
        this.paths.set(m.player, path.length > PATH_MAX ? [m.square] : [...path, m.square]);
        break;
      case "PROPERTY_AUCTION":
      case "PROPERTY_AUCTION_BID":
        this.askedAt = performance.now();
        break;
      case "GOT_CARD":
        this.card = { player: m.player, card: m.card };
        break;
      case "START_OF_TURN":
        this.card = this.card && { ...this.card, old: true };
        break;
    }
  }

  get question() {
    const t = this.mirror;
    return t.prompt.player === t.me && t.prompt.kind !== "over" && t.isPlaying ? t.prompt : null;
  }

  // What is done for the player.
  settle() {
    const t = this.mirror;
    if (this.stage === "seated" && t.isPlaying) {
      this.#claimForMe();
      this.#payForMe();
    }
    if (t.vote && this.#voted !== t.vote.candidate) this.#voteForMe(t.vote);
  }

  #voteForMe({ candidate, name }) {
    const isCalled = this.#called > 0 && isBot(name);
    if (!isCalled && !this.#companions.has(name) && !store.settings.admit) return;
    if (isCalled) this.#called -= 1;
    this.#voted = candidate;
    this.line.send("ACCEPT_JOIN", { candidate });
  }

  #claimForMe() {
    if (!store.settings.claim) return;
    for (const claim of myClaims(this.mirror)) {
      if (claim.number <= this.#claimed) continue;
      this.#claimed = claim.number;
      this.line.send(...claimMessage(claim));
      // Whoever is away stays away, though the page has spoken.
      if (this.isAway) this.line.send("AFK");
    }
  }

  // A rent that there is the cash for, once; whatever else somebody owes is a matter of choice.
  #payForMe() {
    if (!store.settings.pay) return;
    const t = this.mirror;
    const due = t.openDeals.filter((deal) => deal.kind === "rent" && isDebt(deal) && deal.id > this.#paid);
    for (const deal of due) {
      if (payRefusal(t, deal)) return;
      this.#paid = deal.id;
      for (const [type, fields] of payment(t, deal)) this.line.send(type, fields);
      if (this.isAway) this.line.send("AFK");
    }
  }

  lost(pause) {
    super.lost(pause);
    if (this.mirror.prompt.kind === "over") {
      this.line.close();
      this.retryAt = 0;
    } else if (this.stage === "pending") this.stand("asking");
  }
}

export const claimMessage = (claim) =>
  claim.player === undefined
    ? ["CLAIM_RENT", { debtor: claim.debtor, property: claim.deed }]
    : ["CLAIM_GO", { square: claim.square }];
