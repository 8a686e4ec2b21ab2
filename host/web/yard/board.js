// The map: drawn once from the stations' places; what changes lies over it.

import { h, patch, s } from "../lib/dom.js";
import { MapView } from "../lib/map.js";
import { lang } from "./lang.js";
import { CANVAS } from "./map.js";
import { has, links, places, STATIONS } from "./roads.js";
import { letter } from "./words.js";

// On a small screen this much of the map is seen: numbers have their true size.
const CLOSE = 330;

// --- what never changes --------------------------------------------------------------------------------------------------

// Where a bent line runs: the middle is moved aside by `bend` of its length.
function bow(from, to, bend) {
  const [[x1, y1], [x2, y2]] = [places[from], places[to]];
  return [(x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend];
}

function pointAt(from, [mx, my], to, t) {
  const part = (a, m, b) => (1 - t) * (1 - t) * a + 2 * t * (1 - t) * m + t * t * b;
  return [part(places[from][0], mx, places[to][0]), part(places[from][1], my, places[to][1])];
}

// How near a line comes to a station that is none of its ends.
function nearest(from, middle, to) {
  let least = 40;
  for (let t = 0.1; t < 0.95; t += 0.1) {
    const [x, y] = pointAt(from, middle, to, t);
    for (let n = 1; n <= STATIONS; n++) {
      if (n !== from && n !== to) least = Math.min(least, Math.hypot(places[n][0] - x, places[n][1] - y));
    }
  }
  return least;
}

// The least bend that keeps a line off stations where it does not stop; other kinds lie beside the taxi's.
function middleOf(kind, from, to) {
  const bends = kind === "taxi" ? [0, 0.12, -0.12, 0.25, -0.25] : [0.06, -0.06, 0.14, -0.14, 0.24, -0.24, 0.36, -0.36];
  let best = null;
  for (const bend of bends) {
    const middle = bow(from, to, bend);
    const room = nearest(from, middle, to);
    if (room > 17) return middle;
    if (!best || room > best.room) best = { middle, room };
  }
  return best.middle;
}

const draw = (from, [mx, my], to) => `M${places[from]}Q${mx.toFixed(1)},${my.toFixed(1)} ${places[to]}`;

function drawLines() {
  const paths = { underground: "", bus: "", ferry: "", taxi: "" };
  const marks = [];
  for (const [kind, from, to] of links) {
    const middle = middleOf(kind, from, to);
    paths[kind] += draw(from, middle, to);
    const [x, y] = pointAt(from, middle, to, 0.5);
    if (kind === "underground") marks.push(`<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" class="mark">U</text>`);
    if (kind === "ferry") marks.push(`<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" class="mark water">${lang.ferry}</text>`);
  }
  const d = (name, kind) => `<path class="${name}" d="${paths[kind]}"/>`;
  return (
    d("river", "ferry") +
    d("tube", "underground") +
    d("tube-core", "underground") +
    d("bus-line", "bus") +
    d("taxi-line", "taxi") +
    d("ferry-line", "ferry") +
    marks.join("")
  );
}

function drawStations() {
  let all = "";
  for (let n = 1; n <= STATIONS; n++) {
    const [x, y] = places[n];
    const kind = has("underground", n) ? "u" : has("bus", n) ? "b" : "t";
    const round = kind === "u" ? 1 : 8;
    all += `<g class="st ${kind}"><rect x="${x - 12}" y="${y - 8}" width="24" height="16" rx="${round}"/><text x="${x}" y="${y + 4}">${n}</text></g>`;
  }
  return all;
}

const at = (station) => `translate(${places[station].join()})`;

// Which of some places beside a station is in nobody's way.
const SIDES = [
  [0, 18],
  [0, -18],
  [25, 0],
  [-25, 0],
];
const CORNERS = [
  [-14, -12],
  [14, -12],
  [-14, 12],
  [14, 12],
];
function freest(station, sides) {
  const room = ([dx, dy]) => {
    const [x, y] = [places[station][0] + dx, places[station][1] + dy];
    return Math.min(...places.map((place, n) => (n && n !== station ? Math.hypot(place[0] - x, place[1] - y) : 99)));
  };
  return sides.reduce((a, b) => (room(b) > room(a) ? b : a));
}

// --- pins ------------------------------------------------------------------------------------------------------------------

const LETTERS = { X: "X", Red: "R", Yellow: "Y", Green: "G", Blue: "B", Black: "K" };

const badge = (pawn) => [s("circle", { r: 9 }), s("text", { y: 4.5 }, LETTERS[pawn])];

export const pin = (pawn) =>
  h("svg", { class: `pin pawn-${pawn}`, viewBox: "-11 -11 22 22", "aria-hidden": "true" }, badge(pawn));

// A rim around the station, and a badge at its corner: the number stays in sight.
function token(pawn, station, kind = "", about = "") {
  const corner = freest(station, CORNERS);
  // Where a detective has caught Mr. X both are seen.
  const place =
    pawn === "X"
      ? freest(
          station,
          CORNERS.filter((other) => other !== corner),
        )
      : corner;
  return s(
    "g",
    { key: pawn + kind, class: `token-pin pawn-${pawn} ${kind}`, transform: at(station) },
    about && s("title", {}, about),
    s("rect", { class: "rim", x: -15, y: -11, width: 30, height: 22, rx: 9 }),
    s("g", { class: "badge", transform: `translate(${place})` }, badge(pawn)),
  );
}

// --- the map ---------------------------------------------------------------------------------------------------------------

export class Board {
  #hops = null;

  // `choose(station)`: somebody points at one.
  constructor(choose) {
    this.choose = choose;
    this.map = new MapView({
      size: CANVAS,
      close: CLOSE,
      label: lang.mapLabel,
      ground: drawLines() + drawStations(),
      nearest: (x, y, reach) => this.#nearest(x, y, reach),
      choose: (station) => choose(station),
    });
  }

  get element() {
    return this.map.element;
  }

  // The nearest station that a finger can mean; where it may go comes before where it may not.
  #nearest(x, y, reach) {
    let best = null;
    for (let n = 1; n <= STATIONS; n++) {
      const far = Math.hypot(places[n][0] - x, places[n][1] - y) - (this.#hops?.has(n) ? 6 : 0);
      if (far < reach && (!best || far < best.far)) best = { n, far };
    }
    return best?.n ?? null;
  }

  focus(station, always = false) {
    if (station) this.map.focus(places[station], always);
  }

  // scene: where everything stands; hops: where the pawn to move may go; sight: shown or not; ghost: where Mr. X was seen;
  // extra: a control of the table's own; past: the scenes whose ways are shown, each pawn's beside the others'.
  draw({ scene, hops, chosen, first, showSight, ghost, active, find, extra, past }) {
    this.#hops = hops;
    this.map.drawTools(find && { label: lang.findPawn, act: find }, extra);
    const sight = showSight ? [...scene.sight] : [];
    const ring = (name, r) => (n) => s("circle", { key: name + n, class: name, r, transform: at(n) });
    const way = (pawn, n) => {
      const stations = past.map((then) => places[then.at[pawn]]).filter(Boolean);
      const points = stations.map((place) => place.map((value) => value + 2.5 * n - 6)).join(" ");
      return s("polyline", { key: pawn, class: `way pawn-${pawn}`, points });
    };
    patch(this.map.under, [sight.map(ring("may-be", 20)), past && Object.keys(scene.at).map(way)]);
    patch(this.map.over, [
      sight.map(ring("may-be-ring", 17)),
      ghost && token("X", ghost, "ghost", lang.seenAt(ghost)),
      first && token("X", first.to, "ghost"),
      Object.entries(scene.at).map(
        ([pawn, station]) =>
          station && token(pawn, station, active === pawn ? "active" : "", lang.pawnAt(pawn, station)),
      ),
      hops && [...hops].map(([n, tickets]) => this.#hop(n, tickets, chosen)),
    ]);
  }

  #hop(station, tickets, chosen) {
    const letters = tickets.map(letter).join("");
    const wide = 6 + 8 * letters.length;
    const [dx, dy] = freest(station, SIDES);
    const press = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(station);
    };
    return s(
      "g",
      {
        key: `h${station}`,
        class: `hop ${station === chosen ? "chosen" : ""}`,
        transform: at(station),
        tabindex: 0,
        role: "button",
        "aria-label": lang.stationNumber(station),
        "aria-pressed": String(station === chosen),
        onkeydown: press,
      },
      s("rect", { class: "hop-ring", x: -16, y: -12, width: 32, height: 24, rx: 11 }),
      s("rect", { class: "hop-tag", x: dx - wide / 2, y: dy - 7, width: wide, height: 13, rx: 4 }),
      s("text", { x: dx, y: dy + 3 }, letters),
    );
  }
}
