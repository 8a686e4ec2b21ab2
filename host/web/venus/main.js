// Merchant of Venus on the screen: `/venus` is the list of rooms, `/venus?room=NAME` one of them. Everything is drawn anew
// whenever the session has changed.

import { dialog, h, patch, toast } from "../lib/dom.js";
import { linkField, sound, theme } from "../lib/fields.js";
import { Log } from "../lib/log.js";
import { announce, beep, showTurn } from "../lib/signs.js";
import { settings } from "../lib/store.js";
import { StarMap } from "./board.js";
import { door, lobby, room, roomLink } from "./lobby.js";
import { actions, cultures, ships, talk } from "./panels.js";
import { Session } from "./session.js";
import { nameOf, spaceWords, status } from "./words.js";

const NAME = "Merchant of Venus";
const TABS = [
  ["ships", "Ships"],
  ["cultures", "Cultures"],
  ["talk", "Talk"],
  ["log", "Log"],
];
const FILLING = ["", "InitialState", "ValidateSetup"];

class Page {
  #drawing = false;
  #tab = "ships";
  #parts = null;
  #heardTalk = 0;
  #wanted = "";
  #asked = "";
  #isSent = false;
  #past = null;
  // What is switched on for the next turn, and what somebody looks at.
  on = new Set();
  marked = [];

  constructor(root) {
    this.root = root;
    this.board = new StarMap((space) => this.choose(space));
    this.log = new Log((number) => this.#lookAt(number));
    this.#wanted = new URLSearchParams(location.search).get("room")?.trim() ?? "";
    this.session = new Session(this.#wanted, {
      changed: () => this.draw(),
      refused: (text) => toast(text, "bad"),
      yourTurn: () => settings.sound && beep(),
      moved: (name) => this.#address(name ? roomLink(name) : new URL("/venus", location.href).href),
    });
    addEventListener("popstate", () => location.reload());
    document.addEventListener("keydown", (event) => this.#keys(event));
    document.addEventListener("visibilitychange", () => this.draw());
    setInterval(() => !this.session.isUp && this.draw(), 1000);
    this.draw();
  }

  #address(link) {
    if (link !== location.href) history.pushState(null, "", link);
  }

  // Many lines, one drawing. A hidden page has no frames, but its title still tells.
  draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    const now = () => {
      this.#drawing = false;
      this.#render();
    };
    if (document.hidden) setTimeout(now, 300);
    else requestAnimationFrame(now);
  }

  // --- what a player does at the map --------------------------------------------------------------------------------------

  get #steps() {
    const t = this.session.mirror;
    const isAsked = t.isMyTurn && t.may("SELECTDESTINATION") && this.session.isUp && !this.#isSent && !this.#past;
    return isAsked ? t.destination.steps : null;
  }

  choose(space) {
    const steps = this.#steps?.filter((step) => step.space === space) ?? [];
    if (steps.length === 1) return this.go(steps[0]);
    if (steps.length > 1) return this.#walkOrJump(steps);
    toast(spaceWords(this.session.mirror, space));
  }

  // The same space, on foot or through a telegate.
  #walkOrJump(steps) {
    dialog("Walk or jump?", (close) =>
      h(
        "div",
        { class: "row" },
        steps.map((step) =>
          h("button", { key: step.isJump, onclick: () => (close(), this.go(step)) }, step.isJump ? "Jump" : "Walk", h("small", {}, ` ${step.cost}`)),
        ),
      ),
    );
  }

  go(step) {
    // What was offered when the finger came down is what is meant; if the offer has changed, nothing is sent.
    if (!this.#steps?.includes(step)) return;
    this.#isSent = this.session.say("SELECTDESTINATION", step.name, step.isJump ? 1 : 0);
    this.marked = [];
    this.draw();
  }

  mark(space) {
    if (this.marked[0] === space) return;
    this.marked = [space];
    this.draw();
  }

  show(system) {
    this.marked = system.spaces.filter((space) => space.port || space.kind === "city" || space.kind === "spacecity");
    this.board.focus(this.marked[0] ?? system.spaces[0], true);
    this.draw();
  }

  toggle(code, isOn) {
    if (isOn) this.on.add(code);
    else this.on.delete(code);
    this.draw();
  }

  // --- the past -----------------------------------------------------------------------------------------------------------

  #lookAt(number) {
    this.#past = number ? (this.session.log.find((line) => line.number === number) ?? null) : null;
    this.draw();
  }

  #keys(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (this.#past) this.#lookAt(0);
      this.marked = [];
      this.draw();
    }
  }

  // --- frames ---------------------------------------------------------------------------------------------------------------

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

  #body() {
    const { session } = this;
    switch (session.stage) {
      case "door":
        return door(session);
      case "lobby":
        return lobby(session, this.#wanted);
      case "table":
        return room(session, talk(session));
      case "elsewhere":
        return null;
    }
    return h(
      "div",
      { class: "door" },
      h("h2", {}, "Coming in …"),
      h("p", { role: "status" }, session.notice || "Asking the server."),
      h("button", { onclick: () => session.logOut() }, "Use another name"),
    );
  }

  #outside() {
    const isFront = this.session.stage === "lobby" || (this.session.stage === "door" && !this.session.wish);
    return h(
      "main",
      { class: "plain", id: "main", key: "outside" },
      isFront
        ? h(
            "header",
            { class: "hero", key: "hero" },
            h("p", {}, h("a", { href: "/" }, "← parlor: all games")),
            h("h1", {}, NAME),
            h("p", {}, "Explore a galaxy, find out who lives where, trade between the stars, and be the first to be rich."),
          )
        : h("h1", { key: "title" }, h("a", { href: "/venus" }, NAME)),
      this.#banner(),
      this.#body(),
    );
  }

  #inside() {
    const { session } = this;
    const fresh = session.chat.length - this.#heardTalk;
    const panel = (name, label) => h("section", { class: `panel p-${name}`, own: true, "aria-label": label });
    return h(
      "div",
      { class: "table-page", key: "inside" },
      h(
        "header",
        { class: "top" },
        h("h1", {}, h("a", { href: "/venus", title: "All rooms" }, NAME), h("span", {}, ` ${session.room}`)),
        h("button", { onclick: () => this.#menu() }, "Menu"),
      ),
      h("div", { class: "banners", id: "banners", own: true }),
      h(
        "main",
        { id: "main", class: `layout venus show-${this.#tab}` },
        h("section", { class: "board-place", own: true, "aria-label": "Star map" }),
        h("section", { class: "actions", own: true, "aria-label": "What you can do now" }),
        h(
          "nav",
          { class: "tabs", "aria-label": "Parts of the table" },
          TABS.map(([name, label]) =>
            h(
              "button",
              {
                key: name,
                class: `tab-${name}`,
                "aria-current": this.#tab === name ? "true" : "false",
                onclick: () => ((this.#tab = name), this.draw()),
              },
              label,
              name === "talk" && fresh > 0 && h("b", { class: "count" }, fresh),
            ),
          ),
        ),
        panel("ships", "Ships"),
        panel("cultures", "Cultures"),
        panel("talk", "Talk"),
        panel("log", "Log"),
      ),
    );
  }

  #menu() {
    const { session } = this;
    const save = (event) => {
      event.preventDefault();
      session.say("SAVEGAME", event.target.elements.name.value);
    };
    dialog("Menu", (close, redraw) => {
      const changed = () => (this.draw(), redraw());
      return [
        h("h3", {}, "Invite"),
        h("p", {}, "With this link a friend can watch, or come back to a seat:"),
        linkField(roomLink(session.room)),
        h("h3", {}, "Settings"),
        theme(changed),
        sound(changed),
        session.mirror.me !== null && [
          h("h3", {}, "Keep a copy of this game"),
          h(
            "form",
            { class: "row", onsubmit: save },
            h("input", { name: "name", required: true, maxlength: 32, pattern: "[A-Za-z0-9_\\-]+", title: "Letters, digits, - and _", "aria-label": "Name of the copy" }),
            h("button", {}, "Save"),
          ),
        ],
        h("h3", {}, "At the table"),
        h(
          "div",
          { class: "row" },
          h("button", { onclick: () => (close(), session.leave()) }, "All rooms (your seat is kept)"),
          h("a", { class: "button", href: "/" }, "parlor"),
        ),
      ];
    });
  }

  // The frame is drawn by one description; its parts by their own, so that map and log are never made anew.
  #enter() {
    const find = (name) => this.root.querySelector(name);
    const place = find(".board-place");
    if (this.#parts?.place === place) return;
    this.#parts = {
      place,
      banners: find("#banners"),
      actions: find(".actions"),
      ships: find(".p-ships"),
      cultures: find(".p-cultures"),
      talk: find(".p-talk"),
      past: document.createElement("div"),
    };
    place.append(this.#parts.past, this.board.element);
    const title = document.createElement("h2");
    title.textContent = "Log";
    find(".p-log").append(title, this.log.list);
  }

  #tellTurn(isInside) {
    const t = this.session.mirror;
    const name = `${NAME} – parlor`;
    const isMine = isInside && t.isMyTurn;
    const isOn = isInside && t.current !== null && !t.isOver;
    showTurn(isMine, isMine ? `● Your turn – ${name}` : isOn ? `${nameOf(t, t.current)}'s turn – ${name}` : name);
  }

  // A new question: what was sent for the last one is answered, and the ship comes into view.
  #follow(t) {
    const asked = t.isMyTurn ? `${t.state} ${t.seat?.space?.id} ${t.dice} ${t.points} ${this.session.logged}` : "";
    this.#isSent &&= this.session.isUp;
    if (asked === this.#asked) return;
    if (t.state === "TechSelect" && !this.#asked.startsWith("TechSelect")) this.on = new Set(t.switches);
    this.#asked = asked;
    this.#isSent = false;
    this.marked = [];
    if (asked) requestAnimationFrame(() => this.board.focus(t.seat?.space));
  }

  #render() {
    const { session } = this;
    document.documentElement.dataset.theme = settings.theme;
    const t = session.mirror;
    const isInside = !FILLING.includes(t.state) && (session.stage === "table" || session.stage === "asking");
    this.#tellTurn(isInside);
    patch(this.root, isInside ? this.#inside() : this.#outside());
    announce(session, () => (session.stage === "table" ? status(t) : ""));
    if (!isInside) return;
    this.#enter();
    this.#follow(t);
    this.#fill(t);
  }

  #fill(t) {
    const { session } = this;
    const parts = this.#parts;
    const past = this.#past;
    patch(parts.banners, [
      this.#banner(),
      session.notice && h("div", { class: "banner", role: "status" }, session.notice),
      t.me === null && !session.notice && h("div", { class: "banner" }, "You are watching."),
    ]);
    patch(parts.past, [
      past &&
        h(
          "div",
          { class: "banner", role: "status" },
          h("span", {}, `Then: ${past.text}`),
          h("button", { onclick: () => this.#lookAt(0) }, "Back to now"),
        ),
    ]);
    this.board.draw({
      t,
      scene: past?.scene ?? t.scene(),
      steps: this.#steps,
      chosen: null,
      marked: this.marked,
      find: t.seat?.space ?? null,
      choose: (space) => this.choose(space),
    });
    patch(parts.actions, actions(session, this));
    patch(parts.ships, ships(session));
    patch(parts.cultures, cultures(session, this));
    patch(parts.talk, talk(session));
    this.log.draw(session.log, past?.number ?? 0);
    const list = parts.talk.querySelector(".chat");
    if (list.checkVisibility()) {
      if (this.#heardTalk !== session.chat.length) list.scrollTop = list.scrollHeight;
      this.#heardTalk = session.chat.length;
    }
  }
}

document.documentElement.dataset.theme = settings.theme;
new Page(document.getElementById("app"));
