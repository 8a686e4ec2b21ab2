// A deed: what it costs, whose it is, and what its owner can do with it.

import { dialog } from "../lib/dialog.js";
import { h } from "../lib/dom.js";
import { act, reason } from "../lib/fields.js";
import { DEEDS, GROUPS, INCOME_TAX, SALARY, SQUARES } from "./facts.js";
import { level } from "./mirror.js";
import * as may from "./choices.js";
import { deedTag } from "./deals.js";
import { buildings } from "./pieces.js";
import { deedName, dollars, who } from "./words.js";

const say = (session, type, fields) => () => session.send(type, fields);

// Build, sell, mortgage: each where it makes sense, with the reason where it can't be done now.
export function works(session, deed) {
  const t = session.mirror;
  const holding = t.deeds[deed];
  const street = may.houseCost(deed) > 0;
  const build = may.buildRefusal(t, deed);
  const sell = may.sellRefusal(t, deed);
  const move = (up) => session.send("PURCHASE_HOUSES", { lots: [may.buildingStep(t, deed, up)] });
  const raze = () => session.send("PURCHASE_HOUSES", { lots: may.clearGroup(t, deed) });
  const now = level(holding);
  const group = DEEDS[deed][1];
  const isWhole = street && t.groupOwner(group) === t.me;
  const isBare = Math.max(...t.groupLevels(group)) === 0;
  const mortgage = may.mortgageRefusal(t, deed);
  const free = may.unmortgageRefusal(t, deed);
  const cost = dollars(may.houseCost(deed));
  const name = deedName(deed);
  return [
    h(
      "div",
      { class: "row small" },
      // Both keep their places, whatever is built: + is never where − was.
      isWhole && [
        act(`+ ${cost}`, build, () => move(true), {
          "data-again": true,
          "aria-label": `Build on ${name}`,
        }),
        act(`− ${dollars(Math.floor(may.houseCost(deed) / 2))}`, sell, () => move(false), {
          "data-again": true,
          "aria-label": `Sell a building of ${name}`,
        }),
      ],
      now > 0 &&
        h("button", { onclick: raze, "aria-label": `Sell all buildings of the group of ${name}` }, "Sell group"),
      holding.mortgaged &&
        act(
          `Free it ${dollars(may.unmortgageCost(deed))}`,
          free,
          say(session, "UNMORTGAGE_PROPERTY", { property: deed }),
          { "aria-label": `Free ${name} of its mortgage` },
        ),
      isBare &&
        !holding.mortgaged &&
        act(
          `Mortgage +${dollars(may.mortgageValue(deed))}`,
          mortgage,
          say(session, "MORTGAGE_PROPERTY", { property: deed }),
          { "aria-label": `Mortgage ${name}` },
        ),
    ),
    reason(holding.mortgaged ? free : isWhole && now < 5 && build ? build : now > 0 ? sell : ""),
  ];
}

const RENTS = ["Rent", "with 1 house", "with 2 houses", "with 3 houses", "with 4 houses", "with a hotel"];

function rents(deed) {
  const [, group, , , table] = DEEDS[deed];
  if (group === 8)
    return [25, 50, 100, 200].map((rent, n) => [`${n + 1} railroad${n ? "s" : ""} owned`, dollars(rent)]);
  if (group === 9)
    return [
      ["1 utility owned", "4 × the throw"],
      ["2 utilities owned", "10 × the throw"],
    ];
  return [
    ...RENTS.map((text, n) => [text, dollars(table[n])]),
    ["the whole group, bare", dollars(table[0] * 2)],
    ["a house costs", dollars(may.houseCost(deed))],
  ];
}

let shown = null;

export function deedDialog(session, deed) {
  const t = () => session.mirror;
  shown = dialog(deedName(deed), () => {
    const holding = t().deeds[deed];
    const [, group, price] = DEEDS[deed];
    return [
      h("div", { class: `deedhead g${group}` }, deedTag(deed), GROUPS[group][0]),
      h(
        "p",
        {},
        holding.owner
          ? `Owned by ${who(t(), holding.owner)}${holding.mortgaged ? ", mortgaged" : ""}.`
          : `For sale: ${dollars(price)}.`,
        " ",
        buildings(level(holding)),
      ),
      h(
        "table",
        {},
        h("caption", {}, "What it costs to land here"),
        h(
          "tbody",
          {},
          rents(deed).map(([text, sum]) => h("tr", { key: text }, h("th", { scope: "row" }, text), h("td", {}, sum))),
        ),
        h(
          "tbody",
          {},
          h("tr", {}, h("th", { scope: "row" }, "mortgage"), h("td", {}, dollars(may.mortgageValue(deed)))),
        ),
      ),
      holding.owner === t().me && t().isPlaying && works(session, deed),
    ];
  });
}

const EXPLAIN = {
  go: `Pass or land here: claim a salary of ${dollars(SALARY)}.`,
  chance: "Draw a Chance card.",
  chest: "Draw a Community Chest card.",
  income: `Pay ${dollars(INCOME_TAX)}, or a tenth of all you have.`,
  luxury: "Pay $75.",
  jail: "Just visiting, or behind bars.",
  parking: "Whoever lands here takes the pot.",
  arrest: "Go to jail. Do not claim a salary.",
};

export function squareDialog(session, square) {
  const [kind, name, deed] = SQUARES[square];
  if (deed !== undefined) return deedDialog(session, deed);
  dialog(name, () => h("p", {}, EXPLAIN[kind]));
}

// An open dialog follows the table.
export const followDialog = () => shown?.isOpen && shown.draw();
