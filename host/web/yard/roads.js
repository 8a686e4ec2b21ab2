// The network: where each ticket leads, and where Mr. X can be, given what everybody was told. The same rules as core's.

import { LINKS, PLACES, STARTS } from "./map.js";

export const STATIONS = 199;
// From 1: places[1] is station 1.
export const places = [
  null,
  ...PLACES.match(/\w{4}/g).map((four) => four.match(/../g).map((two) => parseInt(two, 36))),
];

// Numbers stand in boxes of 24 x 16: where two would touch they move apart.
places.forEach((a, n) => {
  for (const b of places.slice(n + 1)) {
    const [dx, dy] = a ? [b[0] - a[0], b[1] - a[1]] : [99];
    const push = (19 - Math.abs(dy)) / 2;
    if (Math.abs(dx) >= 27 || push <= 0) continue;
    a[1] -= Math.sign(dy) * push;
    b[1] += Math.sign(dy) * push;
  }
});

// Each link once: [kind, from, to].
export const links = Object.entries(LINKS).flatMap(([kind, text]) =>
  text.split(";").flatMap((ends, n) => (ends.match(/\d+/g) ?? []).map((far) => [kind, n + 1, n + 1 + Number(far)])),
);

const ends = { taxi: [], bus: [], underground: [], ferry: [] };
for (const [kind, from, to] of links) {
  (ends[kind][from] ??= []).push(to);
  (ends[kind][to] ??= []).push(from);
}

export const has = (kind, station) => ends[kind][station] !== undefined;

// Where a ticket takes a pawn: black rides any line, and alone rides the river.
export function rides(station, ticket) {
  if (ticket !== "black") return ends[ticket][station] ?? [];
  return [...new Set(Object.values(ends).flatMap((kind) => kind[station] ?? []))];
}

// Where he may begin: at a start that no detective has.
export const firstSight = (detectives) => new Set(STARTS.filter((start) => !detectives.includes(start)));

// He moved and was not seen; the detectives stand here, and the game goes on.
export function sightAfter(sight, ticket, detectives) {
  const set = new Set([...sight].flatMap((from) => rides(from, ticket)));
  for (const station of detectives) set.delete(station);
  return set;
}
