// The star map: drawn once from the spaces' places; what changes lies over it. Colours are shapes as well: blue dots are
// round, yellow ones stand on a corner, red ones are square.

import { s, patch } from "../lib/dom.js";
import { MapView } from "../lib/map.js";
import { lang } from "./lang.js";
import { place } from "./labels.js";
import { links, spaces, systems, WIDER } from "./map.js";
import { cultureName, spaceWords, systemName } from "./words.js";

const SIZE = [1003 * WIDER, 930];

const at = ({ x, y }) => `translate(${x},${y})`;
const round = (n) => n.toFixed(1);

// --- what never changes --------------------------------------------------------------------------------------------------

// The middle of a system and how far it reaches, up and down; to the sides it is wider.
function reach({ spaces: own }) {
  const middle = (key) => own.reduce((sum, space) => sum + space[key], 0) / own.length;
  const [x, y] = [middle("x"), middle("y")];
  return { x, y, r: Math.max(26, ...own.map((space) => Math.hypot((space.x - x) / WIDER, space.y - y))) };
}

const centres = new Map([...systems.values()].map((system) => [system, reach(system)]));
// The Space Station Planet is the cloud in the middle: what is in it lies far apart and needs no circle around it.
const isWide = (system) => centres.get(system).r > 130;

function drawSystem(system, n) {
  const { x, y, r } = centres.get(system);
  if (isWide(system)) return "";
  const oval = (kind, x, y, r) => `<ellipse class="${kind}" cx="${round(x)}" cy="${round(y)}" rx="${round(r * WIDER)}" ry="${round(r)}"/>`;
  const cities = system.spaces.filter((space) => space.kind === "city");
  const middle = (key) => cities.reduce((sum, city) => sum + city[key], 0) / cities.length;
  const inside = cities.length ? oval(`planet p${n % 5}`, middle("x"), middle("y"), 30) : system.kind === "star" ? oval("sun", x, y, r * 0.55) : "";
  return oval("reach", x, y, r + 14) + inside;
}

function drawLink({ from, to, isFly }) {
  return `<path class="${isFly ? "fly" : "way"}" d="M${from.x} ${from.y}L${to.x} ${to.y}"/>`;
}

// The numbers that lead out of a circle stand where the way begins.
function numbersOf(from, to, numbers) {
  if (!numbers) return [];
  const part = Math.min(0.45, (20 + 3 * numbers.length) / Math.hypot(to.x - from.x, to.y - from.y));
  return [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part, numbers }];
}
const numbered = links.flatMap(({ from, to, there, back }) => [...numbersOf(from, to, there), ...numbersOf(to, from, back)]);

const drawNumbers = ({ x, y, numbers }) => `<text class="numbers" x="${round(x)}" y="${round(y + 5)}">${numbers}</text>`;

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

// --- names ------------------------------------------------------------------------------------------------------------------

// How high the letters are: a place's, a system's, and those of who lives there; on a small laptop a place's have ten pixels.
const [PLACE, SYSTEM, LIVES] = [16.2, 17.5, 16.2];

const nameOf = ({ port, kind, name }) => port ?? (kind === "city" || (kind === "spacecity" && /^[A-Z][a-z]/.test(name)) ? name : "");
const named = spaces.filter(nameOf);

// Beside its space; rather to a side than over or under it.
const besides = ({ x, y }) =>
  [
    [14, 5, "start"],
    [-14, 5, "end"],
    [0, -14, "middle"],
    [0, 24, "middle"],
    [9, -9, "start"],
    [-9, -9, "end"],
    [9, 19, "start"],
    [-9, 19, "end"],
  ].map(([dx, dy, anchor]) => ({ x: x + dx, y: y + dy, anchor }));

// Where the names of the two wide systems stand: in the middle of the cloud, and over the asteroids.
const LABELS = { "Space Station Planet": { x: 565, y: 352 }, "Asteroid System": { x: 425, y: 752 } };

// Over its system or below it, rather in the middle.
function aroundSystem(system) {
  const { x, y, r } = LABELS[system.name] ? { ...LABELS[system.name], x: LABELS[system.name].x * WIDER, r: 0 } : centres.get(system);
  return [0, -0.3, 0.3, -0.6, 0.6, -0.9, 0.9].flatMap((side) => {
    const far = Math.sqrt(1 - side * side) * (r + 14);
    const heights = [y - far - LIVES - 4, y + far + SYSTEM, y - far - 1, y + far, y + far + 2 * SYSTEM];
    return heights.map((height) => ({ x: x + side * (r + 14) * WIDER, y: height, anchor: "middle" }));
  });
}

const placed = new Map();
function placeNames() {
  const all = [...systems.values()];
  const boxes = numbered.map(({ x, y, numbers }) => ({ left: x - 5 * numbers.length, right: x + 5 * numbers.length, top: y - 7, bottom: y + 7 }));
  const names = [
    ...all.map((system) => ({
      lines: [[systemName(system).length * 1.1, SYSTEM], ...(system.kind === "world" ? [[lang.nobodyMet.length, LIVES]] : [])],
      places: aroundSystem(system),
    })),
    ...named.map((space) => ({ lines: [[lang.told(nameOf(space)).length, PLACE]], places: besides(space) })),
  ];
  const found = place(names, boxes, SIZE);
  [...all, ...named].forEach((one, n) => placed.set(one, found[n]));
}

function drawName(space) {
  const { x, y, anchor } = placed.get(space);
  const text = lang.told(nameOf(space)).replace("&", "&amp;");
  return `<text class="place ${space.port ? "port" : ""}" text-anchor="${anchor}" x="${round(x)}" y="${round(y)}">${text}</text>`;
}

const drawGround = () =>
  [
    [...systems.values()].map(drawSystem),
    links.map(drawLink),
    spaces.map(drawSpace),
    numbered.map(drawNumbers),
    named.map(drawName),
  ]
    .flat()
    .join("");

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
    placeNames();
    this.map = new MapView({
      size: SIZE,
      edge: 8,
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
      return s("text", { key: system.name, class: "system", transform: at(placed.get(system)) }, systemName(system));
    const { race, isPublic } = scene.homes.get(system.name) ?? {};
    return s(
      "g",
      { key: system.name, class: `system ${race ? (isPublic ? "public" : "secret") : "unknown"}`, transform: at(placed.get(system)) },
      s("text", {}, systemName(system)),
      s("text", { class: "lives", y: LIVES }, race ? `${race} ${cultureName(race)}${isPublic ? "" : lang.youKnow}` : lang.nobodyMet),
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
      s("rect", { class: "hop-tag", x: -6 - 4.5 * tag.length, y: 13, width: 12 + 9 * tag.length, height: 17, rx: 4 }),
      s("text", { y: 27 }, tag),
    );
  }
}
