// Before a game: the way in (a name, once), the games there are, and a table that fills: sides, readiness, bots.

import * as accounts from "../lib/account.js";
import { h } from "../lib/dom.js";
import { card } from "../lib/fields.js";
import { seat } from "../lib/store.js";
import { pin } from "./board.js";
import { MR_X } from "./mirror.js";
import { waitingFor } from "./words.js";

export const gameLink = (game) => new URL(`/yard?game=${encodeURIComponent(game)}`, location.href).href;

// Names stand in quotes in a line of the protocol.
const NAME = { pattern: '[^"]*[^"\\s][^"]*', title: "A name without quotation marks" };

export const door = (session) => accounts.door(session, 25, NAME);

// --- the games -------------------------------------------------------------------------------------------------------------

const STAGES = { new: "waiting for players", "in progress": "being played", complete: "over" };

function gameRow(session, { name, stage, players }) {
  const isMine = seat.get(`yard:${name}`) !== null;
  const isOpen = stage === "new" && players < 6;
  const main = isOpen ? "Sit down" : stage === "in progress" && isMine ? "Back to your seat" : null;
  const about = `${players} ${players === 1 ? "player" : "players"} · ${STAGES[stage] ?? stage}`;
  return card(name, name, isMine, h("p", { class: "about" }, about), [
    main &&
      h("button", { class: "primary", "aria-label": `${main}: ${name}`, onclick: () => session.open(name) }, main),
    h("button", { "aria-label": `Watch ${name}`, onclick: () => session.open(name, { watch: true }) }, "Watch"),
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
    { label: "Name of the game", longest: 40, rules: NAME, wanted, open: (game) => session.newGame(game) },
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
    { class: "team", "aria-label": team },
    h("h3", {}, team, h("small", {}, ` ${about}`)),
    here.length === 0 && h("p", { class: "none" }, "Nobody yet"),
    h(
      "ul",
      {},
      here.map((player) =>
        h(
          "li",
          { key: player.name },
          h("span", { class: "pins" }, player.pawns.map(pin)),
          h("span", { class: "who" }, player.name, player.name === t.me && h("small", {}, " (you)")),
          h("span", { class: player.ready ? "step s2" : "step" }, player.ready ? "ready ✓" : "not ready"),
        ),
      ),
    ),
    t.isPlaying &&
      !isMine &&
      h(
        "button",
        { disabled: isFull, onclick: () => session.setTeam(team) },
        isFull ? "Full" : team === MR_X ? "Be Mr. X" : "Be a detective",
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
      h("h2", {}, `“${session.game}” is about to begin`),
      session.notice && h("p", { class: "notice", role: "status" }, session.notice),
      h("p", { id: "status", class: "status", role: "status" }, waitingFor(t)),
      h(
        "div",
        { class: "teams" },
        side(session, MR_X, "flees through London"),
        side(session, "Detectives", "share five pawns"),
      ),
      me &&
        h(
          "button",
          {
            class: me.ready ? "big" : "primary big",
            "aria-pressed": String(me.ready),
            onclick: () => session.say("votestart", me.ready ? "False" : "True"),
          },
          me.ready ? "Ready ✓ (press to wait)" : "I am ready",
        ),
      session.isWatcher && h("p", { class: "about" }, "You are watching."),
      session.isWatcher &&
        t.players.size < 6 &&
        h("button", { class: "primary big", onclick: () => session.sitDown() }, "Sit down"),
      h(
        "div",
        { class: "row" },
        me &&
          session.hasBots &&
          t.players.size < 6 &&
          h("button", { onclick: () => session.say("requestai") }, "Add a bot"),
        h("button", { onclick: () => session.leave() }, me ? "Leave" : "Back to all games"),
      ),
    ),
    accounts.invitation(gameLink(session.game)),
    me && h("div", { class: "door" }, chat),
  ];
}
