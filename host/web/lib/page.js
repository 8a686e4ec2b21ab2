// A table on the screen, in any game: the board and what stands around it, drawn anew whenever the session has changed.
//
// A game's page gives its `session` and `board`, its `name`, its address (`home`), where somebody is (`place`) and a class for
// its `layout`, and says what is on the screen: `outside()` before somebody sits, `fill(parts, past)` inside, `counts()` on
// the tabs, `turn()` for the title, `status()` for who listens, `menu(close, changed)`, `key(event)`; where it has any,
// `notices()` below the banners, `panels`, the tabs in the order in which a wide screen shows them all, and `lead`, the name of
// the one that stands before the tabs just now: who listens or walks with the tab key meets everything as it is seen; and
// `setPace()`, which has the bots of this game think as long as this person wants.
// `seat`: what the server knows this player by, or null. `asked`: something that is another for another decision that the
// table waits for, or null.

import { awayField } from "./away.js";
import { dialog, toast } from "./dialog.js";
import { h, patch, steadily } from "./dom.js";
import { linkField, sound, step, theme, toggle, tongue } from "./fields.js";
import * as house from "./house.js";
import { lang, language } from "./lang.js";
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
  // The last line of the log when somebody looked elsewhere, and the first that came meanwhile; 0: none.
  #seen = 0;
  #missed = 0;
  // The house rules of this game, as far as they are known; the decision that is waited for, and since when.
  rules = {};
  #asked = null;
  #since = 0;
  // Who is gone, and since when.
  #gone = new Map();

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
        knock(lang.knock(this.name));
      },
    };
    document.addEventListener("keydown", (event) => this.#keys(event));
    document.addEventListener("visibilitychange", () => this.#lookedAway());
    setInterval(() => (this.limit || !this.session.isUp) && this.draw(), 1000);
    house.lobby().then((list) => this.learn(list), () => {});
    showTheme();
    this.draw();
  }

  // What the server tells of itself and its tables. A board says less.
  learn({ settings: of }) {
    this.rules = of?.[this.home.slice(1)] ?? {};
    this.draw();
  }

  // Seconds that a decision may take here, if there is a clock.
  get limit() {
    return this.rules.move_timeout;
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
      steadily(() => this.#render());
      this.#pace = Math.min(PACE_MAX, Math.max(PACE, SHARE * (performance.now() - start)));
    });
  }

  #due() {
    this.#timer = 0;
    if (document.hidden) this.#tellTurn();
    else this.draw();
  }

  #lookedAway() {
    const { logged } = this.session;
    if (document.hidden) this.#seen = logged;
    else if (logged > this.#seen) this.#missed = this.#seen + 1;
    this.draw();
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

  // To the line before or after the one that is looked at; behind the last one is now.
  #stepBy(lines) {
    const { log } = this.session;
    const at = log.indexOf(this.#past) + lines;
    this.look(log[Math.max(0, at)]?.number ?? 0);
  }

  // What happened while nobody looked, from its first line on.
  #catchUp() {
    this.look(Math.max(this.#missed, this.session.log[0].number));
    this.#missed = 0;
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
        lang.otherTab,
        h("button", { onclick: () => session.resume() }, lang.playHere),
      );
    }
    if (session.isUp || session.stage === "door" || !session.retryAt) return null;
    const seconds = Math.max(0, Math.ceil((session.retryAt - Date.now()) / 1000));
    return h(
      "div",
      { class: "banner bad", role: "alert" },
      h(
        "p",
        {},
        !navigator.onLine ? lang.offline : session.stage === "asking" ? lang.noAnswer : lang.lost,
        // Every second another text: who listens would be told it all anew.
        h("span", { "aria-hidden": "true" }, lang.tryingAgain(seconds)),
      ),
    );
  }

  // What is left of the time for this decision, as far as this page has seen it asked for.
  #clock() {
    const { asked } = this;
    if (asked !== this.#asked) [this.#asked, this.#since] = [asked, Date.now()];
    const left = Math.max(0, this.#since + this.limit * 1000 - Date.now());
    const time = () => new Date(left).toISOString().slice(11, 19);
    return asked !== null && this.limit > 0 && h("span", { role: "timer" }, `◷ ${Math.floor(left / 864e5) || ""} ${time()}`);
  }

  // Those of the seated who are gone, since when as far as this page has seen it, and what the table can do about it; `way`
  // describes what this game has for that.
  missing(names, way) {
    const time = () => new Date().toLocaleTimeString(language, { timeStyle: "short" });
    this.#gone = new Map(names.map((name) => [name, this.#gone.get(name) ?? time()]));
    return names.map((name) =>
      h(
        "div",
        { class: "vote", key: `gone ${name}`, role: "status" },
        h("p", {}, lang.isGone(name, this.#gone.get(name))),
        h("p", { class: "why" }, (this.limit || this.rules.patience ? lang.serverDecides : lang.gameWaits)(name)),
        this.seat && way(name),
      ),
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
    const counts = { log: this.#missed && this.session.logged - this.#missed + 1, ...this.counts() };
    const panel = ([name, label]) =>
      h("section", {
        key: name,
        class: `panel p-${name}${tab === name ? " shown" : ""}`,
        own: true,
        "aria-label": label,
      });
    const all = this.panels ?? this.tabs;
    const lead = all.filter(([name]) => name === this.lead);
    const panels = all.filter(([name]) => name !== this.lead);
    return h(
      "div",
      { class: "table-page", key: "inside" },
      h(
        "header",
        { class: "top" },
        h("h1", {}, h("a", { href: this.home, title: lang.allTables }, this.name), h("span", {}, ` ${this.place}`)),
        this.#clock(),
        h("button", { onclick: () => this.#menu() }, lang.menu),
      ),
      h("div", { class: "banners", id: "banners", own: true }),
      h(
        "main",
        { id: "main", class: `layout show-${tab} ${this.layout}` },
        h("section", { class: "board-place", own: true, "aria-label": lang.board }),
        h(
          "div",
          { class: "side" },
          h("section", { key: "actions", class: "actions", own: true, "aria-label": lang.actions }),
          lead.map(panel),
          h(
            "nav",
            { key: "tabs", class: "tabs", "aria-label": lang.parts },
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
          panels.slice(0, -1).map(panel),
        ),
        panel(panels.at(-1)),
      ),
    );
  }

  #menu() {
    dialog(lang.menu, (close, redraw) => {
      const changed = () => (this.draw(), redraw());
      const { invite, link, choices, controls, more } = this.menu(close, changed);
      return [
        h("h3", {}, lang.invite),
        h("p", {}, invite),
        linkField(link),
        h("h3", {}, lang.settings),
        tongue(),
        theme(changed),
        sound(changed),
        // Asked for when somebody wants it, never before.
        mayKnock() &&
          toggle("knock", lang.note, () => {
            if (settings.knock) Notification.requestPermission();
            changed();
          }),
        toggle("keys", lang.keys, changed),
        choices,
        awayField(this.seat, changed),
        h("h3", {}, lang.atTable),
        h("div", { class: "row" }, controls, h("a", { class: "button", href: "/" }, lang.allGames)),
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
    this.#parts.logHead = document.createElement("div");
    this.#parts.logHead.className = "log-head";
    this.#parts.log.append(this.#parts.logHead, this.log.list);
    // Whatever stood here before was another screen.
    scrollTo(0, 0);
    if (settings.pace && this.seat) this.setPace?.();
  }

  #tellTurn() {
    const { isMine, text } = this.isInside ? this.turn() : { isMine: false };
    showTurn(isMine, [text && (isMine ? `● ${text}` : text), this.name, lang.page].filter(Boolean).join(" – "));
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
          h("span", {}, lang.thatTime(past.text)),
          h(
            "span",
            { class: "steps-of-log" },
            step(lang.lineBack, "◀", past === this.session.log[0], () => this.#stepBy(-1)),
            step(lang.lineOn, "▶", false, () => this.#stepBy(1)),
          ),
          h("button", { onclick: () => this.look(0) }, lang.backToNow),
        ),
    ]);
    const missed = this.#missed && this.session.logged - this.#missed + 1;
    patch(parts.logHead, [
      h("h2", {}, lang.log),
      missed > 0 && h("button", { key: "missed", onclick: () => this.#catchUp() }, lang.meanwhile(missed)),
    ]);
    this.fill(parts, past);
    this.log.draw(this.session.log, past?.number ?? 0);
  }
}
