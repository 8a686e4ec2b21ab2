// A deed: what it costs, whose it is, and what its owner can do with it.

import { dialog } from "../lib/dialog.js";
import { h } from "../lib/dom.js";
import { act, reason } from "../lib/fields.js";
import { DEEDS, SQUARES } from "./facts.js";
import { level } from "./mirror.js";
import * as may from "./choices.js";
import { deedTag } from "./deals.js";
import { lang } from "./lang.js";
import { buildings } from "./pieces.js";
import { deedName, dollars, person, squareName } from "./words.js";

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
          "aria-label": lang.buildOn(name),
        }),
        act(`− ${dollars(Math.floor(may.houseCost(deed) / 2))}`, sell, () => move(false), {
          "data-again": true,
          "aria-label": lang.sellOf(name),
        }),
      ],
      now > 0 &&
        h("button", { onclick: raze, "aria-label": lang.sellAllOf(name) }, lang.sellGroup),
      holding.mortgaged &&
        act(
          lang.freeIt(may.unmortgageCost(deed)),
          free,
          say(session, "UNMORTGAGE_PROPERTY", { property: deed }),
          { "aria-label": lang.freeOf(name) },
        ),
      isBare &&
        !holding.mortgaged &&
        act(
          lang.mortgageFor(may.mortgageValue(deed)),
          mortgage,
          say(session, "MORTGAGE_PROPERTY", { property: deed }),
          { "aria-label": lang.mortgageOf(name) },
        ),
    ),
    reason(holding.mortgaged ? free : isWhole && now < 5 && build ? build : now > 0 ? sell : ""),
  ];
}

function rents(deed) {
  const [, group, , , table] = DEEDS[deed];
  if (group === 8)
    return [25, 50, 100, 200].map((rent, n) => [lang.railroads(n + 1), dollars(rent)]);
  if (group === 9)
    return [
      [lang.utilities[0], lang.timesThrow(4)],
      [lang.utilities[1], lang.timesThrow(10)],
    ];
  return [
    ...lang.rents.map((text, n) => [text, dollars(table[n])]),
    [lang.wholeBare, dollars(table[0] * 2)],
    [lang.aHouseCosts, dollars(may.houseCost(deed))],
  ];
}

let shown = null;

export function deedDialog(session, deed) {
  const t = () => session.mirror;
  shown = dialog(deedName(deed), () => {
    const holding = t().deeds[deed];
    const [, group, price] = DEEDS[deed];
    return [
      h("div", { class: `deedhead g${group}` }, deedTag(deed), lang.groups[group]),
      h(
        "p",
        {},
        holding.owner
          ? lang.ownedBy(person(t(), holding.owner), holding.mortgaged)
          : lang.forSaleNow(price),
        " ",
        buildings(level(holding)),
      ),
      h(
        "table",
        {},
        h("caption", {}, lang.costToLand),
        h(
          "tbody",
          {},
          rents(deed).map(([text, sum]) => h("tr", { key: text }, h("th", { scope: "row" }, text), h("td", {}, sum))),
        ),
        h(
          "tbody",
          {},
          h("tr", {}, h("th", { scope: "row" }, lang.mortgage), h("td", {}, dollars(may.mortgageValue(deed)))),
        ),
      ),
      holding.owner === t().me && t().isPlaying && works(session, deed),
    ];
  });
}

export function squareDialog(session, square) {
  const [kind, , deed] = SQUARES[square];
  if (deed !== undefined) return deedDialog(session, deed);
  dialog(squareName(square), () => h("p", {}, lang.explain[kind]));
}

// An open dialog follows the table.
export const followDialog = () => shown?.isOpen && shown.draw();
