// The star map of the page against core's board: every space, every way in both directions, every system.
// PARLOR_TRANSCRIPTS names the file that `cargo run -p parlor-tests --bin transcripts` wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { links, spaces, systems } from "../../host/web/venus/map.js";

const lines = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
  .split("\n")
  .map((line) => line.split("\t"));
const rows = (kind) => lines.filter(([first]) => first === kind).map(([, ...rest]) => rest);

const cap = (word) => word[0].toUpperCase() + word.slice(1);

function kind({ kind: what, colour, sum }) {
  switch (what) {
    case "dot":
      return `Dot(${cap(colour)})`;
    case "penalty":
      return `Penalty(${cap(colour)}, ${sum})`;
    case "asteroid":
      return "Asteroid";
    case "box":
      return "Qbox";
    case "city":
      return "City";
    case "spacecity":
      return "SpaceCity";
  }
  return what;
}

const LIVES = { world: "Some(Culture)", home: "Some(Base)", star: "Some(Nobody)" };

test("every space is what it is in core, and in its system", () => {
  const wanted = rows("space");
  assert.equal(wanted.length, 268);
  assert.deepEqual(
    spaces.map((space) => [space.name, kind(space), String(space.isCircle), String(space.port !== undefined)]),
    wanted.map((row) => row.slice(0, 4)),
  );
  for (const [n, [name, , , , system, lives]] of wanted.entries()) {
    const own = spaces[n].system;
    if (own) assert.deepEqual([own.name, LIVES[own.kind]], [system, lives], name);
    else assert.deepEqual(["", "None"], [system, lives], name);
  }
  assert.equal([...systems.values()].filter((system) => system.kind === "world").length, 14);
});

test("every way leads where it leads in core, with the same pilot numbers", () => {
  const mine = links.flatMap(({ from, to, isFly, there, back }) => {
    const how = isFly ? "fly" : "walk";
    return [
      [from.name, to.name, how, there],
      [to.name, from.name, how, back],
    ];
  });
  const sorted = (list) => list.map((row) => row.join(" > ")).sort();
  assert.deepEqual(sorted(mine), sorted(rows("way")));
});
