// The star map: drawn once from the spaces' places; what changes lies over it. Colours are shapes as well: blue dots are
// round, yellow ones stand on a corner, red ones are square.

import { s, patch } from "../lib/dom.js";
import { MapView } from "../lib/map.js";
import { lang } from "./lang.js";
import { links, spaces, systems } from "./map.js";
import { cultureName, spaceWords, systemName } from "./words.js";

const SIZE = [1003, 930];

const at = ({ x, y }) => `translate(${x},${y})`;
const round = (n) => n.toFixed(1);

// --- what never changes --------------------------------------------------------------------------------------------------

// The middle of a system and how far it reaches.
function reach({ spaces: own }) {
  const middle = (key) => own.reduce((sum, space) => sum + space[key], 0) / own.length;
  const [x, y] = [middle("x"), middle("y")];
  return { x, y, r: Math.max(26, ...own.map((space) => Math.hypot(space.x - x, space.y - y))) };
}

const centres = new Map([...systems.values()].map((system) => [system, reach(system)]));
// The Space Station Planet is the cloud in the middle: what is in it lies far apart and needs no circle around it.
const isWide = (system) => centres.get(system).r > 130;

function drawSystem(system, n) {
  const { x, y, r } = centres.get(system);
  if (isWide(system)) return "";
  const cities = system.spaces.filter((space) => space.kind === "city");
  const planet = cities.length
    ? `<circle class="planet p${n % 5}" cx="${round(cities.reduce((sum, c) => sum + c.x, 0) / cities.length)}" cy="${round(cities.reduce((sum, c) => sum + c.y, 0) / cities.length)}" r="30"/>`
    : system.kind === "star"
      ? `<circle class="sun" cx="${round(x)}" cy="${round(y)}" r="${round(r * 0.55)}"/>`
      : "";
  return `<circle class="reach" cx="${round(x)}" cy="${round(y)}" r="${round(r + 14)}"/>${planet}`;
}

function drawLink({ from, to, isFly }) {
  return `<path class="${isFly ? "fly" : "way"}" d="M${from.x} ${from.y}L${to.x} ${to.y}"/>`;
}

// The numbers that lead out of a circle stand where the way begins.
function drawNumbers(from, to, numbers) {
  if (!numbers) return "";
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  const part = Math.min(0.45, 21 / far);
  const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
  return `<text class="numbers" x="${round(x)}" y="${round(y + 3)}">${numbers}</text>`;
}

const DOTS = {
  blue: '<circle class="blue" r="6"/>',
  yellow: '<path class="yellow" d="M0-7.5L7.5 0 0 7.5-7.5 0z"/>',
  red: '<rect class="red" x="-5.5" y="-5.5" width="11" height="11"/>',
};
const ROCK = "M-9 3L-6-7 2-9 9-4 8 5 1 9z";
const SHIELD = "M-10-7L0-11 10-7V3L0 11-10 3z";

function shape(kind, colour, sum) {
  switch (kind) {
    case "penalty":
      return `<path class="penalty ${colour}" d="${SHIELD}"/><text class="sum ${colour}" y="3.5">${sum}</text>`;
    case "asteroid":
      return `<path class="rock" d="${ROCK}"/>`;
    case "city":
      return '<path class="city" d="M-8 6V-2L0-8 8-2V6z"/>';
    case "spacecity":
      return '<circle class="city" r="8"/><circle class="hub" r="3.5"/>';
    case "box":
      return '<rect class="box" x="-9" y="-9" width="18" height="18" rx="4"/><text class="ask" y="5">?</text>';
  }
  return DOTS[colour];
}

function drawSpace(space) {
  const halo = space.isCircle ? '<circle class="circle" r="12"/>' : space.port ? '<circle class="orbit" r="9.5"/>' : "";
  return `<g transform="${at(space)}">${halo}${shape(space.kind, space.colour, space.sum)}</g>`;
}

const SIDES = { right: ["", 13, 4], left: ["left", -13, 4], above: ["centred", 0, -12], below: ["centred", 0, 17] };

function portSide(space) {
  const middle = centres.get(space.system);
  return middle && space.x < middle.x && space.x > 110 ? "left" : "right";
}

// A city's name stands where no other city and no port of its system is in the way.
function citySide(space) {
  const others = space.system.spaces.filter(({ y, port, kind }) => (port || kind === "city") && Math.abs(y - space.y) < 12);
  const isFree = (side, far, list) => !list.some(({ x }) => side * (x - space.x) > 0 && side * (x - space.x) < far);
  if (isFree(1, 62, others)) return "right";
  if (isFree(-1, 62, others)) return "left";
  return isFree(-1, 30, others.filter((other) => !other.port)) ? "above" : "below";
}

// A name beside its space: away from the middle of the system, where there is room.
function drawName(space) {
  const text = space.port ?? (space.kind === "city" || /^[A-Z][a-z]/.test(space.name) ? space.name : "");
  if (!text || (space.kind !== "city" && space.kind !== "spacecity" && !space.port)) return "";
  const [how, dx, dy] = SIDES[space.kind === "city" ? citySide(space) : portSide(space)];
  return `<text class="place ${space.port ? "port" : ""} ${how}" x="${space.x + dx}" y="${space.y + dy}">${lang.told(text).replace("&", "&amp;")}</text>`;
}

const drawGround = () =>
  [
    [...systems.values()].map(drawSystem),
    links.map(drawLink),
    spaces.map(drawSpace),
    links.map(({ from, to, there, back }) => drawNumbers(from, to, there) + drawNumbers(to, from, back)),
    spaces.map(drawName),
  ]
    .flat()
    .join("");

// Where the names of the two wide systems stand: in the middle of the cloud, and over the asteroids.
const LABELS = { "Space Station Planet": { x: 565, y: 352 }, "Asteroid System": { x: 425, y: 752 } };

// Where a system's name stands: over it, or below where there is no room.
function labelPlace(system) {
  const { x, y, r } = centres.get(system);
  if (LABELS[system.name]) return LABELS[system.name];
  const top = y - r - 20;
  return { x: Math.max(90, Math.min(SIZE[0] - 90, x)), y: top < 18 ? y + r + 32 : top };
}

// --- ships -----------------------------------------------------------------------------------------------------------------

const HULL = "M0-10C4-6 5-1 5 3L8 8H-8L-5 3C-5-1-4-6 0-10z";

const shipShape = (id, letter) => [
  s("path", { class: "hull", d: HULL }),
  s("text", { y: 4.5 }, letter ?? String(id + 1)),
];

export const shipIcon = (id) =>
  s("svg", { class: `ship-icon seat-${id}`, viewBox: "-10 -11 20 21", "aria-hidden": "true" }, shipShape(id));

// Ships at one space stand side by side.
function shipsAt(scene, t) {
  const together = new Map();
  for (const [id, place] of Object.entries(scene.at)) {
    if (place !== null) together.set(place, [...(together.get(place) ?? []), Number(id)]);
  }
  return [...together].flatMap(([place, ids]) =>
    ids.map((id, n) => {
      const side = (n - (ids.length - 1) / 2) * 15;
      return s(
        "g",
        {
          key: `ship${id}`,
          class: `ship seat-${id} ${scene.current === id ? "active" : ""}`,
          transform: at(spaces[place]),
        },
        s("title", {}, lang.shipAt(t.players.get(id)?.name ?? "", spaceWords(t, spaces[place]))),
        // From afar they are drawn larger, around their space.
        s("g", {}, s("g", { transform: `translate(${side},-12)` }, shipShape(id))),
      );
    }),
  );
}

// --- the map ---------------------------------------------------------------------------------------------------------------

export class StarMap {
  #steps = [];

  // `choose(space)`: somebody points at one.
  constructor(choose) {
    this.map = new MapView({
      size: SIZE,
      edge: 24,
      close: 330,
      label: lang.mapLabel,
      ground: drawGround(),
      nearest: (x, y, far) => this.#nearest(x, y, far),
      choose,
    });
    this.map.element.classList.add("stars");
  }

  get element() {
    return this.map.element;
  }

  // The nearest space that a finger can mean; where one may go comes before where one may not.
  #nearest(x, y, far) {
    let best = null;
    for (const space of spaces) {
      const isOffered = this.#steps.some((step) => step.space === space);
      const away = Math.hypot(space.x - x, space.y - y) - (isOffered ? 7 : 0);
      if (away < far && (!best || away < best.away)) best = { space, away };
    }
    return best?.space ?? null;
  }

  focus(space, always) {
    if (space) this.map.focus([space.x, space.y], always);
  }

  // t: what is known; scene: where everything stands, now or then; steps: where the ship may go; marks: spaces to point at.
  draw({ t, scene, steps, marked, find, choose }) {
    this.#steps = steps ?? [];
    this.map.drawTools(find && { label: lang.findShip, act: () => this.focus(find, true) });
    patch(this.map.under, [marked.map((space) => s("circle", { key: `m${space.id}`, class: "marked", r: 20, transform: at(space) }))]);
    patch(this.map.over, [
      [...systems.values()].map((system) => this.#label(scene, system)),
      [...scene.boxes].map(([name, box]) => this.#box(t, name, box)),
      (steps ?? []).map((step) => this.#step(t, step, choose)),
      shipsAt(scene, t),
    ]);
  }

  #label(scene, system) {
    if (system.kind === "star" || system.kind === "home")
      return s("text", { key: system.name, class: "system", transform: at(labelPlace(system)) }, systemName(system));
    const { race, isPublic } = scene.homes.get(system.name) ?? {};
    return s(
      "g",
      { key: system.name, class: `system ${race ? (isPublic ? "public" : "secret") : "unknown"}`, transform: at(labelPlace(system)) },
      s("text", {}, systemName(system)),
      s("text", { class: "lives", y: 13 }, race ? `${race} ${cultureName(race)}${isPublic ? "" : lang.youKnow}` : lang.nobodyMet),
    );
  }

  #box(t, name, { contents, secrecy }) {
    const space = spaces.find((space) => space.name === name);
    if (!space || !contents) return null;
    const isOwn = secrecy !== "public";
    return s(
      "g",
      { key: `b${name}`, class: `opened ${isOwn ? "secret" : ""}`, transform: at(space) },
      s("circle", { class: "lid", r: 11 }),
      this.#inside(contents),
    );
  }

  #inside({ kind, colour, sum, gate, relic, owner }) {
    switch (kind) {
      case "telegate":
        return [s("circle", { class: "gate", r: 9 }), s("text", { class: "gate-number", y: 4.5 }, gate)];
      case "station":
        return [
          s("rect", { class: `station ${owner === null ? "" : `seat-${owner}`}`, x: -8, y: -8, width: 16, height: 16, rx: 3 }),
          s("text", { class: "station-sign", y: 4.5 }, owner === null ? "S" : owner + 1),
        ];
      case "penalty":
        return [s("path", { class: `penalty ${colour}`, d: SHIELD }), s("text", { class: `sum ${colour}`, y: 3.5 }, sum)];
    }
    return [s("path", { class: "rock", d: ROCK }), relic && s("text", { class: "relic", y: 4.5 }, "★")];
  }

  #step(t, step, choose) {
    const press = (event) => {
      if ((event.key !== "Enter" && event.key !== " ") || event.repeat) return;
      event.preventDefault();
      event.stopPropagation();
      choose(step.space);
    };
    const { space, isJump, cost, numbers } = step;
    const tag = `${isJump ? "⇝" : ""}${cost}`;
    return s(
      "g",
      {
        key: `s${space.id}${isJump}`,
        class: `hop ${isJump ? "jump" : ""}`,
        transform: at(space),
        tabindex: 0,
        role: "button",
        "aria-label": lang.stepLabel(spaceWords(t, space), isJump, cost, numbers),
        onkeydown: press,
      },
      s("circle", { class: "hop-ring", r: 15 }),
      s("rect", { class: "hop-tag", x: -7 - 3 * tag.length, y: 13, width: 14 + 6 * tag.length, height: 13, rx: 4 }),
      s("text", { y: 23 }, tag),
    );
  }
}
