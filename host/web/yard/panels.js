// What stands around the map: what can be done now, pawns and tickets, Mr. X's travel log, talk, and the past.

import { h, s, submit } from "../lib/dom.js";
import { talk as tableTalk } from "../lib/talk.js";
import { LAST_TURN, PAWNS, REVEALS, TICKETS } from "./map.js";
import { DETECTIVES, MR_X } from "./mirror.js";
import { pin } from "./board.js";
import { letter, moveWords, nextReveal, pawnName, status, ticketName } from "./words.js";

const left = (count) => (count < 0 ? "∞" : count);

// --- the move --------------------------------------------------------------------------------------------------------------

function ticketChoice(t, ui, pawn, tickets) {
  const purse = t.purses[pawn];
  const caught = pawn === "X" && DETECTIVES.find((detective) => t.at[detective] === ui.chosen);
  return h(
    "div",
    { class: "choice", key: "tickets" },
    h("p", {}, h("b", {}, `To ${ui.chosen}`), " with which ticket?"),
    caught && h("p", { class: "notice" }, `${caught} stands there: you would be caught.`),
    h(
      "div",
      { class: "row" },
      tickets.map((ticket) => {
        const count = left(purse[TICKETS.indexOf(ticket)]);
        return h(
          "button",
          { key: ticket, class: `primary ticket k-${ticket}`, onclick: () => ui.ride(ticket) },
          h("b", { class: "tk", "aria-hidden": "true" }, letter(ticket)),
          ticketName(ticket),
          h("small", {}, count === "∞" ? "" : `${count} left`),
        );
      }),
      h("button", { onclick: () => ui.choose(null) }, "Not there"),
    ),
  );
}

function stationField(t, ui) {
  const name = `station-${t.moves.length}`;
  const choose = ({ [name]: field }) => {
    ui.choose(Number(field.value));
    field.value = "";
  };
  return h(
    "form",
    { class: "row station-form", onsubmit: submit(choose), key: name },
    h("label", { for: "station" }, "Station"),
    h("input", {
      id: "station",
      name,
      type: "number",
      inputmode: "numeric",
      min: 1,
      max: 199,
      required: true,
    }),
    h("button", {}, "Choose"),
  );
}

function doubleControl(t, ui) {
  const count = t.purses.X[4];
  if (ui.first) {
    return h(
      "p",
      { class: "row", key: "double" },
      h("span", {}, `First to ${ui.first.to} (${ticketName(ui.first.ticket)}). Now the second half.`),
      h("button", { onclick: () => ui.undo() }, "Start over"),
    );
  }
  return h(
    "button",
    { key: "double", disabled: !t.mayDouble, "aria-pressed": String(ui.double), onclick: () => ui.toggleDouble() },
    `Double move: two moves in a row (${count} left)`,
  );
}

function yourMove(t, ui, hops) {
  const pawn = t.toMove;
  const tickets = hops.get(ui.chosen);
  return [
    pawn === "X" && (t.purses.X[4] > 0 || ui.first) && doubleControl(t, ui),
    tickets
      ? ticketChoice(t, ui, pawn, tickets)
      : h("p", { class: "why", key: "how" }, "Tap a marked station, choose it here, or type its number."),
    !tickets &&
      h(
        "div",
        { class: "stations", key: "stations", role: "group", "aria-label": "Where you can go" },
        [...hops]
          .sort(([a], [b]) => a - b)
          .map(([station, by]) =>
            h(
              "button",
              {
                key: station,
                "aria-label": `${station} by ${by.map(ticketName).join(" or ")}`,
                onclick: () => ui.choose(station),
              },
              h("b", {}, station),
              h("small", { "aria-hidden": "true" }, by.map(letter).join(" ")),
            ),
          ),
      ),
    stationField(t, ui),
  ];
}

const inOrder = (sight) => [...sight].sort((a, b) => a - b);

// The button that shows on the map where Mr. X can be; the stations stand beside his travel log.
export function sightControl(session, ui) {
  const t = session.mirror;
  const text = t.isOver ? "Where could he be?" : t.team === MR_X ? "What do they know?" : "Where can he be?";
  return h("button", { class: "sight", "aria-pressed": String(ui.showSight), onclick: () => ui.toggleSight() }, text);
}

export function actions(session, ui, hops) {
  const t = session.mirror;
  const owner = t.next && t.players.get(t.owners[t.next]);
  return [
    h(
      "p",
      { id: "status", class: t.toMove ? "status mine" : "status", key: "status" },
      t.next && pin(t.next),
      h("span", {}, status(t)),
    ),
    !t.isOver &&
      !t.toMove &&
      owner &&
      !owner.here &&
      h("p", { class: "why", key: "away" }, `${owner.name} is away; the game waits.`),
    t.toMove && hops && yourMove(t, ui, hops),
    t.isOver && replay(session, ui, t),
  ];
}

// --- the past --------------------------------------------------------------------------------------------------------------

export const sceneWords = ({ last, step }) => (step === 0 || !last ? "The start." : moveWords(last));

function replay(session, ui, t) {
  const end = t.scenes.length - 1;
  const step = ui.step ?? end;
  const to = (n) => ui.go(Math.max(0, Math.min(end, n)));
  const button = (label, text, n, isOff) =>
    h("button", { "data-again": true, "aria-label": label, title: label, disabled: isOff, onclick: () => to(n) }, text);
  return h(
    "div",
    { class: "replay", key: "replay" },
    h("h3", {}, "How it went"),
    h("p", { class: "then", role: "status" }, sceneWords(t.scenes[step] ?? { step: 0 })),
    h("input", {
      key: end,
      type: "range",
      min: 0,
      max: end,
      value: step,
      "aria-label": "Moves of the game",
      "aria-valuetext": sceneWords(t.scenes[step] ?? { step: 0 }),
      oninput: (event) => to(Number(event.target.value)),
    }),
    h(
      "div",
      { class: "row" },
      button("To the start", "|◀", 0, step === 0),
      button("One move back", "◀", step - 1, step === 0),
      h("span", {}, `${step} / ${end}`),
      button("One move on", "▶", step + 1, step === end),
      button("To the end", "▶|", end, step === end),
    ),
    !session.isWatcher && h("button", { class: "primary", onclick: () => session.rematch() }, "Play again together"),
    h("button", { class: session.isWatcher ? "primary" : "", onclick: () => session.leave() }, "All games"),
  );
}

// --- pawns and tickets ---------------------------------------------------------------------------------------------------

const COLUMNS = [
  ...TICKETS.map((ticket) => [letter(ticket), ticketName(ticket), ticket]),
  ["×2", "Double moves", "double"],
];

export function pawns(session, ui, scene) {
  const t = session.mirror;
  const row = (pawn) => {
    const owner = t.players.get(t.owners[pawn]);
    return h(
      "tr",
      { key: pawn, class: t.next === pawn ? "turn" : "" },
      h(
        "th",
        { scope: "row" },
        h(
          "div",
          {},
          pin(pawn),
          h(
            "span",
            {},
            h("b", {}, pawnName(pawn), t.next === pawn && [" ◀", h("span", { class: "hidden-text" }, " to move")]),
            h("small", {}, t.mine(pawn) ? "you" : t.owners[pawn], owner && !owner.here && " (away)"),
          ),
        ),
      ),
      h(
        "td",
        {},
        scene.at[pawn]
          ? h(
              "button",
              {
                class: "link",
                "aria-label": `Show ${pawnName(pawn)} at ${scene.at[pawn]}`,
                onclick: () => ui.show(scene.at[pawn]),
              },
              scene.at[pawn],
            )
          : "?",
      ),
      t.purses[pawn].map((count, n) =>
        h("td", { key: n }, pawn !== "X" && n > 2 ? h("span", { class: "soft" }, "–") : left(count)),
      ),
    );
  };
  return [
    h("h2", {}, "Pawns and tickets"),
    h(
      "table",
      { class: "purses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Pawn"),
          h("th", { scope: "col" }, "At"),
          COLUMNS.map(([short, long, ticket]) =>
            h(
              "th",
              { key: ticket, scope: "col" },
              h("abbr", { class: `tk k-${ticket}`, title: long, "aria-label": long }, short),
            ),
          ),
        ),
      ),
      h("tbody", {}, PAWNS.map(row)),
    ),
    legend(),
  ];
}

const sample = (kind, text) =>
  h("li", { key: kind }, h("svg", { viewBox: "0 0 60 16", "aria-hidden": "true" }, LEGEND[kind]()), text);

const stroke = (name) => s("path", { class: name, d: "M2 8H58" });
const LEGEND = {
  taxi: () => stroke("taxi-line"),
  bus: () => stroke("bus-line"),
  underground: () => [stroke("tube"), stroke("tube-core")],
  ferry: () => stroke("ferry-line"),
};

const legend = () =>
  h(
    "details",
    { class: "legend" },
    h("summary", {}, "What the lines and signs mean ▾"),
    h(
      "ul",
      {},
      sample("taxi", "Taxi: thin line. Every station."),
      sample("bus", "Bus: broken line. Stations with a thick rim."),
      sample("underground", "Underground: double line, U. Stations with corners."),
      sample("ferry", "Ferry: dotted line on the river. Black tickets only."),
    ),
    h(
      "p",
      { class: "why" },
      "T taxi, B bus, U underground, ★ black ticket (any line, and hides which), ×2 double move. The pawns are R, Y, G, B, K (Black) and X.",
    ),
  );

// --- Mr. X's travel log ------------------------------------------------------------------------------------------------------

export function travelLog(session, ui, scene) {
  const t = session.mirror;
  const all = ui.step === null ? t.rides : t.moves.slice(0, ui.step).filter((move) => move.pawn === "X");
  const coming = nextReveal(t.xMoved ? t.turn + 1 : t.turn);
  const box = (turn) => {
    const ride = all[turn - 1];
    const isReveal = REVEALS.includes(turn);
    const text = `Turn ${turn}${isReveal ? ", shows himself" : ""}: ${ride ? ticketName(ride.ticket) : "not yet"}${ride?.to ? ` to ${ride.to}` : ""}`;
    return h(
      "li",
      {
        key: turn,
        class: `${isReveal ? "reveal" : ""} ${ride ? `k-${ride.ticket}` : "open"} ${!t.isOver && turn === t.turn ? "now" : ""}`,
        title: text,
      },
      h("span", { class: "hidden-text" }, text),
      h("small", { "aria-hidden": "true" }, turn, isReveal && " ◉"),
      h("b", { "aria-hidden": "true" }, ride ? letter(ride.ticket) : " "),
      h("i", { "aria-hidden": "true" }, ride?.to ?? " "),
    );
  };
  return [
    h("h2", {}, "Mr. X's travel log"),
    h(
      "ol",
      { class: "rides" },
      Array.from({ length: LAST_TURN }, (_, n) => box(n + 1)),
    ),
    !t.isOver &&
      h("p", { class: "why" }, `Turn ${t.turn} of ${LAST_TURN}.`, coming && ` ◉ He shows himself on turn ${coming}.`),
    scene.sight.size > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `Where he can be: ${scene.sight.size} station${scene.sight.size > 1 ? "s" : ""} ▾`),
        h("p", { class: "why" }, inOrder(scene.sight).join(", ")),
      ),
  ];
}

// --- talk --------------------------------------------------------------------------------------------------------------------

export function talk(session) {
  const t = session.mirror;
  const say = (text, { to }) => session.say(to?.value === "team" ? "chatteam" : "chatall", text);
  const audience =
    t.started &&
    h(
      "select",
      { name: "to", "aria-label": "Who hears it" },
      h("option", { value: "all" }, "to all"),
      h("option", { value: "team" }, "to my team"),
    );
  return tableTalk(session.chat, t.isPlaying && say, audience);
}
