// Scotland Yard on the screen: `/yard` is the list of games, `/yard?game=NAME` one of them. Everything is drawn anew
// whenever the session has changed.

import { dialog, h, patch, toast } from "./dom.js";
import { linkField, sound, theme } from "./fields.js";
import { Log } from "./log.js";
import { announce, beep, showTurn } from "./signs.js";
import { settings } from "./store.js";
import { Board } from "./yard_board.js";
import { door, gameLink, lobby, room } from "./yard_lobby.js";
import { actions, pawns, sightControl, talk, travelLog } from "./yard_panels.js";
import { Session } from "./yard_session.js";
import { pawnName, status } from "./yard_words.js";

const TABS = [
  ["pawns", "Pawns"],
  ["rides", "Mr. X"],
  ["talk", "Talk"],
  ["log", "Log"],
];

class Page {
  #drawing = false;
  #tab = "pawns";
  #parts = null;
  #heardTalk = 0;
  #wanted = "";
  // Whose move the controls were last made for: another one begins afresh.
  #asked = "";
  // A move was made, and the server has not answered yet.
  #isSent = false;
  // What is being chosen: a station, the first half of a double move, a step of the past.
  chosen = null;
  first = null;
  double = false;
  step = null;
  #past = null;

  constructor(root) {
    this.root = root;
    this.board = new Board((station) => this.choose(station));
    this.log = new Log((number) => this.#lookAt(number));
    this.#wanted = new URLSearchParams(location.search).get("game")?.trim() ?? "";
    this.session = new Session(this.#wanted, {
      changed: () => this.draw(),
      refused: (text) => toast(text, "bad"),
      yourTurn: () => settings.sound && beep(),
      moved: (game) => this.#address(game ? gameLink(game) : new URL("/yard", location.href).href),
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

  get #hops() {
    const t = this.session.mirror;
    const isAsked = t.toMove && this.session.isUp && !this.#isSent && this.#past === null;
    return isAsked ? t.hops(t.toMove, this.first) : null;
  }

  choose(station) {
    const hops = this.#hops;
    if (station === null) this.chosen = null;
    else if (hops?.has(station)) this.chosen = station;
    else if (hops) return toast(`${pawnName(this.session.mirror.toMove)} can't go to ${station} in one move.`);
    this.draw();
    // The tickets stand where the stations stood: the keyboard goes on there.
    if (this.chosen)
      requestAnimationFrame(() => this.root.querySelector(".choice .ticket")?.focus({ preventScroll: true }));
  }

  ride(ticket) {
    const { session } = this;
    const hop = { to: this.chosen, ticket };
    this.chosen = null;
    if (this.double && !this.first) {
      this.first = hop;
      this.board.focus(hop.to);
    } else {
      this.#isSent = true;
      session.move(session.mirror.toMove, this.first ? [this.first, hop] : [hop], () => (this.#isSent = false));
      this.undo();
    }
    this.draw();
  }

  undo() {
    Object.assign(this, { first: null, double: false, chosen: null });
    this.draw();
  }

  toggleDouble() {
    this.double = !this.double;
    this.draw();
  }

  get showSight() {
    return settings.sight ?? false;
  }

  toggleSight() {
    settings.change("sight", !this.showSight);
    this.draw();
  }

  show(station) {
    this.board.focus(station, true);
  }

  // --- the past -----------------------------------------------------------------------------------------------------------

  look(step) {
    this.step = step;
    this.draw();
  }

  #lookAt(number) {
    const line = number ? this.session.log.find((line) => line.number === number) : null;
    this.#past = line ?? null;
    this.draw();
  }

  get #scene() {
    const t = this.session.mirror;
    if (this.#past) return this.#past.scene;
    return t.isOver && this.step !== null ? (t.scenes[this.step] ?? t.scene()) : t.scene();
  }

  #keys(event) {
    if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === "Escape") {
      if (this.#past) this.#lookAt(0);
      else if (this.chosen) this.choose(null);
    }
    // A digit begins a station's number.
    const field = /^\d$/.test(event.key) && document.getElementById("station");
    if (field) field.focus();
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
            h("h1", {}, "Scotland Yard"),
            h("p", {}, "One flees through London, up to five hunt. Taxi, bus and underground give the direction away."),
          )
        : h("h1", { key: "title" }, h("a", { href: "/yard" }, "Scotland Yard")),
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
        h("h1", {}, h("a", { href: "/yard", title: "All games" }, "Scotland Yard"), h("span", {}, ` ${session.game}`)),
        h("button", { onclick: () => this.#menu() }, "Menu"),
      ),
      h("div", { class: "banners", id: "banners", own: true }),
      h(
        "main",
        { id: "main", class: `layout yard show-${this.#tab}` },
        h("section", { class: "board-place", own: true, "aria-label": "Map" }),
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
        panel("pawns", "Pawns and tickets"),
        panel("rides", "Mr. X's travel log"),
        panel("talk", "Talk"),
        panel("log", "Log"),
      ),
    );
  }

  #menu() {
    const { session } = this;
    dialog("Menu", (close, redraw) => {
      const changed = () => (this.draw(), redraw());
      return [
        h("h3", {}, "Invite"),
        h("p", {}, "With this link a friend can watch, or come back to a seat:"),
        linkField(gameLink(session.game)),
        h("h3", {}, "Settings"),
        theme(changed),
        sound(changed),
        h("h3", {}, "At the table"),
        h(
          "div",
          { class: "row" },
          h("button", { onclick: () => (close(), session.leave()) }, "All games (your seat is kept)"),
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
      pawns: find(".p-pawns"),
      rides: find(".p-rides"),
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
    const isMine = isInside && Boolean(t.toMove);
    const name = "Scotland Yard – parlor";
    const next = isInside && t.next;
    showTurn(
      isMine,
      isMine ? `● Your turn: ${pawnName(t.next)} – ${name}` : next ? `${pawnName(next)}'s turn – ${name}` : name,
    );
  }

  // A new question: what was half chosen for the last one is gone, and the pawn comes into view.
  #follow() {
    const t = this.session.mirror;
    const asked = t.toMove ? `${t.toMove} ${t.moves.length}` : "";
    this.#isSent &&= this.session.isUp;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#isSent = false;
    Object.assign(this, { chosen: null, first: null, double: false });
    if (asked) requestAnimationFrame(() => this.board.focus(t.at[t.toMove]));
  }

  #render() {
    const { session } = this;
    document.documentElement.dataset.theme = settings.theme;
    const t = session.mirror;
    const isInside = t.started && (session.stage === "table" || (session.stage === "asking" && session.game !== ""));
    this.#tellTurn(isInside);
    patch(this.root, isInside ? this.#inside() : this.#outside());
    announce(session, () => (session.stage === "table" ? status(t) : ""));
    if (!isInside) return;
    this.#enter();
    this.#follow();
    this.#fill(t);
  }

  #fill(t) {
    const { session } = this;
    const parts = this.#parts;
    const [scene, hops, past] = [this.#scene, this.#hops, this.#past];
    patch(parts.banners, [
      this.#banner(),
      session.notice && h("div", { class: "banner", role: "status" }, session.notice),
      session.isWatcher && !session.notice && h("div", { class: "banner" }, "You are watching."),
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
    const seen = t.moves.slice(0, scene.step).findLast((move) => move.seen);
    this.board.draw({
      scene,
      hops,
      chosen: this.chosen,
      first: this.first,
      showSight: this.showSight,
      ghost: scene.at.X ? null : seen?.seen,
      active: past || this.step !== null ? scene.last?.pawn : t.next,
      extra: sightControl(session, this),
      find: t.toMove ? () => this.board.focus(t.at[t.toMove], true) : null,
    });
    patch(parts.actions, actions(session, this, hops));
    patch(parts.pawns, pawns(session, this, scene));
    patch(parts.rides, travelLog(session, this, scene));
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
