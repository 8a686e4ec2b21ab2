// What stands around the map: what can be done now, pawns and tickets, Mr. X's travel log, talk, and the past.

import { h, s, submit } from "../lib/dom.js";
import { step as press } from "../lib/fields.js";
import { talk as tableTalk } from "../lib/talk.js";
import { LAST_TURN, PAWNS, REVEALS, TICKETS } from "./map.js";
import { DETECTIVES, MR_X } from "./mirror.js";
import { pin } from "./board.js";
import { lang } from "./lang.js";
import { letter, moveWords, nextReveal, pawnName, status, ticketName } from "./words.js";

const left = (count) => (count < 0 ? "∞" : count);

// --- the move --------------------------------------------------------------------------------------------------------------

function ticketChoice(t, ui, pawn, tickets) {
  const purse = t.purses[pawn];
  const caught = pawn === "X" && DETECTIVES.find((detective) => t.at[detective] === ui.chosen);
  return h(
    "div",
    { class: "choice", key: "tickets" },
    h("p", {}, h("b", {}, lang.toStation(ui.chosen)), lang.withWhich),
    caught && h("p", { class: "notice" }, lang.wouldBeCaught(caught)),
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
          h("small", {}, count === "∞" ? "" : lang.ticketsLeft(count)),
        );
      }),
      h("button", { onclick: () => ui.choose(null) }, lang.notThere),
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
    h("label", { for: "station" }, lang.station),
    h("input", {
      id: "station",
      name,
      type: "number",
      inputmode: "numeric",
      min: 1,
      max: 199,
      required: true,
    }),
    h("button", {}, lang.choose),
  );
}

function doubleControl(t, ui) {
  const count = t.purses.X[4];
  if (ui.first) {
    return h(
      "p",
      { class: "row", key: "double" },
      h("span", {}, lang.firstTo(ui.first.to, ui.first.ticket)),
      h("button", { onclick: () => ui.undo() }, lang.startOver),
    );
  }
  return h(
    "button",
    { key: "double", disabled: !t.mayDouble, "aria-pressed": String(ui.double), onclick: () => ui.toggleDouble() },
    lang.doubleMove(count),
  );
}

function yourMove(t, ui, hops) {
  const pawn = t.toMove;
  const tickets = hops.get(ui.chosen);
  return [
    pawn === "X" && (t.purses.X[4] > 0 || ui.first) && doubleControl(t, ui),
    tickets
      ? ticketChoice(t, ui, pawn, tickets)
      : h("p", { class: "why", key: "how" }, lang.tapStation),
    !tickets &&
      h(
        "div",
        { class: "stations", key: "stations", role: "group", "aria-label": lang.whereYouCanGo },
        [...hops]
          .sort(([a], [b]) => a - b)
          .map(([station, by]) =>
            h(
              "button",
              {
                key: station,
                "aria-label": lang.stationBy(station, by),
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
  const text = t.isOver ? lang.couldBe : t.team === MR_X ? lang.theyKnow : lang.canBe;
  return h("button", { class: "sight", "aria-pressed": String(ui.showSight), onclick: () => ui.toggleSight() }, text);
}

export function actions(session, ui, hops) {
  const t = session.mirror;
  return [
    h(
      "p",
      { id: "status", class: t.toMove ? "status mine" : "status", key: "status" },
      t.next && pin(t.next),
      h("span", {}, status(t)),
    ),
    t.toMove && hops && yourMove(t, ui, hops),
    t.isOver && replay(session, ui, t),
    !t.isOver && ui.missing([...t.absent], (name) => h("button", { onclick: () => session.rematch() }, lang.anewWithout(name))),
  ];
}

// --- the past --------------------------------------------------------------------------------------------------------------

export const sceneWords = ({ last, step }) => (step === 0 || !last ? lang.theStart : moveWords(last));

function replay(session, ui, t) {
  const end = t.scenes.length - 1;
  const step = ui.step ?? end;
  const to = (n) => ui.go(Math.max(0, Math.min(end, n)));
  const button = (label, sign, n, isOff) => press(label, sign, isOff, () => to(n));
  return h(
    "div",
    { class: "replay", key: "replay" },
    h("h3", {}, lang.howItWent),
    h("p", { class: "then", role: "status" }, sceneWords(t.scenes[step] ?? { step: 0 })),
    h("input", {
      key: end,
      type: "range",
      min: 0,
      max: end,
      value: step,
      "aria-label": lang.movesOfGame,
      "aria-valuetext": sceneWords(t.scenes[step] ?? { step: 0 }),
      oninput: (event) => to(Number(event.target.value)),
    }),
    h(
      "div",
      { class: "row" },
      button(lang.toStart, "|◀", 0, step === 0),
      button(lang.moveBack, "◀", step - 1, step === 0),
      h("span", {}, `${step} / ${end}`),
      button(lang.moveOn, "▶", step + 1, step === end),
      button(lang.toEnd, "▶|", end, step === end),
    ),
    !session.isWatcher && h("button", { class: "primary", onclick: () => session.rematch() }, lang.playTogether),
    h("button", { class: session.isWatcher ? "primary" : "", onclick: () => session.leave() }, lang.allGames),
  );
}

// --- pawns and tickets ---------------------------------------------------------------------------------------------------

const COLUMNS = [
  ...TICKETS.map((ticket) => [letter(ticket), ticketName(ticket), ticket]),
  ["×2", lang.doubleMoves, "double"],
];

export function pawns(session, ui, scene) {
  const t = session.mirror;
  const row = (pawn) => {
    const owner = t.owners[pawn];
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
            h("b", {}, pawnName(pawn), t.next === pawn && [lang.dir === "rtl" ? " ▶" : " ◀", h("span", { class: "hidden-text" }, lang.toMove)]),
            h("small", {}, t.mine(pawn) ? lang.youOwn : owner, t.absent.has(owner) && lang.awayMark),
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
                "aria-label": lang.showPawn(pawn, scene.at[pawn]),
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
    h("h2", {}, lang.pawnsAndTickets),
    h(
      "table",
      { class: "purses" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, lang.pawn),
          h("th", { scope: "col" }, lang.at),
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
    h("summary", {}, lang.legend),
    h(
      "ul",
      {},
      sample("taxi", lang.taxiLine),
      sample("bus", lang.busLine),
      sample("underground", lang.undergroundLine),
      sample("ferry", lang.ferryLine),
    ),
    h(
      "p",
      { class: "why" },
      lang.signs,
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
    const text = lang.travelBox(turn, isReveal, ride?.ticket, ride?.to);
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
    h("h2", {}, lang.travelLog),
    h(
      "ol",
      { class: "rides" },
      Array.from({ length: LAST_TURN }, (_, n) => box(n + 1)),
    ),
    !t.isOver &&
      h("p", { class: "why" }, lang.turnOfAll(t.turn, LAST_TURN), coming && lang.showsOn(coming)),
    scene.sight.size > 0 &&
      h(
        "details",
        {},
        h("summary", {}, lang.canBeAt(scene.sight.size)),
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
      { name: "to", "aria-label": lang.whoHears },
      h("option", { value: "all" }, lang.toAll),
      h("option", { value: "team" }, lang.toTeam),
    );
  return tableTalk(session.chat, t.isPlaying && say, audience, 800);
}
