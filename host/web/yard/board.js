// The map: drawn once from the stations' places; what changes lies over it. Moved and magnified by fingers, wheel, keys and
// buttons. A tap names the nearest station.

import { h, patch, s } from "../lib/dom.js";
import { CANVAS } from "./map.js";
import { has, links, places, STATIONS } from "./roads.js";
import { letter, pawnName } from "./words.js";

const [WIDTH, HEIGHT] = CANVAS;
const EDGE = 14;
// On a small screen this much of the map is seen: numbers have their true size.
const CLOSE = 330;
const SVG = "http://www.w3.org/2000/svg";

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
    if (kind === "ferry") marks.push(`<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" class="mark water">FERRY</text>`);
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

// So long after it was last seen to move there, a hand has left the map.
const HAND = 1000;

export class Board {
  // `choose(station)`: somebody points at one.
  constructor(choose) {
    this.choose = choose;
    this.view = { x: WIDTH / 2, y: HEIGHT / 2, w: 0 };
    this.pointers = new Map();
    this.touched = 0;
    this.element = document.createElement("div");
    this.element.className = "map";
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "Map of the stations");
    svg.innerHTML = `<rect class="ground-map" x="-999" y="-999" width="2999" height="2999"/><g class="under"></g><g class="net" aria-hidden="true">${drawLines()}${drawStations()}</g><g class="over"></g>`;
    this.svg = svg;
    this.under = svg.querySelector(".under");
    this.over = svg.querySelector(".over");
    this.tools = document.createElement("div");
    this.tools.className = "map-tools";
    this.element.append(svg, this.tools);
    this.#listen();
    new ResizeObserver(() => this.#show()).observe(this.element);
  }

  #listen() {
    const { svg } = this;
    svg.onpointerdown = (event) => {
      svg.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.moved = this.pointers.size > 1 ? Infinity : 0;
    };
    svg.onpointermove = (event) => {
      this.touched = performance.now();
      this.#drag(event);
    };
    svg.onpointerup = (event) => this.#up(event);
    svg.onpointercancel = (event) => this.pointers.delete(event.pointerId);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX, event.clientY);
    });
    this.element.onkeydown = (event) => this.#keys(event);
  }

  #keys(event) {
    const step = this.view.w / 8;
    const go = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (go) this.#shift(...go);
    else if (event.key === "+") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else return;
    event.preventDefault();
  }

  get #scale() {
    return (this.svg.clientWidth || 1) / this.view.w;
  }

  #drag(event) {
    const was = this.pointers.get(event.pointerId);
    if (!was) return;
    const now = { x: event.clientX, y: event.clientY };
    const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    this.pointers.set(event.pointerId, now);
    this.moved += Math.hypot(now.x - was.x, now.y - was.y);
    if (other) {
      const spread = (place) => Math.max(20, Math.hypot(place.x - other.x, place.y - other.y));
      this.zoom(spread(now) / spread(was), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (this.moved > 8) this.#shift((was.x - now.x) / this.#scale, (was.y - now.y) / this.#scale);
  }

  #up(event) {
    const was = this.pointers.delete(event.pointerId);
    if (!was || this.moved > 8 || this.pointers.size) return;
    const station = this.#stationAt(event.clientX, event.clientY);
    if (station) this.choose(station);
  }

  // The nearest station that a finger can mean; where it may go comes before where it may not.
  #stationAt(clientX, clientY) {
    const box = this.svg.getBoundingClientRect();
    const { x, y, w } = this.view;
    const px = x + (clientX - box.left - box.width / 2) / this.#scale;
    const py = y + (clientY - box.top - box.height / 2) / this.#scale;
    const reach = Math.max(15, Math.min(26 / this.#scale, w / 20));
    let best = null;
    for (let n = 1; n <= STATIONS; n++) {
      const far = Math.hypot(places[n][0] - px, places[n][1] - py) - (this.hops?.has(n) ? 6 : 0);
      if (far < reach && (!best || far < best.far)) best = { n, far };
    }
    return best?.n ?? null;
  }

  #shift(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.#show();
  }

  zoom(factor, clientX, clientY) {
    const box = this.svg.getBoundingClientRect();
    const fx = clientX === undefined ? 0 : (clientX - box.left - box.width / 2) / this.#scale;
    const fy = clientY === undefined ? 0 : (clientY - box.top - box.height / 2) / this.#scale;
    const w = Math.max(160, Math.min(this.#whole, this.view.w / factor));
    const kept = 1 - w / this.view.w;
    this.view = { x: this.view.x + fx * kept, y: this.view.y + fy * kept, w };
    this.#show();
  }

  get #aspect() {
    return (this.svg.clientWidth || 4) / (this.svg.clientHeight || 3);
  }
  get #whole() {
    return Math.max(WIDTH + 2 * EDGE, (HEIGHT + 2 * EDGE) * this.#aspect);
  }

  whole() {
    this.view = { x: WIDTH / 2, y: HEIGHT / 2, w: this.#whole };
    this.#show();
  }

  // Brings a station into view; on a small screen near enough to read. What a hand is at does not move, unless it asked.
  focus(station, always = false) {
    if (!station || !this.svg.clientWidth) return;
    clearTimeout(this.later);
    if (!always && (this.pointers.size > 0 || performance.now() - this.touched < HAND)) {
      this.later = setTimeout(() => this.focus(station), HAND);
      return;
    }
    const isSmall = this.svg.clientWidth < 700;
    const [x, y] = places[station];
    if (isSmall && this.view.w > CLOSE * 1.6) this.view.w = CLOSE;
    if (isSmall || always || this.view.w < this.#whole * 0.9) Object.assign(this.view, { x, y });
    this.#show();
  }

  #show() {
    const { view } = this;
    if (!this.svg.clientWidth) return;
    view.w = view.w ? Math.min(view.w, this.#whole) : this.#whole;
    const height = view.w / this.#aspect;
    const keep = (value, half, size) =>
      half * 2 >= size + 2 * EDGE ? size / 2 : Math.max(half - EDGE, Math.min(size + EDGE - half, value));
    view.x = keep(view.x, view.w / 2, WIDTH);
    view.y = keep(view.y, height / 2, HEIGHT);
    const box = [view.x - view.w / 2, view.y - height / 2, view.w, height].map((n) => n.toFixed(1));
    this.svg.setAttribute("viewBox", box.join(" "));
    this.element.classList.toggle("far", this.#scale < 0.62);
  }

  // scene: where everything stands; hops: where the pawn to move may go; sight: shown or not; ghost: where Mr. X was seen;
  // extra: a control of the table's own.
  draw({ scene, hops, chosen, first, showSight, ghost, active, find, extra }) {
    this.hops = hops;
    const tool = (label, sign, onclick) =>
      h("button", { "data-again": true, "aria-label": label, title: label, onclick }, sign);
    patch(this.tools, [
      tool("Magnify", "+", () => this.zoom(1.5)),
      tool("Make smaller", "−", () => this.zoom(1 / 1.5)),
      tool("The whole map", "⤢", () => this.whole()),
      find && tool("Find the pawn", "◎", find),
      extra,
    ]);
    const sight = showSight ? [...scene.sight] : [];
    const ring = (name, r) => (n) => s("circle", { key: name + n, class: name, r, transform: at(n) });
    patch(this.under, sight.map(ring("may-be", 20)));
    patch(this.over, [
      sight.map(ring("may-be-ring", 17)),
      ghost && token("X", ghost, "ghost", `Mr. X was seen at ${ghost}`),
      first && token("X", first.to, "ghost"),
      Object.entries(scene.at).map(
        ([pawn, station]) =>
          station && token(pawn, station, active === pawn ? "active" : "", `${pawnName(pawn)} at ${station}`),
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
        "aria-label": `Station ${station}`,
        "aria-pressed": String(station === chosen),
        onkeydown: press,
      },
      s("rect", { class: "hop-ring", x: -16, y: -12, width: 32, height: 24, rx: 11 }),
      s("rect", { class: "hop-tag", x: dx - wide / 2, y: dy - 7, width: wide, height: 13, rx: 4 }),
      s("text", { x: dx, y: dy + 3 }, letters),
    );
  }
}
