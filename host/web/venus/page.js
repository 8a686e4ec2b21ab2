// Merchant of Venus on the screen: `/venus` is the list of rooms, `/venus?room=NAME` one of them.

import { comingIn, goTo, hero } from "../lib/account.js";
import { dialog, toast } from "../lib/dialog.js";
import { h, patch, submit } from "../lib/dom.js";
import { pace, setPace } from "../lib/pace.js";
import { Page } from "../lib/page.js";
import { drawTalk } from "../lib/talk.js";
import { StarMap } from "./board.js";
import { lang } from "./lang.js";
import { door, lobby, room, roomLink } from "./lobby.js";
import { actions, cultures, ships, talk } from "./panels.js";
import { VenusSession } from "./session.js";
import { nameOf, spaceWords, status } from "./words.js";

const TABS = [
  ["ships", lang.ships],
  ["cultures", lang.cultures],
  ["talk", lang.talk],
  ["log", lang.log],
];
const FILLING = ["", "InitialState", "ValidateSetup"];

export class VenusPage extends Page {
  name = lang.title;
  home = "/venus";
  layout = "venus";
  #heardTalk = 0;
  #wanted = "";
  // What the controls were last made for: another question begins afresh.
  #asked = "";
  // A step was named, and the server has not answered yet.
  #isSent = false;
  #here = null;
  // What is switched on for this turn, while that is asked, and what somebody looks at.
  on = null;
  marked = [];
  // Somebody has opened "What can I do here?".
  isAsked = false;

  constructor(root) {
    super(root, TABS);
    this.board = new StarMap((space) => this.choose(space));
    this.#wanted = new URLSearchParams(location.search).get("room")?.trim() ?? "";
    this.session = new VenusSession(this.#wanted, {
      ...this.events,
      moved: (name) => goTo(name ? roomLink(name) : this.home),
    });
    addEventListener("popstate", () => location.reload());
  }

  get place() {
    return this.session.room;
  }

  get seat() {
    const { room, mirror, account } = this.session;
    return mirror.me === null ? null : { path: "/notify/venus/1", place: room, name: account.name };
  }

  setPace() {
    setPace("venus", this.place);
  }

  get asked() {
    const { current, isOver, actions } = this.session.mirror;
    return current === null || isOver ? null : actions;
  }

  get isInside() {
    const { stage, mirror } = this.session;
    return !FILLING.includes(mirror.state) && (stage === "table" || stage === "asking");
  }

  // --- what a player does at the map --------------------------------------------------------------------------------------

  get #steps() {
    const t = this.session.mirror;
    const isAsked = t.isMyTurn && t.may("SELECTDESTINATION") && this.session.isUp && !this.#isSent && !this.past;
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
    dialog(lang.walkOrJump, (close) =>
      h(
        "div",
        { class: "row" },
        steps.map((step) =>
          h("button", { key: step.isJump, onclick: () => (close(), this.go(step)) }, step.isJump ? lang.jump : lang.walk, h("small", {}, ` ${step.cost}`)),
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

  ask(isAsked) {
    if (this.isAsked === isAsked) return;
    this.isAsked = isAsked;
    this.draw();
  }

  toggle(code, isOn) {
    if (isOn) this.on.add(code);
    else this.on.delete(code);
    this.draw();
  }

  // --- frames ---------------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.key !== "Escape") return;
    this.marked = [];
    this.draw();
  }

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
    const t = this.session.mirror;
    const isOn = t.current !== null && !t.isOver;
    return { isMine: t.isMyTurn, text: t.isMyTurn ? lang.yourTurn : isOn && lang.turnOf(nameOf(t, t.current)) };
  }

  menu(close, changed) {
    const { session } = this;
    const save = ({ copy }) => session.say("SAVEGAME", copy.value);
    return {
      invite: lang.inviteSeat,
      link: roomLink(session.room),
      choices: pace(() => (this.setPace(), changed())),
      controls: h("button", { onclick: () => (close(), session.leave()) }, lang.seatKeptRooms),
      more: session.mirror.me !== null && [
        h("h3", {}, lang.keepCopy),
        h(
          "form",
          { class: "row", onsubmit: submit(save) },
          h("input", {
            name: "copy",
            required: true,
            maxlength: 32,
            pattern: "[A-Za-z0-9_\\-]+",
            title: lang.copyLetters,
            "aria-label": lang.copyName,
          }),
          h("button", {}, lang.save),
        ),
      ],
    };
  }

  notices() {
    const { notice, mirror } = this.session;
    if (notice) return h("div", { class: "banner", role: "status" }, notice);
    return mirror.me === null && h("div", { class: "banner" }, lang.watching);
  }

  // A new question: what was sent for the last one is answered. When the ship has moved, it comes into view.
  #follow(t) {
    const asked = t.isMyTurn ? `${t.actions} ${this.session.refusals}` : "";
    const here = t.isMyTurn ? t.seat?.space : null;
    this.#isSent &&= this.session.isUp;
    if (asked !== this.#asked) {
      this.#asked = asked;
      this.#isSent = false;
      this.marked = [];
    }
    if (t.state !== "TechSelect") this.on = null;
    else this.on ??= new Set(t.switches);
    if (here && here !== this.#here) requestAnimationFrame(() => this.board.focus(here));
    this.#here = here;
  }

  fill(parts, past) {
    const { session } = this;
    const t = session.mirror;
    this.#follow(t);
    this.board.draw({
      t,
      scene: past?.scene ?? t.scene(),
      steps: this.#steps,
      marked: this.marked,
      find: t.seat?.space ?? null,
      choose: (space) => this.choose(space),
    });
    patch(parts.actions, actions(session, this));
    patch(parts.ships, ships(session));
    patch(parts.cultures, cultures(session, this));
    this.#heardTalk = drawTalk(parts.talk, talk(session), session.chat.length, this.#heardTalk);
  }
}
