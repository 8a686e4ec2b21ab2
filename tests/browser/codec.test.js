// The page's codec and mirror against core's: every vector there and back, every conversation and some games of bots.
// PARLOR_TRANSCRIPTS names the file that `cargo run -p parlor-tests --bin transcripts` wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Framer, decode, encode, entries } from "../../host/web/pimp/codec.js";
import { Mirror } from "../../host/web/pimp/mirror.js";

const lines = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"));
const rows = (kind) => lines.filter(([first]) => first === kind);
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

function shownName(name) {
  if (name.isWellFormed()) return `"${name}"`;
  const byte = (c) => (c.charCodeAt(0) & 0xff).toString(16);
  const one = (c) => (c === "\0" ? "\\0" : c >= "\udc80" ? `\\x${byte(c)}` : c);
  return `"${[...name].map(one).join("")}"`;
}

const sign = (n) => (n < 0 ? n : `+${n}`);

function shown(message) {
  const { fields } = entries.find((entry) => entry.type === message.type);
  const values = fields.map(([field, kind]) => {
    const value = message[field];
    if (kind === "s") return ` ${field}=${shownName(value)}`;
    if (kind === "l")
      return ` ${field}=[${value.map((l) => `${l.property}:${sign(l.houses)}/${sign(l.hotels)}`).join(" ")}]`;
    return ` ${field}=${value}`;
  });
  return message.type + values.join("");
}

test("every message there and back", () => {
  const seen = new Set();
  for (const [, hex, text] of rows("vector")) {
    const frame = bytes(hex);
    const message = decode(frame[0], frame.subarray(2));
    assert.ok(message, hex);
    assert.equal(shown(message), text);
    assert.equal(Buffer.from(encode(message.type, message)).toString("hex"), hex);
    for (let cut = 0; cut < frame.length - 2; cut++) assert.equal(decode(frame[0], frame.subarray(2, 2 + cut)), null);
    assert.deepEqual(decode(frame[0], Uint8Array.from([...frame.subarray(2), 255, 255])), message);
    seen.add(message.type);
  }
  assert.equal(seen.size, 159);
  assert.equal(decode(0xff, bytes("00")), null);
});

const hexOf = (name) => Buffer.from(name).toString("hex");
const sideOf = (side) => [
  side.cash,
  [...side.deeds].sort((a, b) => a - b),
  [...side.cards].sort((a, b) => a - b),
  side.step,
];

function promptOf({ kind, ...rest }) {
  if (kind === "auction") {
    return [kind, rest.deed, rest.leader, rest.bid, [...rest.passed].sort((a, b) => a - b)];
  }
  return [kind, ...Object.values(rest)];
}

function known(mirror) {
  const users = mirror.everybody;
  return {
    game: mirror.game,
    me: mirror.me,
    password: mirror.password,
    users: users.map((u) => [u.id, u.piece, u.playing, u.square, u.jail, u.cash, hexOf(u.name)]),
    deeds: mirror.deeds.map((h) => [h.owner, h.mortgaged, h.houses, h.hotels]),
    cards: mirror.cards,
    pot: mirror.pot,
    bank: [mirror.bank.houses, mirror.bank.hotels],
    prompt: promptOf(mirror.prompt),
    turn: mirror.turn,
    deals: mirror.openDeals.map((d) => [
      d.id,
      d.kind,
      d.about,
      d.other,
      d.creditor,
      d.amount,
      d.unusual,
      sideOf(d.mine),
      sideOf(d.theirs),
    ]),
    vote: mirror.vote && [mirror.vote.candidate, mirror.vote.play, hexOf(mirror.vote.name)],
    pending: mirror.pending,
    claims: mirror.claims.map((c) => (c.player === undefined ? [c.creditor, c.debtor, c.deed] : [c.player, c.square])),
    dice: mirror.dice,
    worth: users.flatMap((u) => [mirror.worth(u.id), mirror.total(u.id)]),
  };
}

test("the mirror shows what core's view shows, however the bytes are cut", () => {
  let connections = 0;
  for (const [, name, hex, json] of rows("heard")) {
    const all = bytes(hex);
    for (const piece of [all.length || 1, 7]) {
      const mirror = new Mirror();
      const framer = new Framer();
      for (let at = 0; at < all.length; at += piece) {
        framer.push(all.subarray(at, at + piece), (message) => mirror.take(message));
      }
      assert.deepEqual(known(mirror), JSON.parse(json), name);
    }
    connections += 1;
  }
  assert.ok(connections > 200, `${connections} connections`);
});
