// Where the names stand on the star map: beside what they name, over nothing else. What is in the way of a name has a
// price, and each name in turn takes the cheapest place beside its own, until all have found theirs.

import { links, spaces } from "./map.js";

// Units of the map that a letter is wide, for each unit that it is high: rather too many.
const LETTER = 0.57;
// What a unit of another name, of what no name may cover, of a space, of a way, and of what is beyond the map costs.
const [NAME, TAKEN, SPACE, WAY, BEYOND] = [4, 12, 3, 0.25, 9];

const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

const around = ({ x, y }, r) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r });

// Small boxes along every way, each a few units wide.
const steps = links.flatMap(({ from, to }) => {
  const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 8);
  return Array.from({ length: count }, (_, n) => {
    const part = (n + 0.5) / count;
    return around({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }, 4);
  });
});
const signs = spaces.map((space) => around(space, space.isCircle ? 14 : 10));

// The box of a name whose lines are so long (in letters) and so high (in units), at one of its places.
function boxAt({ lines }, { x, y, anchor }) {
  const width = Math.max(...lines.map(([letters, high]) => letters * high * LETTER));
  const height = lines.reduce((sum, [, high]) => sum + high, 0);
  const left = x - { start: 0, middle: 0.5, end: 1 }[anchor] * width;
  return { left, right: left + width, top: y - 0.8 * lines[0][1], bottom: y - 0.8 * lines[0][1] + height };
}

// names: { lines: [[letters, height] …], places: [{ x, y, anchor } …], the best first }; taken: boxes that no name may
// cover. The place of each name, in their order.
export function place(names, taken, [width, height]) {
  const found = names.map((name) => ({ at: name.places[0], box: boxAt(name, name.places[0]) }));
  const price = (box, own) =>
    NAME * found.reduce((sum, other, n) => sum + (n === own ? 0 : overlap(box, other.box)), 0) +
    TAKEN * taken.reduce((sum, other) => sum + overlap(box, other), 0) +
    SPACE * signs.reduce((sum, other) => sum + overlap(box, other), 0) +
    WAY * steps.reduce((sum, other) => sum + overlap(box, other), 0) +
    BEYOND * ((box.right - box.left) * (box.bottom - box.top) - overlap(box, { left: 0, top: 0, right: width, bottom: height }));
  for (let round = 0; round < 4; round++) {
    for (const [n, name] of names.entries()) {
      let least = Infinity;
      for (const [rank, at] of name.places.entries()) {
        const box = boxAt(name, at);
        const cost = price(box, n) + rank * 6;
        if (cost < least) [least, found[n]] = [cost, { at, box }];
      }
    }
  }
  return found.map(({ at }) => at);
}
