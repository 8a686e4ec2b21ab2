// What Monopoly's page offers, by the mirror alone: nothing that a debt blocks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FINISHED, Mirror } from "../../host/web/pimp/mirror.js";

globalThis.addEventListener ??= () => {};
const { agreeRefusal, buildRefusal, buyRefusal, payRefusal } = await import("../../host/web/pimp/choices.js");

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

test("of two debts the younger one is not paid by who could not pay the older one any more", () => {
  const t = owing(300, 640);
  const younger = { id: 8, kind: "rent", other: 2, creditor: 2, amount: 36 };
  t.deals.set(8, younger);
  assert.equal(payRefusal(t, younger), "Settle deal 7 first.");
  // The older one does not look at the younger one; and 39 less leave enough for it.
  t.deals.get(7).amount = 300;
  assert.equal(payRefusal(t, t.deals.get(7)), "");
  t.deals.get(7).amount = 639;
  assert.equal(payRefusal(t, younger), "");
  assert.match(payRefusal(t, t.deals.get(7)), /raise \$339 more/);
});

test("who owes agrees to no deal that leaves too little, and gives nothing away", () => {
  const side = (cash, deeds = [], step = FINISHED) => ({ cash, deeds: new Set(deeds), cards: new Set(), step });
  const agree = (amount, mine, theirs) => {
    const t = owing(300, amount);
    t.deeds[0].mortgaged = true;
    return agreeRefusal(t, { id: 9, kind: "trade", other: 2, creditor: 0, mine, theirs });
  };
  const first = "Settle deal 7 first.";
  assert.equal(agree(575, side(100), side(0)), "");
  assert.equal(agree(576, side(100), side(0)), first);
  assert.equal(agree(675, side(0, [27]), side(200)), "");
  assert.equal(agree(676, side(0, [27]), side(1000)), first);
  assert.equal(agree(676, side(0), side(1)), "");
  // The bank takes a tenth of a mortgage of 30 from who gets it.
  assert.equal(agree(672, side(0), side(0, [0])), "");
  assert.equal(agree(673, side(0), side(0, [0])), first);
});

test("a small debt is no way to give away what a dear one needs", () => {
  const side = (cash, deeds = [], step = FINISHED) => ({ cash, deeds: new Set(deeds), cards: new Set(), step });
  const agree = (mine) => {
    const t = owing(300, 2000);
    const small = { id: 6, kind: "rent", other: 3, creditor: 3, amount: 4, mine, theirs: side(0) };
    t.deals.set(6, small);
    return agreeRefusal(t, small);
  };
  assert.equal(agree(side(4)), "");
  for (const more of [side(300), side(4, [27])]) assert.equal(agree(more), "Settle deal 7 first.");
});
