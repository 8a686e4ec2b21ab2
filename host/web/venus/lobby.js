// Before a game: the door where one gives a name, the rooms, and a table that fills.

import { h } from "../lib/dom.js";
import { linkField } from "../lib/fields.js";
import { person } from "../lib/store.js";
import { shipIcon } from "./board.js";
import { HALL } from "./session.js";
import { money, status } from "./words.js";

export const roomLink = (room) => new URL(`/venus?room=${encodeURIComponent(room)}`, location.href).href;

// A name that the server takes; the browser says what is wrong with it.
const nameField = (label, name, value, longest) =>
  h(
    "label",
    { class: "field" },
    label,
    h("input", {
      name,
      required: true,
      maxlength: longest,
      pattern: ".*\\S.*",
      title: "At least one letter",
      autocomplete: name === "name" ? "nickname" : "off",
      value,
    }),
  );

const nameIn = (form, name) => form.elements[name].value.trim().replace(/\s+/g, " ");

const chosen = { watch: false };

export function door(session) {
  const { wish } = session;
  const submit = (event) => {
    event.preventDefault();
    session.logIn(nameIn(event.target, "name"), event.target.elements.password.value, chosen.watch);
  };
  const way = (watch, text) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name: "way", checked: chosen.watch === watch, onchange: () => (chosen.watch = watch) }),
      text,
    );
  return h(
    "form",
    { class: "door", onsubmit: submit },
    h("h2", {}, wish ? `Join “${wish.room}”` : "Who are you?"),
    session.notice && h("p", { class: "notice", role: "alert" }, session.notice),
    nameField("Your name", "name", person.get().name, 20),
    wish && h("fieldset", { class: "row" }, h("legend", {}, "What would you like?"), way(false, "Play"), way(true, "Only watch")),
    h("button", { class: "primary big" }, wish ? "Sit down" : "Come in"),
    h("p", { class: "about" }, "Your seat is kept in this browser: no password is needed here."),
    h(
      "details",
      { open: session.notice.includes("password") },
      h("summary", {}, "I have a password for this name ▾"),
      h("label", { class: "field" }, "Password", h("input", { name: "password", type: "password", maxlength: 64, autocomplete: "current-password" })),
    ),
  );
}

// --- the rooms -------------------------------------------------------------------------------------------------------------

const STATUS = { "Starting up.": "waiting for players", "In Progress.": "being played", "Complete.": "over" };

function roomRow(session, { room, game, status: how }) {
  const inside = [...session.people].filter(([, where]) => where === room).map(([user]) => user);
  return h(
    "li",
    { key: room, class: "table-card" },
    h(
      "div",
      {},
      h("h3", {}, room),
      h("p", { class: "about" }, [game ? (STATUS[how] ?? how) : "no game yet", inside.length ? `here: ${inside.join(", ")}` : "nobody here"].join(" · ")),
    ),
    h(
      "div",
      { class: "row" },
      h("button", { class: "primary", "aria-label": `Go in: ${room}`, onclick: () => session.open(room) }, how === "In Progress." ? "Go in" : "Play"),
      game && h("button", { "aria-label": `Watch ${room}`, onclick: () => session.open(room, { watch: true }) }, "Watch"),
    ),
  );
}

function newRoom(session, wanted) {
  const submit = (event) => {
    event.preventDefault();
    session.open(nameIn(event.target, "room"));
  };
  return h(
    "form",
    { class: "door", onsubmit: submit },
    h("h2", {}, "New game"),
    nameField("Name of the room", "room", wanted || `${session.account?.name ?? ""}'s game`.slice(0, 24), 24),
    h("button", { class: "primary" }, "Open it"),
  );
}

function accountBox(session) {
  const { name, password } = session.account;
  return h(
    "details",
    {},
    h("summary", {}, `You are ${name} ▾`),
    h("p", { class: "about" }, "To play from another device, log in there with this name and this password:"),
    h("input", { readonly: true, value: password, "aria-label": "Your password", onfocus: (event) => event.target.select() }),
    h("div", { class: "row" }, h("button", { onclick: () => session.logOut() }, "Use another name")),
  );
}

export function lobby(session, wanted) {
  const rooms = [...session.rooms.values()].filter(({ room }) => room !== HALL).sort((a, b) => a.room.localeCompare(b.room));
  return [
    session.notice && h("p", { class: "notice", role: "status" }, session.notice),
    h("h2", {}, "Games"),
    rooms.length > 0
      ? h(
          "ul",
          { class: "tables" },
          rooms.map((room) => roomRow(session, room)),
        )
      : h("p", { class: "none" }, "Nobody plays just now. Open the first game."),
    newRoom(session, wanted),
    accountBox(session),
  ];
}

// --- a table that fills ------------------------------------------------------------------------------------------------------

const SUMS = [1000, 2000, 3000, 4000];

function seats(session, t) {
  return h(
    "ul",
    { class: "seats" },
    t.inOrder.map((player) =>
      h(
        "li",
        { key: player.id },
        shipIcon(player.id),
        h("span", { class: "who" }, player.name, player.id === t.me && h("small", {}, " (you)")),
        t.state === "ValidateSetup" && h("span", { class: player.likes ? "step s2" : "step" }, player.likes ? "agrees ✓" : "thinks"),
      ),
    ),
    t.players.size === 0 && h("li", { class: "none" }, "Nobody yet"),
  );
}

function winMoney(session, t) {
  const sums = SUMS.includes(t.winMoney) ? SUMS : [...SUMS, t.winMoney].sort((a, b) => a - b);
  return h(
    "label",
    { class: "setting" },
    "The first with this much wins",
    h(
      "select",
      { value: String(t.winMoney), disabled: !t.may("OPTIONS"), onchange: (event) => session.say("OPTIONS", event.target.value) },
      sums.map((sum) => h("option", { key: sum, value: String(sum), selected: sum === t.winMoney }, money(sum))),
    ),
  );
}

const press = (session, label, action, name = "") => h("button", { key: action, class: name, onclick: () => session.say(action) }, label);

function setUp(session, t) {
  if (t.state === "ValidateSetup") {
    return h(
      "div",
      { class: "row" },
      t.may("LIKEOPTIONS") && press(session, "I agree: let us begin", "LIKEOPTIONS", "primary big"),
      t.may("DONTLIKEOPTIONS") && press(session, "Not yet", "DONTLIKEOPTIONS"),
    );
  }
  return h(
    "div",
    { class: "row" },
    t.may("VALIDATESETUP") && press(session, "Begin with these players", "VALIDATESETUP", "primary big"),
    t.may("JOIN") && h("button", { key: "JOIN", class: "primary big", onclick: () => session.sitDown() }, "Sit down"),
    t.me !== null && t.players.size < 6 && press(session, "Add a bot", "REQUESTBOT"),
    t.may("UNJOIN") && press(session, "Stand up", "UNJOIN"),
  );
}

const saved = (session) =>
  session.saves.length > 0 &&
  h(
    "details",
    {},
    h("summary", {}, "Go on with a saved game ▾"),
    session.saves.map((name) => h("button", { key: name, onclick: () => session.say("LOADGAME", name) }, name)),
  );

// `chat` describes the talk.
export function room(session, chat) {
  const t = session.mirror;
  return [
    h(
      "div",
      { class: "door" },
      h("h2", {}, `“${session.room}”`),
      session.notice && h("p", { class: "notice", role: "status" }, session.notice),
      session.game
        ? [
            h("p", { id: "status", class: "status", role: "status" }, status(t)),
            seats(session, t),
            winMoney(session, t),
            setUp(session, t),
            t.me === null && h("p", { class: "about" }, "You are watching."),
          ]
        : h("button", { class: "primary big", onclick: () => session.newGame() }, "Lay out a game here"),
      saved(session),
      h("div", { class: "row" }, h("button", { onclick: () => session.leave() }, "Back to all rooms")),
    ),
    h("div", { class: "door" }, h("h2", {}, "Invite"), h("p", {}, "This link is all a friend needs:"), linkField(roomLink(session.room))),
    h("div", { class: "door" }, chat),
  ];
}
