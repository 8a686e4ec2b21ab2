// The board as a drawing. Shows a scene (who stands where, who owns what), walks pieces step by step, and says which square
// somebody asks about. Knows no rule and sends nothing.

import { DEEDS, GROUPS, SQUARES } from "./facts.js";
import { h, patch, s } from "../lib/dom.js";
import { lang } from "./lang.js";
import { colour, die, outline } from "./pieces.js";
import { cardText, deedName, dollars, pileName, rentWords, squareName } from "./words.js";

const SIZE = 1000;
const CORNER = 130;
const STEP = (SIZE - 2 * CORNER) / 9;
const BAND = 26;
const FAR = SIZE - CORNER;

const SPEEDS = { slow: 340, normal: 170, fast: 70, off: 0 };

function cell(i) {
  const side = Math.floor(i / 10);
  const along = (i % 10) - 1;
  if (i % 10 === 0)
    return { side: "corner", x: side === 0 || side === 3 ? FAR : 0, y: side < 2 ? FAR : 0, w: CORNER, h: CORNER };
  if (side === 0) return { side: "bottom", x: FAR - (along + 1) * STEP, y: FAR, w: STEP, h: CORNER };
  if (side === 1) return { side: "left", x: 0, y: FAR - (along + 1) * STEP, w: CORNER, h: STEP };
  if (side === 2) return { side: "top", x: CORNER + along * STEP, y: 0, w: STEP, h: CORNER };
  return { side: "right", x: FAR, y: CORNER + along * STEP, w: CORNER, h: STEP };
}

const CELLS = SQUARES.map((_, i) => cell(i));

// The strip of a street's colour, at its inner edge.
function band({ side, x, y, w, h: height }) {
  if (side === "bottom") return { x, y, width: w, height: BAND };
  if (side === "top") return { x, y: y + height - BAND, width: w, height: BAND };
  if (side === "left") return { x: x + w - BAND, y, width: BAND, height };
  return { x, y, width: BAND, height };
}

// What is left for words.
function room(c, isStreet) {
  const cut = isStreet ? BAND : 0;
  const b = { x: c.x, y: c.y, w: c.w, h: c.h };
  if (c.side === "bottom") return { ...b, y: b.y + cut, h: b.h - cut };
  if (c.side === "top") return { ...b, h: b.h - cut };
  if (c.side === "left") return { ...b, w: b.w - cut };
  if (c.side === "right") return { ...b, x: b.x + cut, w: b.w - cut };
  return b;
}

const SIGNS = {
  chance: "?",
  chest: "▣",
  income: "%",
  luxury: "◆",
  go: "←",
  jail: "▥",
  parking: "P",
  arrest: "!",
};

function words(name, r, top) {
  const parts = name.split(" ");
  const lines = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last && (last + part).length < r.w / 10) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  const wide = r.w / 9.3;
  return lines.map((text, i) =>
    s(
      "text",
      {
        class: "name",
        x: r.x + r.w / 2,
        y: top + i * 15,
        ...(text.length > wide ? { textLength: r.w - 6, lengthAdjust: "spacingAndGlyphs" } : {}),
      },
      text,
    ),
  );
}

function square(i, ask, look) {
  const c = CELLS[i];
  const [kind, , deed] = SQUARES[i];
  const isStreet = deed !== undefined && DEEDS[deed][1] < 8;
  const r = room(c, isStreet);
  const middle = r.x + r.w / 2;
  const group = deed === undefined ? -1 : DEEDS[deed][1];
  const strip = isStreet && band(c);
  const tall = c.side === "bottom" || c.side === "top";
  const sign = kind === "deed" ? (group === 8 ? lang.railroadSign : group === 9 ? lang.utilitySign : "") : SIGNS[kind];
  const priced = deed === undefined ? "" : dollars(DEEDS[deed][2]);
  return s(
    "g",
    {
      class: `square ${kind}`,
      key: i,
      role: "button",
      tabindex: i === 0 ? 0 : -1,
      "data-square": i,
      onclick: () => ask(i),
      onkeydown: (event) => keys(event, i, ask),
      onpointerenter: ({ pointerType }) => pointerType === "mouse" && look(i),
      onpointerleave: () => look(null),
      onfocus: () => look(i),
      onblur: () => look(null),
    },
    s("rect", { x: c.x, y: c.y, width: c.w, height: c.h, class: "ground" }),
    strip && s("rect", { ...strip, class: `band g${group}` }),
    strip &&
      s(
        "text",
        { class: "letter", x: tall ? strip.x + 11 : strip.x + BAND / 2, y: tall ? strip.y + 19 : strip.y + 18 },
        "ABCDEFGH"[group],
      ),
    words(lang.shortSquare(i), r, r.y + (c.side === "corner" ? 34 : c.side === "top" ? 24 : 18)),
    s("text", { class: "abbr", x: middle, y: r.y + 33 }, kind === "deed" ? lang.abbr(i) : SIGNS[kind]),
    sign && s("text", { class: `sign s-${kind}`, ...signPlace(c, r, kind) }, sign),
    priced &&
      s(
        "text",
        { class: "price", x: tall ? c.x + 26 : middle, y: c.y + c.h - (c.side === "top" && isStreet ? BAND + 9 : 12) },
        priced,
      ),
  );
}

function signPlace(c, r, kind) {
  if (kind !== "deed") return { x: r.x + r.w / 2, y: r.y + (c.h === CORNER ? 92 : 66) };
  if (c.side === "left") return { x: r.x + r.w - 16, y: r.y + 68 };
  if (c.side === "right") return { x: r.x + 16, y: r.y + 68 };
  return { x: r.x + r.w / 2, y: r.y + 82 };
}

// One stop for the tab key; the arrows walk around the board.
function keys(event, i, ask) {
  const turn = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key];
  if (turn) {
    event.preventDefault();
    const squares = event.currentTarget.parentNode;
    const next = squares.querySelector(`[data-square="${(i + turn + 40) % 40}"]`);
    event.currentTarget.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    ask(i);
  }
}

function house(x, y, hotel) {
  const d = hotel ? "M0 18V7l5-5 5 5 5-5 5 5 5-5 5 5v11z" : "M0 13V6l6.5-6 6.5 6v7z";
  return s("path", { class: hotel ? "a-hotel" : "a-house", d, transform: `translate(${x} ${y})` });
}

function standing(i, level) {
  if (level === 0) return [];
  const c = CELLS[i];
  const strip = band(c);
  const tall = c.side === "bottom" || c.side === "top";
  if (level === 5) return [tall ? house(strip.x + 34, strip.y + 4, true) : house(strip.x - 2, strip.y + 40, true)];
  return Array.from({ length: level }, (_, n) =>
    tall ? house(strip.x + 22 + n * 15, strip.y + 7) : house(strip.x + 6, strip.y + 23 + n * 14),
  );
}

function owner(i, id, piece, mortgaged) {
  const c = CELLS[i];
  const hasBand = DEEDS[SQUARES[i][2]][1] < 8;
  const at = {
    bottom: [c.x + c.w - 15, c.y + c.h - 17],
    top: [c.x + c.w - 15, c.y + c.h - (hasBand ? BAND : 0) - 16],
    left: [c.x + 14, c.y + c.h - 14],
    right: [c.x + c.w - 14, c.y + c.h - 14],
  }[c.side];
  return s(
    "g",
    { key: `o${i}` },
    mortgaged && s("rect", { class: "mortgaged", x: c.x, y: c.y, width: c.w, height: c.h }),
    s("rect", { class: "edge", style: { "--c": colour(id) }, ...edge(c) }),
    s(
      "g",
      { class: "seal", style: { "--c": colour(id) }, transform: `translate(${at[0]} ${at[1]})` },
      s("circle", { r: 13 }),
      s("path", { d: outline(piece), transform: "translate(-9 -9) scale(.75)", "fill-rule": "evenodd" }),
    ),
    mortgaged && s("text", { class: "mort", x: c.x + c.w / 2, y: c.y + c.h / 2 + 12 }, lang.mortgageSign),
  );
}

function edge({ side, x, y, w, h: height }) {
  if (side === "bottom") return { x, y: y + height - 8, width: w, height: 8 };
  if (side === "top") return { x, y, width: w, height: 8 };
  if (side === "left") return { x, y, width: 8, height };
  return { x: x + w - 8, y, width: 8, height };
}

// Where pieces stand in a square: below its name, which can be read while there are no more than two or three.
const FEET = { bottom: [0.5, 88], top: [0.5, 66], left: [0.64, 56], right: [0.36, 56], corner: [0.5, 82] };

function place(i, n, count, jailed) {
  const c = CELLS[i];
  if (i === 10)
    return jailed ? [c.x + 62 + (n % 3) * 24, c.y + 66 - Math.floor(n / 3) * 26] : [c.x + 20, c.y + 18 + n * 15];
  const [across, down] = FEET[c.side];
  const wide = c.w >= c.h ? 3 : 2;
  const columns = Math.min(count, wide);
  const row = Math.floor(n / wide);
  const gap = c.w > c.h ? 26 : 38;
  return [c.x + c.w * across + ((n % wide) - (columns - 1) / 2) * gap, c.y + down - row * 26];
}

// What is for sale: its name in its colour, what it costs or who bids what, and how long there is to bid.
function offerCard({ deed, price, bid, leader, mine, limit, since }) {
  const [, group, full] = DEEDS[deed];
  return h(
    "div",
    { class: "offer", key: `offer${deed}` },
    h("strong", { class: `tag g${group}` }, deedName(deed)),
    h("span", {}, [lang.groups[group], mine && lang.youHaveOf(mine, GROUPS[group][1].length)].filter(Boolean).join(" · ")),
    h("b", {}, leader === undefined ? lang.forSale(price) : leader ? lang.leads(leader, bid) : lang.noBidWorth(full)),
    // The bar runs by itself: nothing is drawn anew for it.
    limit > 0 && since > 0 && h("i", { key: since, class: "clock", style: { "--limit": `${limit}s` } }),
  );
}

// A deed that somebody looks at: whose it is, and what it costs to land there.
function deedCard(scene, deed) {
  const [, group, price] = DEEDS[deed];
  const packed = scene.deeds[deed];
  const owner = scene.users.find((user) => user.id === packed >> 8)?.name;
  return h(
    "div",
    { class: "offer", key: `deed${deed}` },
    h("strong", { class: `tag g${group}` }, deedName(deed)),
    h("span", {}, owner ? (packed & 16 ? lang.deedMortgaged(owner) : owner) : lang.forSale(price)),
    h("span", {}, rentWords(deed)),
  );
}

export class Board {
  #shown = new Map();
  #timer = 0;
  #last = null;
  // The square of the deed that somebody looks at, or null.
  #looked = null;

  // `ask(square)`: somebody wants to know more about it. `speed()`: a setting.
  constructor(ask, speed) {
    this.speed = speed;
    this.element = document.createElement("div");
    this.element.className = "board";
    patch(this.element, [
      h(
        "svg",
        {
          viewBox: `-4 -4 ${SIZE + 8} ${SIZE + 8}`,
          role: "group",
          "aria-label": lang.boardLabel,
        },
        s(
          "defs",
          {},
          s(
            "pattern",
            { id: "hatch", width: 12, height: 12, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
            s("rect", { class: "stroke", width: 4, height: 12 }),
          ),
        ),
        s("rect", { class: "table", x: -4, y: -4, width: SIZE + 8, height: SIZE + 8, rx: 10 }),
        s("rect", { class: "felt", x: CORNER, y: CORNER, width: FAR - CORNER, height: FAR - CORNER }),
        s(
          "g",
          { class: "squares" },
          SQUARES.map((_, i) => square(i, ask, (at) => this.#look(at))),
        ),
        s("rect", { class: "cell", x: 44, y: FAR + 6, width: 80, height: 80, rx: 6 }),
        s("rect", { class: "here", rx: 6 }),
        s("g", { class: "deeds", "aria-hidden": "true" }),
        s("g", { class: "tokens", "aria-hidden": "true" }),
      ),
      h("div", { class: "centre" }),
    ]);
    const find = (name) => this.element.querySelector(name);
    this.squares = [...this.element.querySelectorAll("[data-square]")];
    this.parts = { deeds: find(".deeds"), tokens: find(".tokens"), centre: find(".centre"), here: find(".here") };
  }

  // `paths`: squares that pieces have yet to walk; they are taken out as they are shown.
  // `offer`: the deed that is sold or auctioned just now, as `offerOf` tells it. `question`: what the game waits for.
  draw(scene, paths, { card, offer, question, isPast }) {
    this.#last = { scene, paths, card, offer, question, isPast };
    const step = SPEEDS[this.speed()] ?? 0;
    for (const user of scene.users) {
      const path = paths.get(user.id);
      if (isPast || !path?.length || step === 0 || document.hidden || !this.#shown.has(user.id)) {
        path?.splice(0);
        this.#shown.set(user.id, user.square);
      }
    }
    this.element.style.setProperty("--step", `${step}ms`);
    this.#drawDeeds(scene);
    this.#drawTokens(scene, paths, step);
    this.#drawCentre(scene, isPast ? {} : { card, offer, question }, isPast);
  }

  #look(square) {
    if (this.#looked === square || !this.#last) return;
    this.#looked = square;
    const { scene, isPast, ...rest } = this.#last;
    this.#drawCentre(scene, isPast ? {} : rest, isPast);
  }

  #drawDeeds(scene) {
    const pieces = new Map(scene.users.map((user) => [user.id, user]));
    patch(
      this.parts.deeds,
      scene.deeds.flatMap((packed, deed) => {
        const [id, mortgaged, level] = [packed >> 8, (packed & 16) > 0, packed & 7];
        const at = DEEDS[deed][0];
        return id === 0
          ? []
          : [owner(at, id, pieces.get(id)?.piece ?? 0, mortgaged), s("g", { key: `h${at}` }, standing(at, level))];
      }),
    );
    this.#label(scene, pieces);
  }

  #label(scene, pieces) {
    SQUARES.forEach(([, , deed], i) => {
      const packed = deed === undefined ? 0 : scene.deeds[deed];
      const level = packed & 7;
      const words = [squareName(i)];
      if (deed !== undefined)
        words.push(
          packed >> 8
            ? lang.ownedByName(pieces.get(packed >> 8)?.name ?? lang.somebody)
            : lang.forSaleSquare(DEEDS[deed][2]),
        );
      if (packed & 16) words.push(lang.mortgaged);
      if (level) words.push(lang.standing(level));
      const here = scene.users
        .filter((user) => user.square === i)
        .map((user) => (user.jail ? lang.inJailName(user.name) : user.name));
      if (here.length) words.push(lang.hereAre(here));
      const label = words.join("; ");
      if (this.squares[i].getAttribute("aria-label") !== label) this.squares[i].setAttribute("aria-label", label);
    });
  }

  #drawTokens(scene, paths, step) {
    const at = new Map();
    for (const user of scene.users) {
      const square = this.#shown.get(user.id) ?? user.square;
      const jailed = user.jail > 0 && square === 10;
      const spot = jailed ? "jail" : square;
      at.set(spot, [...(at.get(spot) ?? []), { ...user, shown: square, jailed }]);
    }
    const tokens = [...at.values()].flatMap((together) =>
      together.map((user, n) => {
        const [x, y] = place(user.shown, n, together.length, user.jailed);
        return s(
          "g",
          {
            key: user.id,
            class: `token${user.id === scene.turn ? " turn" : ""}`,
            style: { transform: `translate(${x}px, ${y}px)`, "--c": colour(user.id) },
          },
          s("circle", { r: 18 }),
          s("path", { d: outline(user.piece), transform: "translate(-13 -13) scale(1.08)", "fill-rule": "evenodd" }),
        );
      }),
    );
    // By id: a token that changes its place in the list would lose its way.
    tokens.sort((a, b) => a.props.key - b.props.key);
    patch(this.parts.tokens, tokens);
    const current = scene.users.find((user) => user.id === scene.turn);
    const {
      x,
      y,
      w,
      h: height,
    } = current ? CELLS[this.#shown.get(current.id) ?? current.square] : { x: -99, y: -99, w: 0, h: 0 };
    for (const [name, value] of Object.entries({
      x: x + 3,
      y: y + 3,
      width: Math.max(0, w - 6),
      height: Math.max(0, height - 6),
    }))
      this.parts.here.setAttribute(name, value);
    if (current) this.parts.here.style.setProperty("--c", colour(current.id));
    const longest = Math.max(0, ...[...paths.values()].map((path) => path.length));
    if (longest > 0 && !this.#timer) this.#timer = setTimeout(() => this.#walk(), Math.min(step, 2400 / longest));
  }

  #walk() {
    this.#timer = 0;
    const { scene, paths, ...rest } = this.#last;
    for (const [id, path] of paths) if (path.length) this.#shown.set(id, path.shift());
    for (const user of scene.users) if (!paths.get(user.id)?.length) this.#shown.set(user.id, user.square);
    this.draw(scene, paths, rest);
  }

  #drawCentre(scene, { card, offer, question }, isPast) {
    const [a, b] = scene.dice;
    const [, , looked] = SQUARES[this.#looked] ?? [];
    patch(this.parts.centre, [
      // Who listens has it among the actions.
      h("p", { class: "whose", "aria-hidden": "true" }, isPast ? lang.asItWas : question),
      h(
        "div",
        { class: "dice", role: "img", "aria-label": a ? lang.diceShow(a, b) : lang.dice },
        die(a, "a"),
        die(b, "b"),
      ),
      looked !== undefined ? deedCard(scene, looked) : offer && offerCard(offer),
      card &&
        !offer &&
        looked === undefined &&
        h(
          "div",
          { class: `drawn${card.old ? " old" : ""}` },
          h("strong", {}, pileName(card.card)),
          h("span", {}, cardText(card.card)),
        ),
      h(
        "p",
        { class: "stock" },
        h("span", {}, lang.pot(scene.pot)),
        h("span", {}, lang.bankHas(scene.bank)),
      ),
    ]);
  }
}
