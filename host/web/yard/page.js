// Scotland Yard on the screen: `/yard` is the list of games, `/yard?game=NAME` one of them.

import { comingIn, goTo, hero } from "../lib/account.js";
import { toast } from "../lib/dialog.js";
import { h, patch } from "../lib/dom.js";
import { pace, setPace } from "../lib/pace.js";
import { Page } from "../lib/page.js";
import { settings } from "../lib/store.js";
import { drawTalk } from "../lib/talk.js";
import { Board } from "./board.js";
import { lang } from "./lang.js";
import { door, gameLink, lobby, room } from "./lobby.js";
import { actions, pawns, sightControl, talk, travelLog } from "./panels.js";
import { YardSession } from "./session.js";
import { pawnName, status } from "./words.js";

settings.add({ sight: false });

const TABS = [
  ["pawns", lang.pawnsTab],
  ["rides", lang.xTab],
  ["talk", lang.talk],
  ["log", lang.log],
];

export class YardPage extends Page {
  name = lang.title;
  home = "/yard";
  layout = "yard";
  #heardTalk = 0;
  #wide = matchMedia("(min-width: 1180px)");
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

  constructor(root) {
    super(root, TABS);
    this.#wide.addEventListener("change", () => this.draw());
    this.board = new Board((station) => this.choose(station));
    this.#wanted = new URLSearchParams(location.search).get("game")?.trim() ?? "";
    this.session = new YardSession(this.#wanted, {
      ...this.events,
      moved: (game) => goTo(game ? gameLink(game) : this.home),
    });
    addEventListener("popstate", () => location.reload());
  }

  get place() {
    return this.session.game;
  }

  // Where there is room, the travel log is always in sight.
  get lead() {
    return this.#wide.matches ? "rides" : "";
  }

  get seat() {
    const { game, isWatcher, mirror } = this.session;
    return isWatcher ? null : { path: "/notify/yard/1", place: game, name: mirror.me };
  }

  setPace() {
    setPace("yard", this.place);
  }

  get asked() {
    const { next, moves } = this.session.mirror;
    return next ? moves.length : null;
  }

  get isInside() {
    const { stage, game, mirror } = this.session;
    return mirror.started && (stage === "table" || (stage === "asking" && game !== ""));
  }

  // --- what a player does at the map --------------------------------------------------------------------------------------

  get #hops() {
    const t = this.session.mirror;
    const isAsked = t.toMove && this.session.isUp && !this.#isSent && this.past === null;
    return isAsked ? t.hops(t.toMove, this.first) : null;
  }

  choose(station) {
    const hops = this.#hops;
    if (station === null) this.chosen = null;
    else if (hops?.has(station)) this.chosen = station;
    else if (hops) return toast(lang.cantGo(this.session.mirror.toMove, station));
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
    return settings.sight;
  }

  toggleSight() {
    settings.change("sight", !this.showSight);
    this.draw();
  }

  show(station) {
    this.board.focus(station, true);
  }

  // A step of a game that is over.
  go(step) {
    this.step = step;
    this.draw();
  }

  get #scene() {
    const t = this.session.mirror;
    if (this.past) return this.past.scene;
    return t.isOver && this.step !== null ? (t.scenes[this.step] ?? t.scene()) : t.scene();
  }

  key(event) {
    if (event.key === "Escape" && this.chosen) this.choose(null);
    // A digit begins a station's number.
    const field = /^\d$/.test(event.key) && document.getElementById("station");
    if (field) field.focus();
  }

  // --- frames ---------------------------------------------------------------------------------------------------------------

  outside() {
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
    return comingIn(session);
  }

  head() {
    return hero(this, lang.about) ?? super.head();
  }

  counts() {
    return { talk: this.session.chat.length - this.#heardTalk };
  }

  status() {
    return status(this.session.mirror);
  }

  turn() {
    const { next, toMove } = this.session.mirror;
    return {
      isMine: Boolean(toMove),
      text: toMove ? lang.yourTurnWith(next) : next && lang.turnOf(pawnName(next)),
    };
  }

  menu(close, changed) {
    const { session } = this;
    return {
      invite: lang.inviteSeat,
      link: gameLink(session.game),
      choices: pace(() => (this.setPace(), changed())),
      controls: h("button", { onclick: () => (close(), session.leave()) }, lang.seatKeptTables),
    };
  }

  notices() {
    const { notice, isWatcher } = this.session;
    if (notice) return h("div", { class: "banner", role: "status" }, notice);
    return isWatcher && h("div", { class: "banner" }, lang.watching);
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

  fill(parts, past) {
    this.#follow();
    const { session } = this;
    const t = session.mirror;
    const [scene, hops] = [this.#scene, this.#hops];
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
      past: t.isOver && t.scenes.slice(0, scene.step + 1),
      find: t.toMove ? () => this.board.focus(t.at[t.toMove], true) : null,
    });
    patch(parts.actions, actions(session, this, hops));
    patch(parts.pawns, pawns(session, this, scene));
    patch(parts.rides, travelLog(session, this, scene));
    this.#heardTalk = drawTalk(parts.talk, talk(session), session.chat.length, this.#heardTalk);
  }
}
