// A table on the screen, in any game: the board and what stands around it, drawn anew whenever the session has changed.
//
// A game's page gives its `session` and `board`, its `name`, its address (`home`), where somebody is (`place`) and a class for
// its `layout`, and says what is on the screen: `outside()` before somebody sits, `fill(parts, past)` inside, `counts()` on
// the tabs, `turn()` for the title, `status()` for who listens, `menu(close, changed)`, `key(event)`; where it has any,
// `notices()` below the banners; `seat`, what the server knows this player by, or null.

import { awayField } from "./away.js";
import { dialog, toast } from "./dialog.js";
import { h, patch } from "./dom.js";
import { linkField, sound, theme, toggle } from "./fields.js";
import { Log } from "./log.js";
import { announce, beep, knock, mayKnock, showTheme, showTurn } from "./signs.js";
import { settings } from "./store.js";

// More messages in a second than anybody can follow: they are all taken, but drawn four times a second, and nothing moves
// step by step.
const FLOOD = 300;
const PACE = 250;
// Where a drawing takes long, there are fewer: most of the time is for messages and presses.
const SHARE = 5;
const PACE_MAX = 1000;

export class Page {
  isFlood = false;
  #frame = 0;
  #timer = 0;
  #second = { began: 0, heard: 0 };
  #pace = PACE;
  #past = null;
  #parts = null;

  // `tabs`: [name, label] of each panel; the last one is the log.
  constructor(root, tabs) {
    this.root = root;
    this.tabs = tabs;
    [[this.tab]] = tabs;
    this.log = new Log((number) => this.look(number));
    this.events = {
      changed: () => this.#follow(),
      refused: (text) => toast(text, "bad"),
      yourTurn: () => {
        if (settings.sound) beep();
        knock(`${this.name}: it is your turn.`);
      },
    };
    document.addEventListener("keydown", (event) => this.#keys(event));
    document.addEventListener("visibilitychange", () => this.draw());
    setInterval(() => !this.session.isUp && this.draw(), 1000);
    showTheme();
    this.draw();
  }

  // --- when -----------------------------------------------------------------------------------------------------------------

  // The table has changed by itself.
  #follow() {
    const now = performance.now();
    const past = now - this.#second.began;
    // A session that remembers a seat begins to change before it is ours.
    const heard = this.session?.heard ?? 0;
    if (past > 1000) {
      this.isFlood = (heard - this.#second.heard) / past > FLOOD / 1000;
      this.#second = { began: now, heard };
    }
    this.draw(this.isFlood ? this.#pace : 0);
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
    if (document.hidden) this.#tellTurn();
    else this.draw();
  }

  // --- what -----------------------------------------------------------------------------------------------------------------

  // The line of the log whose board is looked at, or null.
  get past() {
    return this.#past;
  }

  look(number) {
    this.#past = number ? (this.session.log.find((line) => line.number === number) ?? null) : null;
    this.draw();
  }

  #keys(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.repeat) return;
    // Who speaks to the machine may say a letter without meaning it.
    if (!settings.keys && event.key !== "Escape") return;
    if (event.key === "Escape" && this.#past) this.look(0);
    else this.key(event);
  }

  #banner() {
    const { session } = this;
    if (session.stage === "elsewhere") {
      return h(
        "div",
        { class: "banner bad", role: "alert" },
        "You play in another tab.",
        h("button", { onclick: () => session.resume() }, "Play here"),
      );
    }
    if (session.isUp || session.stage === "door" || !session.retryAt) return null;
    const seconds = Math.max(0, Math.ceil((session.retryAt - Date.now()) / 1000));
    return h(
      "div",
      { class: "banner bad", role: "alert" },
      session.stage === "asking" ? "The server does not answer. " : "The connection is lost. Your seat is kept. ",
      `Trying again${seconds ? ` in ${seconds} s` : " …"}`,
    );
  }

  #outside() {
    return h("main", { class: "plain", id: "main", key: "outside" }, this.head(), this.#banner(), this.outside());
  }

  // Above everything that is not a table.
  head() {
    return h("h1", { key: "title" }, h("a", { href: this.home }, this.name));
  }

  #inside() {
    const { tab } = this;
    const counts = this.counts();
    return h(
      "div",
      { class: "table-page", key: "inside" },
      h(
        "header",
        { class: "top" },
        h("h1", {}, h("a", { href: this.home, title: "All tables" }, this.name), h("span", {}, ` ${this.place}`)),
        h("button", { onclick: () => this.#menu() }, "Menu"),
      ),
      h("div", { class: "banners", id: "banners", own: true }),
      h(
        "main",
        { id: "main", class: `layout show-${tab} ${this.layout}` },
        h("section", { class: "board-place", own: true, "aria-label": "Board" }),
        h("section", { class: "actions", own: true, "aria-label": "What you can do now" }),
        h(
          "nav",
          { class: "tabs", "aria-label": "Parts of the table" },
          this.tabs.map(([name, label]) =>
            h(
              "button",
              {
                key: name,
                class: `tab-${name}`,
                "aria-current": tab === name ? "true" : "false",
                onclick: () => ((this.tab = name), this.draw()),
              },
              label,
              counts[name] > 0 && h("b", { class: "count" }, counts[name]),
            ),
          ),
        ),
        this.tabs.map(([name, label]) =>
          h("section", {
            key: name,
            class: `panel p-${name}${tab === name ? " shown" : ""}`,
            own: true,
            "aria-label": label,
          }),
        ),
      ),
    );
  }

  #menu() {
    dialog("Menu", (close, redraw) => {
      const changed = () => (this.draw(), redraw());
      const { invite, link, choices, controls, more } = this.menu(close, changed);
      return [
        h("h3", {}, "Invite"),
        h("p", {}, invite),
        linkField(link),
        h("h3", {}, "Settings"),
        theme(changed),
        sound(changed),
        // Asked for when somebody wants it, never before.
        mayKnock() &&
          toggle("knock", "A note from this device when it is my turn and I look elsewhere", () => {
            if (settings.knock) Notification.requestPermission();
            changed();
          }),
        toggle("keys", "Keys do things (letters and digits, without a field)", changed),
        choices,
        awayField(this.seat, changed),
        h("h3", {}, "At the table"),
        h("div", { class: "row" }, controls, h("a", { class: "button", href: "/" }, "All games")),
        more,
      ];
    });
  }

  // The frame is drawn by one description; its parts by their own, so that board and log are never made anew.
  #enter() {
    const find = (name) => this.root.querySelector(name);
    const place = find(".board-place");
    if (this.#parts?.place === place) return;
    this.#parts = { place, banners: find("#banners"), actions: find(".actions"), past: document.createElement("div") };
    for (const [name] of this.tabs) this.#parts[name] = find(`.p-${name}`);
    place.append(this.#parts.past, this.board.element);
    const title = document.createElement("h2");
    title.textContent = "Log";
    this.#parts.log.append(title, this.log.list);
  }

  #tellTurn() {
    const { isMine, text } = this.isInside ? this.turn() : { isMine: false };
    showTurn(isMine, [text && (isMine ? `● ${text}` : text), this.name, "parlor"].filter(Boolean).join(" – "));
  }

  #render() {
    const { isInside } = this;
    showTheme();
    this.#tellTurn();
    patch(this.root, isInside ? this.#inside() : this.#outside());
    announce(this.session, () => (this.isInside ? this.status() : ""));
    if (!isInside) return;
    this.#enter();
    const parts = this.#parts;
    const past = this.#past;
    patch(parts.banners, [this.#banner(), this.notices?.()]);
    patch(parts.past, [
      past &&
        h(
          "div",
          { class: "banner", role: "status" },
          h("span", {}, `Then: ${past.text}`),
          h("button", { onclick: () => this.look(0) }, "Back to now"),
        ),
    ]);
    this.fill(parts, past);
    this.log.draw(this.session.log, past?.number ?? 0);
  }
}
