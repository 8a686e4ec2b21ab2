// Monopoly's table on the screen.

import { arrival } from "../lib/arrival.js";
import { toast } from "../lib/dialog.js";
import { h, patch } from "../lib/dom.js";
import * as house from "../lib/house.js";
import { setPace, thought } from "../lib/pace.js";
import { Page } from "../lib/page.js";
import { SideTalk } from "../lib/side_talk.js";
import { settings } from "../lib/store.js";
import { drawTalk, talk } from "../lib/talk.js";
import { Board } from "./board.js";
import { followDialog, squareDialog } from "./deeds.js";
import { door } from "./door.js";
import { DEEDS } from "./facts.js";
import { lang } from "./lang.js";
import { menu } from "./menu.js";
import { actions, deals, mine, players } from "./panels.js";
import { PimpSession } from "./session.js";
import { status } from "./words.js";

const TABS = [
  ["players", lang.players],
  ["mine", lang.yours],
  ["deals", lang.deals],
  ["talk", lang.talk],
  ["log", lang.log],
];

// The deed that the game is about just now, for the middle of the board.
function offerOf({ mirror: t, askedAt }, rules) {
  const { kind, deed, price, bid, leader } = t.prompt;
  if (kind !== "sale" && kind !== "auction") return null;
  const mine = t.deedsOf(t.me).filter((own) => DEEDS[own][1] === DEEDS[deed][1]).length;
  if (kind === "sale") return { deed, price, mine };
  const name = leader === t.me ? lang.youLead : (t.users.get(leader)?.name ?? "");
  return { deed, bid, leader: name, mine, limit: rules.auction_timeout ?? 0, since: askedAt };
}

// How often those who are gone are looked for.
const SEEK = 3000;

export class PimpPage extends Page {
  // Deals first: whoever is asked for one need not look for it.
  panels = ["deals", "players", "mine", "talk", "log"].map((name) => TABS.find(([tab]) => tab === name));
  name = lang.title;
  home = "/pimp";
  layout = "pimp";
  #mayCommand = false;
  #isMissing = false;
  #talk = null;
  #heardTalk = 0;
  // Whom this user does not want to hear.
  #muted = new Set();

  constructor(root, table) {
    super(root, TABS);
    this.table = table;
    this.place = table === "lobby" ? "" : lang.place(table);
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.board = new Board(
      (square) => squareDialog(this.session, square),
      () => (reduced.matches || this.isFlood ? "off" : settings.speed),
    );
    this.session = new PimpSession(table, {
      ...this.events,
      // No message of the game tells the others of a vote.
      voted: (name) => this.#talk?.say(this.session.mirror.self.name, lang.iVoteOut(name)),
    });
    setInterval(() => this.#seek(), SEEK);
  }

  learn({ tables, rules = {}, may_command: mayCommand, lobby }) {
    const isNext = this.table === "lobby";
    this.#isMissing = isNext ? !lobby : !tables.some((row) => row.table === this.table);
    this.rules = this.session.rules = rules;
    // Bots are sent to a table by its number.
    this.#mayCommand = mayCommand && !isNext;
    this.draw();
  }

  // What the server knows this table by: one of a lobby by its game.
  get #path() {
    return this.table === "lobby" ? `pimp-lobby/${this.session.mirror.game}` : `pimp/${this.table}`;
  }

  // Another game of a lobby is another table, where something else was said.
  #listen() {
    const path = `/talk/${this.#path}`;
    if (this.#talk?.path === path) return;
    this.#talk?.end();
    this.#talk = new SideTalk(path, () => this.draw());
  }

  // No message of the game says that somebody who was gone is back: the server's list of tables does.
  async #seek() {
    const t = this.session.mirror;
    if (t.dead.size === 0 || document.hidden || !this.session.isUp) return;
    const seats = await house.seats("pimp", String(this.table)).catch(() => []);
    const here = seats.filter((seat) => seat.is_here).map(({ name }) => name);
    for (const id of t.dead) if (here.includes(t.users.get(id)?.name)) t.dead.delete(id);
    this.draw();
  }

  get seat() {
    const t = this.session.mirror;
    const name = t.users.get(t.me)?.name;
    return t.isPlaying && name ? { path: `/notify/${this.#path}`, place: "", name } : null;
  }

  get isInside() {
    const { stage, mirror } = this.session;
    return stage === "seated" || (stage === "elsewhere" && mirror.me !== 0);
  }

  counts() {
    return { deals: this.session.mirror.deals.size, talk: (this.#talk?.lines?.length ?? 0) - this.#heardTalk };
  }

  status() {
    return status(this.session.mirror);
  }

  get asked() {
    const { prompt } = this.session.mirror;
    return prompt.kind === "idle" || prompt.kind === "over" ? null : prompt.bid || prompt;
  }

  turn() {
    const t = this.session.mirror;
    const isMine = t.isPlaying && t.prompt.player === t.me && t.prompt.kind !== "over";
    const turn = t.users.get(t.turn);
    return { isMine, text: isMine ? lang.yourTurn : turn && lang.turnOf(turn.name) };
  }

  key(event) {
    // The most pressing button, without looking for it.
    if (event.key === "t") document.querySelector(".actions button.primary:not(:disabled, [data-fresh])")?.click();
  }

  // Bots are sent to a table by its number.
  setPace() {
    if (this.table !== "lobby") setPace("pimp", "", this.table);
  }

  menu(close, changed) {
    return menu(this, close, changed);
  }

  async #addBot(count = 1) {
    try {
      this.session.expect(count);
      await house.addBot(this.table, "shrewd", count, thought());
      toast(lang.botsCome(count));
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  #mute(name, isHeard) {
    if (isHeard) this.#muted.delete(name);
    else this.#muted.add(name);
    this.draw();
  }

  #talkPanel() {
    const { mirror: t } = this.session;
    const lines = this.#talk?.lines;
    if (!lines) return talk([{ text: lang.noTalk }]);
    const names = [...new Set(lines.map(({ name }) => name))].filter((name) => name !== t.self?.name);
    return [
      talk(
        lines.filter(({ name }) => !this.#muted.has(name)),
        t.self && ((text) => this.#talk.say(t.self.name, text)),
      ),
      h("p", { class: "why" }, lang.onlyPages),
      names.length > 0 &&
        h(
          "details",
          {},
          h("summary", {}, lang.whomIHear),
          names.map((name) =>
            h(
              "label",
              { key: name, class: "setting" },
              h("input", {
                type: "checkbox",
                checked: !this.#muted.has(name),
                onchange: ({ target }) => this.#mute(name, target.checked),
              }),
              name,
            ),
          ),
        ),
    ];
  }

  #waiting(title, text) {
    return h(
      "div",
      { class: "door" },
      h("h2", {}, title),
      h("p", { role: "status" }, text),
      h("button", { onclick: () => this.session.again() }, lang.neverMind),
    );
  }

  outside() {
    const { session, table } = this;
    if (this.#isMissing) {
      return h(
        "div",
        { class: "door" },
        h("h2", {}, table === "lobby" ? lang.noOtherTables : lang.noTable(table)),
        h("p", {}, lang.mayBeClosed),
        h("a", { class: "button primary", href: this.home }, lang.allTables),
      );
    }
    if (session.stage === "door") return door(session, table, () => this.draw());
    if (session.stage === "elsewhere") return null;
    if (session.stage === "pending") {
      return this.#waiting(lang.knocking, lang.playersVote);
    }
    return this.#waiting(lang.takingSeat, session.notice || lang.askingServer);
  }

  fill(parts, past) {
    const { session } = this;
    if (arrival.bots) {
      this.#addBot(arrival.bots);
      arrival.bots = 0;
    }
    this.board.draw(past ? past.scene : session.mirror.scene(), session.paths, {
      card: session.card,
      offer: offerOf(session, this.rules),
      question: this.status(),
      isPast: past !== null,
    });
    patch(parts.actions, actions(session, this));
    patch(parts.players, players(session, this.#mayCommand && (() => this.#addBot())));
    patch(parts.mine, mine(session));
    patch(parts.deals, deals(session));
    this.#listen();
    this.#heardTalk = drawTalk(parts.talk, this.#talkPanel(), this.#talk?.lines?.length ?? 0, this.#heardTalk);
    followDialog();
  }
}
