// Games where one has an account: the session that logs in and comes back, and the way in on the screen. The browser makes
// the password and remembers it; a person may have one of their own.

import { arrival } from "./arrival.js";
import { h, submit } from "./dom.js";
import { linkField, nameField, plain, ways } from "./fields.js";
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
    for (let n = 1; ; n++) {
      const end = n > 1 ? ` ${n}` : "";
      const name = `${`${this.account.name}'s game`.slice(0, longest - end.length)}${end}`;
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
    this.door("");
  }

  door(notice) {
    this.account = null;
    this.hangUp("door", notice);
  }

  // The server will not have us: `mayWait` if it may later; `isWrong` if the password is.
  notIn(notice, { mayWait, isWrong }) {
    const { account } = this;
    if (mayWait && this.#tries < TRIES) {
      this.#tries += 1;
      if (this.#tries > 3) this.stand("asking", "The server is not ready for you yet …");
      setTimeout(() => this.account === account && this.line.isOpen && this.logInAs(account), PAUSE);
      return;
    }
    if (isWrong) store.seat.clear(this.#game);
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

// The way in: a name, once. `longest` and `rules` as the game's names are.
export function door(session, longest, rules) {
  const { wish } = session;
  const enter = ({ name, password }) => session.logIn(plain(name), password.value, chosen.watch);
  return h(
    "form",
    { class: "door", onsubmit: submit(enter) },
    h("h2", {}, wish ? `Join “${wish.place}”` : "Who are you?"),
    session.notice && h("p", { class: "notice", role: "alert" }, session.notice),
    nameField("Your name", "name", store.person.get().name, longest, rules),
    wish && ways(chosen.watch, (watch) => (chosen.watch = watch)),
    h("button", { class: "primary big" }, wish ? "Sit down" : "Come in"),
    h("p", { class: "about" }, "Your seat is kept in this browser: no password is needed here."),
    h(
      "details",
      { open: session.notice.includes("password") },
      h("summary", {}, "I have a password for this name ▾"),
      h(
        "label",
        { class: "field" },
        "Password",
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
    h("h2", {}, "Coming in …"),
    h("p", { role: "status" }, session.notice || "Asking the server."),
    h("button", { onclick: () => session.logOut() }, "Use another name"),
  );

export function accountBox(session) {
  const { name, password } = session.account;
  return h(
    "details",
    {},
    h("summary", {}, `You are ${name} ▾`),
    h("p", { class: "about" }, "To play from another device, log in there with this name and this password:"),
    h("input", {
      readonly: true,
      value: password,
      "aria-label": "Your password",
      onfocus: (event) => event.target.select(),
    }),
    h("div", { class: "row" }, h("button", { onclick: () => session.logOut() }, "Use another name")),
  );
}

// The tables there are: `cards`, and a form for another one; `wanted` is a name for it.
export function lobby(session, cards, { label, longest, rules, wanted, open }) {
  return [
    session.notice && h("p", { class: "notice", role: "status" }, session.notice),
    h("h2", {}, "Games"),
    cards.length > 0
      ? h("ul", { class: "tables" }, cards)
      : h("p", { class: "none" }, "Nobody plays just now. Open the first game."),
    h(
      "form",
      { class: "door", onsubmit: submit(({ table }) => open(plain(table))) },
      h("h2", {}, "New game"),
      nameField(
        label,
        "table",
        wanted || `${session.account?.name ?? ""}'s game`.slice(0, longest),
        longest,
        rules,
      ),
      h("button", { class: "primary" }, "Open it"),
    ),
    accountBox(session),
  ];
}

export const invitation = (link) =>
  h("div", { class: "door" }, h("h2", {}, "Invite"), h("p", {}, "This link is all a friend needs:"), linkField(link));
