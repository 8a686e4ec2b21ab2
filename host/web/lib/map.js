// A map that is moved and magnified by fingers, wheel, keys and buttons. What is drawn on it is the matter of its game; a
// tap names the nearest place.

import { h, patch, REACTION } from "./dom.js";
import { lang } from "./lang.js";

const SVG = "http://www.w3.org/2000/svg";
// A finger that moved further than this meant to move the map.
const DRAG = 8;
// So long after it was last seen to move there, a hand has left the map.
const HAND = 1000;

export class MapView {
  // size: [width, height]; edge: what is shown beyond it; close: how much of the map a small screen shows when it looks at
  // one place; least: the closest look; label: for who can't see it; ground: what never changes, as SVG text.
  // nearest(x, y, reach): the place that a finger there can mean; choose(place): somebody points at it.
  constructor({ size: [width, height], edge = 14, close, least = 160, label, ground, nearest, choose }) {
    Object.assign(this, { width, height, edge, close, least, nearest, choose });
    this.view = { x: width / 2, y: height / 2, w: 0 };
    this.pointers = new Map();
    this.touched = -Infinity;
    this.tapped = -Infinity;
    this.element = document.createElement("div");
    this.element.className = "map";
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", label);
    svg.innerHTML = `<rect class="ground-map" x="-999" y="-999" width="2999" height="2999"/><g class="under"></g><g class="net" aria-hidden="true">${ground}</g><g class="over"></g>`;
    this.svg = svg;
    this.under = svg.querySelector(":scope > .under");
    this.over = svg.querySelector(":scope > .over");
    this.tools = document.createElement("div");
    this.tools.className = "map-tools";
    this.element.append(svg, this.tools);
    this.#listen();
    new ResizeObserver(() => this.#show()).observe(this.element);
  }

  #listen() {
    const { svg } = this;
    svg.onpointerdown = (event) => {
      this.touched = performance.now();
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
  get #aspect() {
    return (this.svg.clientWidth || 4) / (this.svg.clientHeight || 3);
  }
  get #whole() {
    return Math.max(this.width + 2 * this.edge, (this.height + 2 * this.edge) * this.#aspect);
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
    } else if (this.moved > DRAG) this.#shift((was.x - now.x) / this.#scale, (was.y - now.y) / this.#scale);
  }

  #up(event) {
    const was = this.pointers.delete(event.pointerId);
    this.touched = performance.now();
    if (!was || this.moved > DRAG || this.pointers.size) return;
    // The second half of a double tap means nothing more than the first.
    if (event.timeStamp - this.tapped < REACTION) return;
    this.tapped = event.timeStamp;
    const box = this.svg.getBoundingClientRect();
    const { x, y, w } = this.view;
    const px = x + (event.clientX - box.left - box.width / 2) / this.#scale;
    const py = y + (event.clientY - box.top - box.height / 2) / this.#scale;
    const place = this.nearest(px, py, Math.max(15, Math.min(26 / this.#scale, w / 20)));
    if (place !== null) this.choose(place);
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
    const w = Math.max(this.least, Math.min(this.#whole, this.view.w / factor));
    const kept = 1 - w / this.view.w;
    this.view = { x: this.view.x + fx * kept, y: this.view.y + fy * kept, w };
    this.#show();
  }

  whole() {
    this.view = { x: this.width / 2, y: this.height / 2, w: this.#whole };
    this.#show();
  }

  // Brings a place into view; on a small screen near enough to read. What a hand is at does not move, unless it asked.
  focus([x, y], always = false) {
    if (!this.svg.clientWidth) return;
    clearTimeout(this.later);
    if (!always && (this.pointers.size > 0 || performance.now() - this.touched < HAND)) {
      this.later = setTimeout(() => this.focus([x, y]), HAND);
      return;
    }
    const isSmall = this.svg.clientWidth < 700;
    if (isSmall && this.view.w > this.close * 1.6) this.view.w = this.close;
    if (isSmall || always || this.view.w < this.#whole * 0.9) Object.assign(this.view, { x, y });
    this.#show();
  }

  #show() {
    const { view, edge } = this;
    if (!this.svg.clientWidth) return;
    view.w = view.w ? Math.min(view.w, this.#whole) : this.#whole;
    const height = view.w / this.#aspect;
    const keep = (value, half, size) =>
      half * 2 >= size + 2 * edge ? size / 2 : Math.max(half - edge, Math.min(size + edge - half, value));
    view.x = keep(view.x, view.w / 2, this.width);
    view.y = keep(view.y, height / 2, this.height);
    const box = [view.x - view.w / 2, view.y - height / 2, view.w, height].map((n) => n.toFixed(1));
    this.svg.setAttribute("viewBox", box.join(" "));
    this.element.classList.toggle("far", this.#scale < 0.62);
  }

  // Buttons over the map; `find` brings the place in question into view, `extra` is a control of the game's own.
  drawTools(find, extra) {
    const tool = (label, sign, onclick) =>
      h("button", { "data-again": true, "aria-label": label, title: label, onclick }, sign);
    patch(this.tools, [
      tool(lang.magnify, "+", () => this.zoom(1.5)),
      tool(lang.smaller, "−", () => this.zoom(1 / 1.5)),
      tool(lang.wholeMap, "⤢", () => this.whole()),
      find && tool(find.label, "◎", find.act),
      extra,
    ]);
  }
}
