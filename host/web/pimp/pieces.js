// Our own small drawings: the twelve pieces, dice, houses. Each piece is one outline in a box of 24 by 24.

import { h, s } from "../lib/dom.js";
import { lang } from "./lang.js";

const OUTLINES = [
  "M12 3l2.6 5.9 6.4.6-4.8 4.3 1.4 6.2L12 16.8 6.4 20l1.4-6.2L3 9.5l6.4-.6z",
  "M8.5 3h7l-2 4c4.5 2 6.5 5.5 6.5 9a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4c0-3.5 2-7 6.5-9zM11.2 9.5v1.2c-3 .4-2.800 3.600.2 4 1.600.2 1.5 1.300-.1 1.300h-1.800v1.5h1.700v1h1.600v-1.100c3-.5 2.700-3.700-.2-4.100-1.600-.2-1.5-1.2.1-1.2h1.600v-1.5h-1.5V9.5z",
  "M1.5 14h21L19 20H5zM6 13V9h3V4h2v5h3v4zM15 13v-2h6v2z",
  "M3 11.5L17.5 4l2.5 4.5L10.5 14a4.300 4.300 0 1 1-6.300-.6zM7.5 14.800a1.900 1.900 0 1 0 0 3.800 1.900 1.900 0 0 0 0-3.800zM15 18h6v2h-6z",
  "M3 9l4-5 3 3h6l3-2 2 1v5l-2 2v7h-3v-5H10v5H7v-8z",
  "M7 21c0-5 1-7.5 3.5-9.5L7 13l-3-2.5L11 3l1.5 1.5C17 6 20 10.5 20 16v5zM11 7.2a1 1 0 1 0 .1 0z",
  "M2 18c0-5.5 4-9 9-9h8l3 9zM8 8c0-5 11-5 12.5 0h-2.300C17 5.700 11.5 5.700 10.300 8z",
  "M1.5 15.5L5 11h5l3-3h4l2 3.5 3.5 1v3h-2.2a2.700 2.700 0 0 1-5.2 0H9.400a2.700 2.700 0 0 1-5.2 0z",
  "M6 3h6v8l7 3.5c2 1 2.5 3 2.5 5.5H5.5zM5.5 20.5h16V22h-16z",
  "M8 5c.5-2.300 7.5-2.300 8 0l2.800 13H5.2zM4 19h16v2.5H4zM9 8v1.5h1.5V8zm4 0v1.5h1.5V8zm-4.5 4v1.5H10V12zm5 0v1.5H15V12z",
  "M7 3h10v9H7zM7 13h10v3h5v3.5H2V16h5z",
  "M1.5 6h4l2.800 7H18l2.5-6h-11l-.8-2H23l-4 10.5h-3.2a3 3 0 1 1-5.600 0H7zM13 16a1.400 1.400 0 1 0 .1 0z",
];

export const outline = (piece) => OUTLINES[piece] ?? OUTLINES[0];
export const pieceName = (piece) => lang.pieces[piece] ?? lang.piece;
export const colour = (id) => `var(--p${((id - 1) % 8) + 1})`;

// A player's sign in a list: colour and piece.
export const chip = (id, piece) =>
  h(
    "svg",
    { class: "chip", viewBox: "0 0 32 32", "aria-hidden": "true", style: { "--c": colour(id) } },
    s("circle", { cx: 16, cy: 16, r: 15 }),
    s("path", { d: outline(piece), transform: "translate(6 6) scale(.83)", "fill-rule": "evenodd" }),
  );

export const pieceIcon = (piece) =>
  h(
    "svg",
    { class: "piece", viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("path", { d: outline(piece), "fill-rule": "evenodd" }),
  );

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export const die = (n, key) =>
  h(
    "svg",
    { class: "die", viewBox: "0 0 60 60", key },
    s("rect", { x: 2, y: 2, width: 56, height: 56, rx: 12 }),
    (PIPS[n] ?? []).map((at) => s("circle", { cx: 15 + (at % 3) * 15, cy: 15 + Math.floor(at / 3) * 15, r: 5.5 })),
  );

// Houses and hotel of a deed, as a list shows them.
export const buildings = (level) =>
  level === 0
    ? null
    : h(
        "span",
        { class: level === 5 ? "hotel" : "houses", title: level === 5 ? lang.hotel : lang.housesTitle(level) },
        level === 5 ? lang.hotelTag : `${level}⌂`,
      );
