// The end: what everybody was worth over time, and the whole game once more, line by line of the log, on the map.

import { chart } from "../lib/chart.js";
import { h } from "../lib/dom.js";
import { step } from "../lib/fields.js";
import { lang } from "./lang.js";
import { money } from "./words.js";

const told = lang.replay;

function worthChart(session, t, past) {
  const rows = [...session.worths, t.inOrder.map(({ id, worth }) => [id, worth])];
  const players = t.inOrder.map(({ id, name, worth }) => ({ id, name, value: worth, props: { class: `seat-${id}` } }));
  const turns = session.turnLines.filter((number) => number <= past?.number).length;
  const now = past && Math.max(0, turns - 1);
  return chart(lang.worth, rows, players, t.winMoney, now);
}

// What everybody was worth then.
const standings = (t, scene) =>
  h(
    "p",
    { key: "then", class: "why" },
    t.inOrder.map(({ id, name, worth }) => `${name} ${money(scene?.worth?.[id] ?? worth)}`).join(" · "),
  );

export function replay(session, t, ui) {
  const { log, turnLines } = session;
  const last = log.length - 1;
  const at = ui.past ? Math.max(0, log.indexOf(ui.past)) : last;
  const { number = 0, text = "", scene } = log[at] ?? {};
  // The end of the log is now.
  const to = (line) => ui.look(line < last ? (log[Math.max(0, line)]?.number ?? 0) : 0);
  const lineOf = (wanted) => (wanted === undefined ? -1 : log.findIndex((line) => line.number >= wanted));
  const turnBack = () => to(lineOf(turnLines.findLast((one) => one < number)));
  const turnOn = () => to(turnLines.some((one) => one > number) ? lineOf(turnLines.find((one) => one > number)) : last);
  return h(
    "div",
    { key: "end", class: "replay" },
    h("h3", {}, lang.howItWent),
    worthChart(session, t, ui.past),
    standings(t, ui.past && scene),
    h("input", {
      key: `lines${last}`,
      type: "range",
      min: 0,
      max: Math.max(0, last),
      value: at,
      "aria-label": told.lines,
      "aria-valuetext": text,
      oninput: (event) => to(Number(event.target.value)),
    }),
    h(
      "div",
      { key: "keys", class: "row" },
      step(told.start, "|◀", at <= 0, () => to(0)),
      step(told.turnBack, "◀◀", at <= 0, turnBack),
      step(told.back, "◀", at <= 0, () => to(at - 1)),
      step(told.on, "▶", at >= last, () => to(at + 1)),
      step(told.turnOn, "▶▶", at >= last, turnOn),
      step(told.end, "▶|", at >= last, () => to(last)),
      h("span", {}, told.of(at + 1, last + 1)),
    ),
    t.me !== null && h("button", { class: "primary", onclick: () => session.newGame() }, lang.playAgainHere),
    h("button", { onclick: () => session.leave() }, lang.allRooms),
  );
}
