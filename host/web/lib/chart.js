// Something of everybody's over time: a line a player, with the name at its end.

import { s } from "./dom.js";
import { lang } from "./lang.js";

const [WIDTH, HEIGHT] = [300, 150];
// Names that would stand over each other move apart.
const APART = 13;

// `rows`: at each time, [id, value] of everybody. `players`: { id, name, value, props }, as it is at the end. `goal`: a value
// that is marked. `now`: a time that is marked, counted in rows.
export function chart(what, rows, players, goal = 0, now = null) {
  const most = Math.max(goal, ...rows.flat().map(([, value]) => value), ...players.map(({ value }) => value), 1);
  const level = (value) => HEIGHT - (value / most) * HEIGHT;
  const at = (n) => (n / Math.max(1, rows.length - 1)) * WIDTH;
  const known = (row, id) => row.find(([other]) => other === id)?.[1];
  const points = (id) =>
    rows
      .map((row, n) => [at(n), known(row, id)])
      .filter(([, value]) => value !== undefined)
      .map(([x, value]) => `${x.toFixed(1)},${level(value).toFixed(1)}`)
      .join(" ");
  let below = -APART;
  const labels = [...players]
    .sort((a, b) => b.value - a.value)
    .map((player) => ({ ...player, y: (below = Math.max(level(player.value) + 4, below + APART)) }));
  return s(
    "svg",
    {
      class: "chart",
      viewBox: `-4 -6 ${WIDTH + 84} ${HEIGHT + 24}`,
      role: "img",
      "aria-label": lang.overTime(what, labels.map(({ name, value }) => lang.endsWith(name, value))),
    },
    goal > 0 && s("path", { class: "goal", d: `M0 ${level(goal)}H${WIDTH}` }),
    labels.map(({ id, name, props, y }) => [
      s("polyline", { key: id, ...props, points: points(id) }),
      s("text", { key: `t${id}`, ...props, x: WIDTH + 5, y }, name.slice(0, 10)),
    ]),
    now !== null && s("path", { key: "now", class: "now", d: `M${at(now).toFixed(1)} 0V${HEIGHT}` }),
  );
}
