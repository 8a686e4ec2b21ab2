// What a person with other eyes or fingers would notice, for the tests: faults of accessibility, things too small or too wide.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { shot } from "./stage.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function audit(page, what) {
  // Half a megabyte of it: once a document.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const grave = violations.filter((found) => ["serious", "critical"].includes(found.impact));
  const told = grave.map(
    (found) =>
      `${found.id}: ${found.nodes
        .slice(0, 3)
        .map((node) => `${node.target} ${node.failureSummary}`)
        .join(" | ")}`,
  );
  assert.deepEqual(told, [], what);
}

// A page in light and in dark: looked at, and kept as a picture.
export async function eachColour(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await audit(page, `${name} ${colorScheme}`);
    await shot(page, `${name}-${colorScheme}`);
  }
}

// Nothing is wider than the screen, and whatever a finger presses is big enough. The squares of the board are not counted:
// what they show stands in the lists too.
export async function fits(page, what) {
  const small = await page.evaluate(() => {
    const ends = [...document.querySelectorAll("dialog")].map((one) => one.scrollWidth - one.clientWidth);
    const wide = Math.max(document.documentElement.scrollWidth - innerWidth, ...ends);
    const tiny = [...document.querySelectorAll("button, a.button, input, select, summary")].filter((node) => {
      const box = (node.closest("label") ?? node).getBoundingClientRect();
      return box.width > 0 && node.checkVisibility() && (box.height < 43.5 || box.width < 43.5);
    });
    return [wide > 0 ? [`${wide} px too wide`] : [], tiny.map((node) => node.outerHTML.slice(0, 120))].flat();
  });
  assert.deepEqual(small, [], what);
}

export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
