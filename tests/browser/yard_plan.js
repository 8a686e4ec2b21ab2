// A short game for the tests, from any start: Mr. X opens with a double move whose second half is black, then walks into the
// arms of detectives who close in on him from the third turn on.

import { rides } from "../../host/web/yard/roads.js";

const DETECTIVES = ["Red", "Yellow", "Green", "Blue", "Black"];
const TICKETS = ["taxi", "bus", "underground"];

const hops = (from) => TICKETS.flatMap((ticket) => rides(from, ticket).map((to) => ({ to, ticket })));

function distances(from) {
  const far = new Map([[from, 0]]);
  const queue = [from];
  for (const station of queue) {
    for (const { to } of hops(station)) {
      if (!far.has(to)) far.set(to, far.get(station) + 1) && queue.push(to);
    }
  }
  return far;
}

const least = (list, cost) => list.reduce((best, item) => (cost(item) < cost(best) ? item : best));

// `at`: where each pawn starts. Gives the moves in order: { pawn, to, ticket }.
export function plan(at) {
  const places = { ...at };
  const moves = [];
  const go = (pawn, { to, ticket }) => {
    places[pawn] = to;
    moves.push({ pawn, to, ticket });
  };
  const taken = () => DETECTIVES.map((pawn) => places[pawn]);
  const flee = (ticket) => {
    const ends = rides(places.X, ticket).filter((to) => !taken().includes(to));
    const near = (to) => Math.min(...taken().map((station) => distances(to).get(station)));
    go("X", { to: least(ends, (to) => Math.abs(near(to) - 1)), ticket });
  };
  flee("taxi");
  flee("black");
  for (let round = 1; ; round++) {
    for (const pawn of DETECTIVES) {
      const far = distances(places.X);
      // Nobody catches him before he was seen.
      const free = hops(places[pawn]).filter(({ to }) => !taken().includes(to) && (round > 1 || to !== places.X));
      go(
        pawn,
        least(free, ({ to }) => far.get(to)),
      );
      if (places[pawn] === places.X) return moves;
    }
    flee("taxi");
  }
}
