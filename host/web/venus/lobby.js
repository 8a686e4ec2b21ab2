// Before a game: the door where one gives a name, the rooms, and a table that fills.

import * as accounts from "../lib/account.js";
import { h } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import { shipIcon } from "./board.js";
import { lang } from "./lang.js";
import { HALL, LONGEST } from "./session.js";
import { money, status } from "./words.js";

export const roomLink = (room) => new URL(`/venus?room=${encodeURIComponent(room)}`, location.href).href;

const NAME = { pattern: ".*\\S.*", title: lang.oneLetter };

export const door = (session) => accounts.door(session, 20, NAME);

// --- the rooms -------------------------------------------------------------------------------------------------------------

const STATUS = { "Starting up.": lang.waitsForPlayers, "In Progress.": lang.beingPlayed, "Complete.": lang.isOver };

function roomCard(session, { room, game, status: how }) {
  const inside = [...session.people].filter(([, where]) => where === room).map(([user]) => user);
  const about = [game ? (STATUS[how] ?? how) : lang.noGameYet, inside.length ? lang.inRoom(inside) : lang.nobodyHere];
  return card(room, room, false, h("p", { class: "about" }, about.join(" · ")), [
    h(
      "button",
      { class: "primary", "aria-label": lang.goInWhere(room), onclick: () => session.open(room) },
      how === "In Progress." ? lang.goIn : lang.play,
    ),
    game && h("button", { "aria-label": lang.watchWhat(room), onclick: () => session.open(room, { watch: true }) }, lang.watch),
  ]);
}

export function lobby(session, wanted) {
  const rooms = [...session.rooms.values()].filter(({ room }) => room !== HALL);
  rooms.sort((a, b) => a.room.localeCompare(b.room));
  return accounts.lobby(
    session,
    rooms.map((room) => roomCard(session, room)),
    { label: lang.roomName, longest: LONGEST, rules: NAME, wanted, isTaken: (room) => session.rooms.has(room), open: (room) => session.open(room) },
  );
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
        h("span", { class: "who" }, player.name, player.id === t.me && h("small", {}, lang.you)),
        t.state === "ValidateSetup" && h("span", { class: player.likes ? "step s2" : "step" }, player.likes ? lang.agrees : lang.thinks),
      ),
    ),
    t.players.size === 0 && h("li", { class: "none" }, lang.nobodyYet),
  );
}

function winMoney(session, t) {
  const sums = SUMS.includes(t.winMoney) ? SUMS : [...SUMS, t.winMoney].sort((a, b) => a - b);
  return h(
    "label",
    { class: "setting" },
    lang.firstWins,
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
      t.may("LIKEOPTIONS") && press(session, lang.iAgree, "LIKEOPTIONS", "primary big"),
      t.may("DONTLIKEOPTIONS") && press(session, lang.notYet, "DONTLIKEOPTIONS"),
    );
  }
  return h(
    "div",
    { class: "row" },
    t.may("VALIDATESETUP") && press(session, lang.beginWith, "VALIDATESETUP", "primary big"),
    t.may("JOIN") && h("button", { key: "JOIN", class: "primary big", onclick: () => session.sitDown() }, lang.sitDown),
    t.me !== null && t.players.size < 6 && press(session, lang.addBot, "REQUESTBOT"),
    t.may("UNJOIN") && press(session, lang.standUp, "UNJOIN"),
  );
}

const saved = (session) =>
  session.saves.length > 0 &&
  h(
    "details",
    {},
    h("summary", {}, lang.savedGame),
    session.saves.map((name) => h("button", { key: name, onclick: () => session.say("LOADGAME", name) }, name)),
  );

// `chat` describes the talk.
export function room(session, chat) {
  const t = session.mirror;
  return [
    h(
      "div",
      { class: "door" },
      h("h2", {}, lang.room(session.room)),
      session.notice && h("p", { class: "notice", role: "status" }, session.notice),
      session.game
        ? [
            h("p", { id: "status", class: "status", role: "status" }, status(t)),
            seats(session, t),
            winMoney(session, t),
            setUp(session, t),
            t.me === null && h("p", { class: "about" }, lang.watching),
          ]
        : h("button", { class: "primary big", onclick: () => session.newGame() }, lang.layOut),
      saved(session),
      h("div", { class: "row" }, h("button", { onclick: () => session.leave() }, lang.backToRooms)),
    ),
    accounts.invitation(roomLink(session.room)),
    h("div", { class: "door" }, chat),
  ];
}
