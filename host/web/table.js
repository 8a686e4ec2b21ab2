// A table on the screen: the board and everything around it, drawn anew whenever the session has changed.

import { Board } from "./board.js";
import { h, patch, toast } from "./dom.js";
import { door } from "./door.js";
import * as house from "./house.js";
import { menu } from "./leave.js";
import { Log } from "./log.js";
import { followDialog, squareDialog } from "./deeds.js";
import { actions, deals, mine, players } from "./panels.js";
import { Session } from "./session.js";
import { settings } from "./store.js";
import { announce, beep, showTurn } from "./signs.js";
import { status } from "./words.js";

const TABS = [
  ["players", "Players"],
  ["mine", "Yours"],
  ["deals", "Deals"],
  ["log", "Log"],
];

// More messages in a second than anybody can follow: they are all taken, but drawn four times a second, and pieces jump.
const FLOOD = 300;
const PACE = 250;
// Where a drawing takes long, there are fewer: most of the time is for messages and presses.
const SHARE = 5;
const PACE_MAX = 1000;

export class TableView {
  #frame = 0;
  #timer = 0;
  #second = { began: 0, heard: 0 };
  #isFlood = false;
  #pace = PACE;
  #tab = "players";
  #past = null;
  #rules = null;
  #mayCommand = false;
  #isMissing = false;
  #parts = null;

  constructor(root, table) {
    this.root = root;
    this.table = table;
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.board = new Board(
      (square) => squareDialog(this.session, square),
      () => (reduced.matches || this.#isFlood ? "off" : settings.speed),
    );
    this.log = new Log((number) => this.#look(number));
    this.session = new Session(table, {
      changed: () => this.#follow(),
      refused: (text) => toast(text, "bad"),
      yourTurn: () => settings.sound && beep(),
    });
    document.addEventListener("keydown", (event) => this.#keys(event));
    document.addEventListener("visibilitychange", () => this.draw());
    setInterval(() => !this.session.isUp && this.draw(), 1000);
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
    this.draw();
  }

  // The table has changed by itself.
  #follow() {
    const now = performance.now();
    const past = now - this.#second.began;
    // A session that remembers a seat begins to change before it is ours.
    const heard = this.session?.heard ?? 0;
    if (past > 1000) {
      this.#isFlood = (heard - this.#second.heard) / past > FLOOD / 1000;
      this.#second = { began: now, heard };
    }
    this.draw(this.#isFlood ? this.#pace : 0);
  }

  // Many messages, one drawing; what somebody pressed is not kept waiting. A hidden page only has its title.
  draw(pause = 0) {
    if (pause || document.hidden) {
      this.#timer ||= setTimeout(() => this.#due(), pause || 300);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const start = performance.now();
      this.#render();
      this.#pace = Math.min(PACE_MAX, Math.max(PACE, SHARE * (performance.now() - start)));
    });
  }

  #due() {
    this.#timer = 0;
    if (document.hidden) this.#tellTurn(this.#isInside);
    else this.draw();
  }

  get #isInside() {
    const { stage, mirror } = this.session;
    return stage === "seated" || (stage === "elsewhere" && mirror.me !== 0);
  }

  #look(number) {
    this.#past = number ? (this.session.log.find((line) => line.number === number) ?? null) : null;
    this.draw();
  }

  #keys(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === "Escape" && this.#past) this.#look(0);
    // The most pressing button, without looking for it.
    if (event.key === "t") document.querySelector(".actions button.primary:not(:disabled)")?.click();
  }

  #banner() {
    const { session } = this;
    if (session.stage === "elsewhere") {
      return h(
        "div",
        { class: "banner bad", role: "alert" },
        "You have this seat in another tab.",
        h("button", { onclick: () => session.resume() }, "Play here"),
      );
    }
    if (session.isUp || session.mirror.prompt.kind === "over") return null;
    const seconds = Math.max(0, Math.ceil((session.retryAt - Date.now()) / 1000));
    if (session.stage === "seated") {
      return h(
        "div",
        { class: "banner bad", role: "alert" },
        `The connection is lost. Your seat is kept; trying again${seconds ? ` in ${seconds} s` : " …"}`,
      );
    }
    return null;
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

  #body() {
    const { session, table } = this;
    if (this.#isMissing) {
      return h(
        "div",
        { class: "door" },
        h("h2", {}, table === "lobby" ? "There are no other tables" : `There is no table ${table}`),
        h("p", {}, "It may have been closed since the link was made."),
        h("a", { class: "button primary", href: "/" }, "All tables"),
      );
    }
    if (session.stage === "door") return door(session, table, () => this.draw());
    if (session.stage === "pending") {
      return this.#waiting("Knocking …", "The players vote whether to let you in. It takes a moment.");
    }
    const isLate = session.retryAt > Date.now();
    const text = isLate ? "The server does not answer yet. Trying again …" : "Asking the server.";
    return this.#waiting("Taking your seat …", session.notice || text);
  }

  #outside() {
    const title = h("h1", {}, h("a", { href: "/" }, "parlor"));
    return h("main", { class: "plain", id: "main", key: "outside" }, title, this.#body());
  }

  #inside() {
    const tab = this.#tab;
    const count = this.session.mirror.deals.size;
    const number = this.table === "lobby" ? "" : ` table ${this.table}`;
    return h(
      "div",
      { class: "table-page", key: "inside" },
      h(
        "header",
        { class: "top" },
        h("h1", {}, h("a", { href: "/", title: "All tables" }, "parlor"), h("span", {}, number)),
        h("button", { onclick: () => menu(this.session, { changed: () => this.draw(), rules: this.#rules }) }, "Menu"),
      ),
      h("div", { class: "banners", id: "banners", own: true }),
      h(
        "main",
        { id: "main", class: `layout show-${tab}${count ? " has-deals" : ""}` },
        h("section", { class: "board-place", own: true, "aria-label": "Board" }),
        h("section", { class: "actions", own: true, "aria-label": "What you can do now" }),
        h(
          "nav",
          { class: "tabs", "aria-label": "Parts of the table" },
          TABS.map(([name, label]) =>
            h(
              "button",
              {
                key: name,
                "aria-current": tab === name ? "true" : "false",
                onclick: () => ((this.#tab = name), this.draw()),
              },
              label,
              name === "deals" && count > 0 && h("b", { class: "count" }, count),
            ),
          ),
        ),
        h("section", { class: "panel p-players", own: true, "aria-label": "Players" }),
        h("section", { class: "panel p-mine", own: true, "aria-label": "Yours" }),
        h("section", { class: "panel p-deals", own: true, "aria-label": "Deals" }),
        h("section", { class: "panel p-log", own: true, "aria-label": "Log" }),
      ),
    );
  }

  // The frame is drawn by one description; its parts by their own, so that board and log are never made anew.
  #enter() {
    const find = (name) => this.root.querySelector(name);
    const parts = {
      banners: find("#banners"),
      board: find(".board-place"),
      actions: find(".actions"),
      players: find(".p-players"),
      mine: find(".p-mine"),
      deals: find(".p-deals"),
      log: find(".p-log"),
    };
    if (this.#parts?.board === parts.board) return;
    this.#parts = parts;
    parts.past = document.createElement("div");
    parts.board.append(parts.past, this.board.element);
    const title = document.createElement("h2");
    title.textContent = "Log";
    parts.log.append(title, this.log.list);
  }

  #tellTurn(isInside) {
    const t = this.session.mirror;
    const isMine = isInside && t.isPlaying && t.prompt.player === t.me && t.prompt.kind !== "over";
    const turn = isInside && t.users.get(t.turn);
    showTurn(isMine, isMine ? "● Your turn – parlor" : turn ? `${turn.name}'s turn – parlor` : "parlor");
  }

  #render() {
    const { session } = this;
    document.documentElement.dataset.theme = settings.theme;
    const t = session.mirror;
    const isInside = this.#isInside;
    this.#tellTurn(isInside);
    patch(
      this.root,
      isInside
        ? this.#inside()
        : session.stage === "elsewhere"
          ? h("main", { class: "plain" }, this.#banner())
          : this.#outside(),
    );
    if (!isInside) return;
    this.#enter();
    const parts = this.#parts;
    const past = this.#past;
    patch(parts.banners, [this.#banner()]);
    patch(parts.past, [
      past &&
        h(
          "div",
          { class: "banner", role: "status" },
          h("span", {}, `Then: ${past.text}`),
          h("button", { onclick: () => this.#look(0) }, "Back to now"),
        ),
    ]);
    this.board.draw(past ? past.scene : t.scene(), session.paths, session.card, past !== null);
    patch(parts.actions, actions(session));
    patch(parts.players, players(session, this.#mayCommand && (() => this.#addBot())));
    patch(parts.mine, mine(session));
    patch(parts.deals, deals(session));
    this.log.draw(session.log, past?.number ?? 0);
    followDialog();
    announce(session, () => status(t));
  }
}
