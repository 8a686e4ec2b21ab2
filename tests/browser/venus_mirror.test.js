// Merchant of Venus' lines and mirror against core's: whole games of bots, told anew at the end.
// PARLOR_TRANSCRIPTS names the file that `cargo run -p parlor-tests --bin transcripts` wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Framer, decode, encode } from "../../host/web/venus/lines.js";
import { Mirror } from "../../host/web/venus/mirror.js";

const lines = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"));
const games = lines
  .filter(([kind]) => kind === "venus")
  .map(([, name, hex, json]) => ({ name, text: Buffer.from(hex, "hex").toString(), wanted: JSON.parse(json) }));

// As core sorts text.
const sorted = (list) => [...list].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const things = (list) => sorted(list.map((it) => `${it.kind} ${it.name} ${it.age}`));

function boxWords({ kind, gate, owner, colour, sum, relic }) {
  switch (kind) {
    case "telegate":
      return `telegate ${gate}`;
    case "station":
      return `station ${owner}`;
    case "penalty":
      return `penalty ${colour} ${sum}`;
  }
  return `asteroid ${relic ? relic.name : null}`;
}

function known(t) {
  const bases = Object.fromEntries([...t.bases].map(([race, stock]) => [race, things(stock)]));
  return {
    me: t.me,
    state: t.state,
    current: t.current,
    legal: sorted(t.legal),
    players: [...t.players.values()].map((player) => ({
      cash: player.cash,
      barter: player.barter,
      worth: player.worth,
      race: player.race,
      at: player.space.name,
      used: t.hold(player).used,
      things: things(player.things),
    })),
    bases,
    homes: Object.fromEntries(t.homes),
    boxes: Object.fromEntries([...t.boxes].filter(([, box]) => box.contents).map(([name, box]) => [name, boxWords(box.contents)])),
  };
}

test("the mirror shows what core's view shows, on the way and told anew at the end", () => {
  let [compared, tolls] = [0, 0];
  for (const { name, text, wanted } of games) {
    const mirror = new Mirror();
    text
      .split("\n")
      .slice(0, -1)
      .forEach((line, n) => {
        const said = decode(line);
        mirror.take(said);
        // The server says what moving on or staying costs here; the page knows it of any space.
        if (said.name === "DESTINATION") {
          const { seat, destination } = mirror;
          assert.equal(mirror.toll(seat, mirror.at(seat.space)), destination.penalty, `${name}, line ${n + 1}: ${line}`);
          tolls += destination.penalty > 0;
        }
        if (wanted[0]?.lines !== n + 1) return;
        const { lines: _, ...rest } = wanted.shift();
        assert.deepEqual(known(mirror), rest, `${name}, line ${n + 1}`);
        compared += 1;
      });
    assert.equal(wanted.length, 0, name);
    assert.ok(mirror.isOver && mirror.winner !== null, name);
  }
  assert.ok(games.length === 6 && compared > 100 && tolls > 5, `${games.length} players, ${compared} views, ${tolls} tolls`);
});

test("lines come whole, however they are cut", () => {
  const { text } = games[0];
  const ends = [1, 7, text.length].map((piece) => {
    const mirror = new Mirror();
    const framer = new Framer();
    for (let at = 0; at < text.length; at += piece) framer.push(text.slice(at, at + piece), (said) => mirror.take(said));
    return known(mirror);
  });
  assert.deepEqual(ends[0], ends[1]);
  assert.deepEqual(ends[0], ends[2]);
});

test("fields come back as they were", () => {
  for (const field of ["", "a,b", "100 %", "%C", "%%C,", "ä", "%"]) {
    assert.deepEqual(decode(encode("ROOMTALK", field).trimEnd()), { name: "ROOMTALK", fields: [field] }, field);
  }
});
