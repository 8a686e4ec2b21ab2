// After all others: whatever a client can say in PIMP was said by the page, by a control that some test pressed.
// PARLOR_SAID names the file in which the other tests wrote down what they heard.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { entries } from "../../host/web/pimp/codec.js";

// No card of board 0 leads to this choice.
const never = ["CARD_SELECT_COLLECT", "CARD_SELECT_RETRY"];

test("the page has said everything that a client can say", () => {
  const said = new Set(readFileSync(process.env.PARLOR_SAID, "utf8").split("\n").filter(Boolean).map(Number));
  const silent = entries.filter((entry) => entry.sender === "C" && !said.has(entry.code)).map((entry) => entry.type);
  assert.deepEqual(silent, never);
});
