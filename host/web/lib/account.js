// Games where one has an account: the session that logs in and comes back, and the way in on the screen. The browser makes
// the password and remembers it; a person may have one of their own.

import { arrival } from "./arrival.js";
import { h, submit } from "./dom.js";
import { cut, linkField, nameField, plain, ways } from "./fields.js";
import { lang } from "./lang.js";
import { Session } from "./session.js";
import * as store from "./store.js";

// Between two tries to log in while the server is busy or has not noticed yet that we were gone, and how often.
const PAUSE = 1000;
const TRIES = 40;

const freshPassword = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(15)), (n) => (n % 36).toString(36)).join("");

export class AccountSession extends Session {
  // Beside the stages of every session: "lobby", "table".
  account;
  // Where somebody wants to sit: { place, watch }.
  wish = null;
  chat = [];
  // Was somebody sent away for want of a password?
  isPassword = false;
  #game;
  #tries = 0;

  // `game`: its path and the name of its seat. Beside the events of every session: moved(place): another table, or none,
  // belongs into the address. The game's own session says what to say to log in (`logInAs`).
  constructor(game, codec, place, events) {
    super(`/ws/${game}`, codec, game, events);
    this.#game = game;
    this.account = store.seat.get(game);
    if (place) this.wish = { place, watch: arrival.way === "watch" };
  }

  // Who has an account goes in with it, and who has given a name at the front door with that.
  begin() {
    const { name } = store.person.get();
    if (this.account && !(arrival.way && name && name !== this.account.name)) this.resume();
    else if (arrival.way && name) this.logIn(name, "", arrival.way === "watch");
  }

  // A name for a game of one's own: the first that is not taken.
  ownName(longest, isTaken) {
    const name = cut(this.account.name, longest, lang.ownGame);
    return isTaken(name) ? this.nextName(name, longest, isTaken) : name;
  }

  // "Fog", "Fog 2", "Fog 3": the next one that is free.
  nextName(place, longest, isTaken) {
    const [, base, number] = place.match(/^(.*?)(?: (\d+))?$/);
    for (let n = Number(number ?? 1) + 1; ; n++) {
      const name = `${cut(base, longest - String(n).length - 1)} ${n}`;
      if (!isTaken(name)) return name;
    }
  }

  resume() {
    this.#tries = 0;
    super.resume();
  }

  // A name, and a password if this person has one of their own.
  logIn(name, password, watch) {
    this.account = { name, password: password || freshPassword(), isNew: true };
    if (this.wish) this.wish.watch = watch;
    store.person.set({ ...store.person.get(), name });
    this.line.close();
    this.resume();
  }

  logOut() {
    store.seat.clear(this.#game);
    this.isPassword = false;
    this.door("");
  }

  door(notice) {
    this.account = null;
    this.hangUp("door", notice);
  }

  // The server will not have us: `mayWait` if it may later; `isWrong` if the password is; `isPassword` if it speaks of one.
  notIn(notice, { mayWait, isWrong, isPassword }) {
    const { account } = this;
    if (mayWait && this.#tries < TRIES) {
      this.#tries += 1;
      if (this.#tries > 3) this.stand("asking", lang.notReady);
      setTimeout(() => this.account === account && this.line.isOpen && this.logInAs(account), PAUSE);
      return;
    }
    if (isWrong) store.seat.clear(this.#game);
    this.isPassword = isPassword;
    this.door(notice);
  }

  entered() {
    const { isNew, ...account } = this.account;
    this.account = account;
    store.seat.set(this.#game, account);
    this.up();
  }
}

// --- on the screen -----------------------------------------------------------------------------------------------------------

const chosen = { watch: false };

// Somebody went to another place, or to none: the address says so.
export function goTo(link) {
  const { href } = new URL(link, location.href);
  if (href !== location.href) history.pushState(null, "", href);
}

// Above the door and the list of games; null where somebody is on the way to one of them.
export const hero = ({ session: { stage, wish }, name }, about) =>
  stage === "lobby" || (stage === "door" && !wish)
    ? h(
        "header",
        { class: "hero", key: "hero" },
        h("p", {}, h("a", { href: "/" }, lang.backHome)),
        h("h1", {}, name),
        h("p", {}, about),
      )
    : null;

// The way in: a name, once. `longest` and `rules` as the game's names are.
export function door(session, longest, rules) {
  const { wish } = session;
  const enter = ({ name, password }) => session.logIn(plain(name), password.value, chosen.watch);
  return h(
    "form",
    { class: "door", onsubmit: submit(enter) },
    h("h2", {}, wish ? lang.join(wish.place) : lang.whoAreYou),
    session.notice && h("p", { class: "notice", role: "alert" }, session.notice),
    nameField(lang.yourName, "name", store.person.get().name, longest, rules),
    wish && ways(chosen.watch, (watch) => (chosen.watch = watch)),
    h("button", { class: "primary big" }, wish ? lang.sitDown : lang.comeIn),
    h("p", { class: "about" }, lang.seatKept),
    h(
      "details",
      { open: session.isPassword },
      h("summary", {}, lang.havePassword),
      h(
        "label",
        { class: "field" },
        lang.password,
        h("input", { name: "password", type: "password", maxlength: 64, autocomplete: "current-password" }),
      ),
    ),
  );
}

// While the server is asked.
export const comingIn = (session) =>
  h(
    "div",
    { class: "door" },
    h("h2", {}, lang.comingIn),
    h("p", { role: "status" }, session.notice || lang.askingServer),
    h("button", { onclick: () => session.logOut() }, lang.anotherName),
  );

export function accountBox(session) {
  const { name, password } = session.account;
  return h(
    "details",
    {},
    h("summary", {}, lang.youAre(name)),
    h("p", { class: "about" }, lang.otherDevice),
    h("input", {
      readonly: true,
      value: password,
      "aria-label": lang.yourPassword,
      onfocus: (event) => event.target.select(),
    }),
    h("div", { class: "row" }, h("button", { onclick: () => session.logOut() }, lang.anotherName)),
  );
}

// The tables there are: `cards`, and a form for another one; `wanted` is a name for it, else the first that is not taken.
export function lobby(session, cards, { label, longest, rules, wanted, isTaken, open }) {
  return [
    session.notice && h("p", { class: "notice", role: "status" }, session.notice),
    h("h2", {}, lang.games),
    cards.length > 0
      ? h("ul", { class: "tables" }, cards)
      : h("p", { class: "none" }, lang.nobodyPlays),
    h(
      "form",
      { class: "door", onsubmit: submit(({ table }) => open(plain(table))) },
      h("h2", {}, lang.newGame),
      nameField(
        label,
        "table",
        wanted || session.ownName(longest, isTaken),
        longest,
        rules,
      ),
      h("button", { class: "primary" }, lang.openIt),
    ),
    accountBox(session),
  ];
}

export const invitation = (link) =>
  h("div", { class: "door" }, h("h2", {}, lang.invite), h("p", {}, lang.inviteLink), linkField(link));
