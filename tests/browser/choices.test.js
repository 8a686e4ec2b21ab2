// What Monopoly's page offers, by the mirror alone: nothing that a debt blocks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Mirror } from "../../host/web/pimp/mirror.js";

globalThis.addEventListener ??= () => {};
const { buildRefusal, buyRefusal } = await import("../../host/web/pimp/choices.js");

// Whoever has this cash, the dark blue group, and owes so much; it is their turn.
function owing(cash, amount, kind = "rent") {
  const t = new Mirror();
  t.me = 1;
  t.users.set(1, { id: 1, cash, playing: true });
  for (const deed of [26, 27]) t.deeds[deed].owner = 1;
  t.prompt = { kind: "start", player: 1, mayThrow: true };
  t.deals.set(7, { id: 7, kind, other: 2, creditor: 2, amount });
  return t;
}

test("who could not pay a debt any more is not offered to buy or to build", () => {
  // 300 in cash, 175 and 200 on mortgages. A lot for 200 costs 100 of that, a house for 200 as much.
  assert.equal(owing(300, 575).worth(1), 675);
  for (const refusal of [(t) => buyRefusal(t, 13, 200), (t) => buildRefusal(t, 27)]) {
    assert.equal(refusal(owing(300, 575)), "");
    assert.equal(refusal(owing(300, 576)), "Settle deal 7 first.");
    assert.equal(refusal(owing(300, 576, "jail")), "");
  }
  assert.match(buyRefusal(owing(199, 1), 13, 200), /\$199/);
});
