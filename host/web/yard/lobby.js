// Before a game: the way in (a name, once), the games there are, and a table that fills: sides, readiness, bots.

import * as accounts from "../lib/account.js";
import { h } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import { seat } from "../lib/store.js";
import { pin } from "./board.js";
import { lang } from "./lang.js";
import { MR_X } from "./mirror.js";
import { waitingFor } from "./words.js";

export const gameLink = (game) => new URL(`/yard?game=${encodeURIComponent(game)}`, location.href).href;

// Names stand in quotes in a line of the protocol.
const NAME = { pattern: '[^"]*[^"\\s][^"]*', title: lang.noQuotes };

export const door = (session) => accounts.door(session, 25, NAME);

// --- the games -------------------------------------------------------------------------------------------------------------

const STAGES = { new: lang.waitsForPlayers, "in progress": lang.beingPlayed, complete: lang.isOver };

function gameRow(session, { name, stage, players }) {
  const isMine = seat.get(`yard:${name}`) !== null;
  const isOpen = stage === "new" && players < 6;
  const main = isOpen ? lang.sitDown : stage === "in progress" && isMine ? lang.backToSeat : null;
  const about = `${lang.countPlayers(players)} · ${STAGES[stage] ?? stage}`;
  return card(name, name, isMine, h("p", { class: "about" }, about), [
    main &&
      h("button", { class: "primary", "aria-label": lang.doAt(main, name), onclick: () => session.open(name) }, main),
    h("button", { "aria-label": lang.watchWhat(name), onclick: () => session.open(name, { watch: true }) }, lang.watch),
  ]);
}

const order = { new: 0, "in progress": 1, complete: 2 };

export function lobby(session, wanted) {
  const games = [...session.games.values()].sort(
    (a, b) => order[a.stage] - order[b.stage] || a.name.localeCompare(b.name),
  );
  return accounts.lobby(
    session,
    games.map((game) => gameRow(session, game)),
    { label: lang.gameName, longest: 40, rules: NAME, wanted, isTaken: (game) => session.games.has(game), open: (game) => session.newGame(game) },
  );
}

// --- a table that fills ------------------------------------------------------------------------------------------------------

function side(session, team, about) {
  const t = session.mirror;
  const here = [...t.players.values()].filter((player) => player.team === team);
  const isMine = t.team === team;
  const isFull = here.length >= (team === MR_X ? 1 : 5);
  return h(
    "section",
    { class: "team", "aria-label": lang.teams[team] },
    h("h3", {}, lang.teams[team], h("small", {}, ` ${about}`)),
    here.length === 0 && h("p", { class: "none" }, lang.nobodyYet),
    h(
      "ul",
      {},
      here.map((player) =>
        h(
          "li",
          { key: player.name },
          h("span", { class: "pins" }, player.pawns.map(pin)),
          h("span", { class: "who" }, player.name, player.name === t.me && h("small", {}, lang.you)),
          h("span", { class: player.ready ? "step s2" : "step" }, player.ready ? lang.ready : lang.unready),
        ),
      ),
    ),
    t.isPlaying &&
      !isMine &&
      h(
        "button",
        { disabled: isFull, onclick: () => session.setTeam(team) },
        isFull ? lang.full : team === MR_X ? lang.beX : lang.beDetective,
      ),
  );
}

// `chat` describes the talk.
export function room(session, chat) {
  const t = session.mirror;
  const me = t.players.get(t.me);
  return [
    h(
      "div",
      { class: "door" },
      h("h2", {}, lang.aboutToBegin(session.game)),
      session.notice && h("p", { class: "notice", role: "status" }, session.notice),
      h("p", { id: "status", class: "status", role: "status" }, waitingFor(t)),
      h(
        "div",
        { class: "teams" },
        side(session, MR_X, lang.xAbout),
        side(session, "Detectives", lang.detectivesAbout),
      ),
      me &&
        h(
          "button",
          {
            class: me.ready ? "big" : "primary big",
            "aria-pressed": String(me.ready),
            onclick: () => session.say("votestart", me.ready ? "False" : "True"),
          },
          me.ready ? lang.readyPressed : lang.iAmReady,
        ),
      session.isWatcher && h("p", { class: "about" }, lang.watching),
      session.isWatcher &&
        t.players.size < 6 &&
        h("button", { class: "primary big", onclick: () => session.sitDown() }, lang.sitDown),
      h(
        "div",
        { class: "row" },
        me &&
          session.hasBots &&
          t.players.size < 6 &&
          h("button", { onclick: () => session.say("requestai") }, lang.addBot),
        h("button", { onclick: () => session.leave() }, me ? lang.leave : lang.backToGames),
      ),
    ),
    accounts.invitation(gameLink(session.game)),
    me && h("div", { class: "door" }, chat),
  ];
}
