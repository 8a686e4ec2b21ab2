// Monopoly's table on the screen.

import { toast } from "../lib/dialog.js";
import { h, patch } from "../lib/dom.js";
import * as house from "../lib/house.js";
import { Page } from "../lib/page.js";
import { settings } from "../lib/store.js";
import { Board } from "./board.js";
import { followDialog, squareDialog } from "./deeds.js";
import { door } from "./door.js";
import { menu } from "./menu.js";
import { actions, deals, mine, players } from "./panels.js";
import { PimpSession } from "./session.js";
import { status } from "./words.js";

const TABS = [
  ["players", "Players"],
  ["mine", "Yours"],
  ["deals", "Deals"],
  ["log", "Log"],
];

export class PimpPage extends Page {
  name = "Monopoly";
  home = "/pimp";
  layout = "pimp";
  #rules = null;
  #mayCommand = false;
  #isMissing = false;

  constructor(root, table) {
    super(root, TABS);
    this.table = table;
    this.place = table === "lobby" ? "" : `table ${table}`;
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.board = new Board(
      (square) => squareDialog(this.session, square),
      () => (reduced.matches || this.isFlood ? "off" : settings.speed),
    );
    this.session = new PimpSession(table, this.events);
    house.lobby().then(
      ({ tables, rules, may_command: mayCommand, lobby }) => {
        const isNext = table === "lobby";
        this.#isMissing = isNext ? !lobby : !tables.some((row) => row.table === table);
        this.#rules = rules;
        // Bots are sent to a table by its number.
        this.#mayCommand = mayCommand && !isNext;
        this.draw();
      },
      () => {},
    );
  }

  get isInside() {
    const { stage, mirror } = this.session;
    return stage === "seated" || (stage === "elsewhere" && mirror.me !== 0);
  }

  counts() {
    return { deals: this.session.mirror.deals.size };
  }

  status() {
    return status(this.session.mirror);
  }

  turn() {
    const t = this.session.mirror;
    const isMine = t.isPlaying && t.prompt.player === t.me && t.prompt.kind !== "over";
    const turn = t.users.get(t.turn);
    return { isMine, text: isMine ? "Your turn" : turn && `${turn.name}'s turn` };
  }

  key(event) {
    // The most pressing button, without looking for it.
    if (event.key === "t") document.querySelector(".actions button.primary:not(:disabled, [data-fresh])")?.click();
  }

  menu(close, changed) {
    return menu(this.session, this.#rules, close, changed);
  }

  async #addBot() {
    try {
      await house.addBot(this.table);
      toast("A bot comes to the table.");
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  #waiting(title, text) {
    return h(
      "div",
      { class: "door" },
      h("h2", {}, title),
      h("p", { role: "status" }, text),
      h("button", { onclick: () => this.session.again() }, "Never mind"),
    );
  }

  outside() {
    const { session, table } = this;
    if (this.#isMissing) {
      return h(
        "div",
        { class: "door" },
        h("h2", {}, table === "lobby" ? "There are no other tables" : `There is no table ${table}`),
        h("p", {}, "It may have been closed since the link was made."),
        h("a", { class: "button primary", href: this.home }, "All tables"),
      );
    }
    if (session.stage === "door") return door(session, table, () => this.draw());
    if (session.stage === "elsewhere") return null;
    if (session.stage === "pending") {
      return this.#waiting("Knocking …", "The players vote whether to let you in. It takes a moment.");
    }
    return this.#waiting("Taking your seat …", session.notice || "Asking the server.");
  }

  fill(parts, past) {
    const { session } = this;
    this.board.draw(past ? past.scene : session.mirror.scene(), session.paths, session.card, past !== null);
    patch(parts.actions, actions(session));
    patch(parts.players, players(session, this.#mayCommand && (() => this.#addBot())));
    patch(parts.mine, mine(session));
    patch(parts.deals, deals(session));
    followDialog();
  }
}
