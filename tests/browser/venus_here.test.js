// "What can I do here?" in whole games of bots: what it says is what the server announces, offers and pays.
// PARLOR_TRANSCRIPTS names the file that `cargo run -p parlor-tests --bin transcripts` wrote.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../../host/web/venus/lines.js";
import { Mirror } from "../../host/web/venus/mirror.js";

// The page's elements are described here, and never made.
globalThis.addEventListener ??= () => {};
const { hereWords } = await import("../../host/web/venus/here.js");

const games = readFileSync(process.env.PARLOR_TRANSCRIPTS, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"))
  .filter(([kind]) => kind === "venus")
  .map(([, name, hex]) => ({ name, lines: Buffer.from(hex, "hex").toString().split("\n").slice(0, -1) }));

const has = (said, text) => said.some((sentence) => text.test(sentence));

// By state: what must hold of the sentences, and what of them is counted.
const CHECKS = {
  SelectMove(t, said) {
    assert.equal(has(said, /^You may (stay|stop): /), t.may("ENDMOVE"), "stopping");
    assert.equal(has(said, /^Moving on costs/), !t.destination.isFirst && t.destination.penalty > 0, "a penalty");
    assert.equal(has(said, /^Name your first step: then \d dice/), t.points === null, "the dice");
  },
  TradePhase(t, said) {
    assert.equal(has(said, /^Redeem their IOU/), t.may("REDEEMIOU"), "an IOU");
    if (!t.may("SELL")) assert.ok(!has(said, /^Sell /), "a sale that is not left");
    if (!t.may("BUY")) assert.ok(!has(said, /^Buy /), "a purchase that is not left");
  },
  AsteroidPhase: (t, said) => assert.ok(has(said, /your turn is over/), "a relic"),
  TechSelect: (t, said) => assert.ok(has(said, /what is on/), "switches"),
  Mulligan: (t, said) => assert.ok(has(said, /one die again/), "a die"),
  SelectPilotNumber: (t, said) => assert.ok(has(said, /choose one/), "a number"),
};

test("what is said is what is announced, and what is sold is paid as was said", () => {
  const seen = new Map();
  let sold = 0;
  for (const { name, lines } of games) {
    const t = new Mirror();
    let said = [];
    let cash = 0;
    for (const [n, line] of lines.entries()) {
      const event = decode(line);
      // A good that leaves the hold in trade brings what was said of it.
      if (event.name === "SUBTRACTFROMPLAYER" && t.isMyTurn && t.state === "TradePhase" && Number(event.fields[0]) === t.me) {
        const [good, kind] = event.fields[1].split("|");
        const sentence = kind === "good" && said.find((text) => text.startsWith(`Sell ${good} for $`));
        const money = lines.slice(n).map(decode).find((next) => next.name === "PLAYERMONEY" && next.fields[0] === event.fields[0]);
        if (sentence) {
          assert.equal(Number(sentence.match(/for \$(\d+)/)[1]), Number(money.fields[1]) - cash, `${name}: ${sentence}`);
          sold += 1;
        }
      }
      t.take(event);
      if (event.name === "NEWSTATE" || event.name === "LEGALACTION") {
        if (lines[n + 1]?.startsWith("LEGALACTION,") || !t.isStarted || t.isOver) continue;
        cash = t.seat?.cash ?? 0;
        said = hereWords(t);
        assert.ok(said.length >= 2 && !has(said, /undefined|null|NaN/), `${name}, line ${n + 1}: ${said}`);
        if (!t.isMyTurn) assert.ok(has(said, /^It is the turn of /), name);
        else CHECKS[t.state](t, said);
        if (t.isMyTurn) seen.set(t.state, (seen.get(t.state) ?? 0) + 1);
      }
    }
  }
  console.log(`# ${sold} sales, asked in ${JSON.stringify(Object.fromEntries(seen))}`);
  assert.ok(sold > 50 && seen.get("SelectMove") > 200 && seen.get("TradePhase") > 100);
});
