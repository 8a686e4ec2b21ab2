// Scotland Yard's lines, mirror and network against core's: quoting, and games in which connections are lost.
// PARLOR_TRANSCRIPTS names the file that `cargo run -p parlor-tests --bin transcripts` wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Framer, decode, encode, split } from "../../host/web/yard/lines.js";
import { PAWNS } from "../../host/web/yard/map.js";
import { Mirror } from "../../host/web/yard/mirror.js";

const lines = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"));
const rows = (kind) => lines.filter(([first]) => first === kind);
const text = (hex) => Buffer.from(hex, "hex").toString();

test("words are split as core splits them, and quoted so that they come back", () => {
  let sound = 0;
  for (const [, hex, json] of rows("words")) {
    const words = JSON.parse(json);
    assert.deepEqual(split(text(hex)), words, JSON.stringify(text(hex)));
    if (!words?.length) continue;
    assert.deepEqual(split(encode(7, ...words).replace("\r\n", "")), ["#7", ...words]);
    sound += 1;
  }
  assert.ok(sound > 700, `${sound} lines`);
});

test("answers and status lines are told apart", () => {
  assert.deepEqual(decode("#002 no such game"), { tag: 2, kind: "no", text: "such game", words: [] });
  assert.deepEqual(decode("- ok"), { tag: null, kind: "ok", text: "", words: [] });
  assert.deepEqual(decode("#11 turn Red"), { tag: 11, kind: "data", text: "turn Red", words: ["turn", "Red"] });
  const info = decode('* gameinfo "my game" "in progress" standard 2');
  assert.deepEqual(info, { status: "gameinfo", words: ["my game", "in progress", "standard", "2"] });
  for (const line of ["", "*", "* ", "ok", '* turn "Red']) assert.equal(decode(line), null, line);
});

function known(t) {
  const byTicket = (a, b) => a[0] - b[0];
  const hops = t.toMove ? [...t.hops(t.toMove)].flatMap(([to, tickets]) => tickets.map((ticket) => [to, ticket])) : [];
  return {
    pawns: PAWNS.filter((pawn) => t.mine(pawn)),
    at: PAWNS.map((pawn) => t.at[pawn]),
    purses: PAWNS.map((pawn) => t.purses[pawn]),
    turn: t.turn,
    next: t.next,
    winner: t.winner,
    toMove: t.toMove,
    moves: t.moves.length,
    sight: [...t.sight].sort((a, b) => a - b),
    rides: t.rides.map(({ ticket, seen }) => [ticket, seen]),
    hops: hops.sort(byTicket),
  };
}

test("the mirror shows what core's view shows, on the way and at the end", () => {
  let compared = 0;
  for (const [, name, user, hex, json] of rows("yard")) {
    const wanted = JSON.parse(json);
    const mirror = new Mirror(user);
    const told = text(hex).split("\r\n").slice(0, -1);
    told.forEach((line, n) => {
      const said = decode(line);
      if (said?.status) mirror.take(said);
      if ((n + 1) % 4 !== 0 && n + 1 !== told.length) return;
      // The side is told before the game begins; from then on the pawns tell it.
      const { team, pawns, ...rest } = wanted.shift();
      const { pawns: mine, ...found } = known(mirror);
      // Between a new round's number and its first turn core's view counts the ride to come.
      if (line.startsWith("* turnnum")) rest.rides.length = found.rides.length;
      assert.deepEqual(found, rest, `${name}, line ${n + 1}: ${line}`);
      if (mirror.scenes.length) assert.deepEqual(mine, pawns, name);
      if (mirror.team) assert.equal(mirror.team, team, name);
      compared += 1;
    });
    assert.equal(wanted.length, 0);
  }
  assert.ok(compared > 500, `${compared} views`);
});

test("lines come whole, however they are cut", () => {
  const [[, , user, hex]] = rows("yard").slice(-1);
  const all = text(hex);
  const ends = [1, 7, all.length].map((piece) => {
    const mirror = new Mirror(user);
    const framer = new Framer();
    for (let at = 0; at < all.length; at += piece) {
      framer.push(all.slice(at, at + piece), (said) => said.status && mirror.take(said));
    }
    return known(mirror);
  });
  assert.deepEqual(ends[0], ends[1]);
  assert.deepEqual(ends[0], ends[2]);
});
