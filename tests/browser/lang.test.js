// The pages in German and in Hebrew: the browser's language is used, a person can choose another, nothing is left in English,
// and a few moves of every game go as they do in English. Boards and maps are not mirrored.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { audit, fits, phone } from "./eyes.js";
import { ready, until } from "./hands.js";
import { Server, person, scene, shot } from "./stage.js";

const web = fileURLToPath(new URL("../../host/web", import.meta.url));
const CALM = ["--claim-grace", "0", "--vote-pause", "0"];
const FOLDERS = ["lib", "front", "pimp", "yard", "venus"];

const read = (folder, language) => readFileSync(join(web, folder, `words.${language}.js`), "utf8");
const table = async (folder, language) => ({
  ...(await import(join(web, "lib", `words.${language}.js`))).words,
  ...(await import(join(web, folder, `words.${language}.js`))).words,
});
const wordsOf = (text) => text.toLowerCase().match(/\p{L}+/gu) ?? [];

// Names are the same everywhere: of games and people, of the galaxy's peoples and places, and the letters on signs.
const { cultureNames } = await import(join(web, "venus/names.js"));
const { spaces } = await import(join(web, "venus/map.js"));
const NAMES = [
  "parlor Monopoly Scotland Yard Merchant of Venus JavaScript ASCII Ann Bob bot bots shrewd lan http localhost table Ctrl Deutsch English עברית",
  ...Object.values(cultureNames),
  ...spaces.flatMap(({ name, port }) => [name.replace(/_/g, " "), port ?? ""]),
].flatMap(wordsOf);

// Every word that English has and the other language has not.
const englishOf = {};
const english = (language) => (englishOf[language] ??= onlyEnglish(language));

function onlyEnglish(language) {
  const own = new Set([...FOLDERS.flatMap((folder) => wordsOf(read(folder, language).replace(/^ *"[^"]*":/gm, ""))), ...NAMES]);
  const quoted = (text) => text.match(/"[^"\n]*"|`[^`]*`/g).join(" ").replace(/\$\{[^}]*\}/g, " ");
  return new Set(FOLDERS.flatMap((folder) => wordsOf(quoted(read(folder, "en")))).filter((word) => word.length > 2 && !own.has(word)));
}

// All that is seen or read aloud.
const told = (page) =>
  page.evaluate(() => {
    const said = [document.title, document.body.innerText];
    for (const node of document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [aria-valuetext]"))
      for (const name of ["aria-label", "title", "placeholder", "alt", "aria-valuetext"]) said.push(node.getAttribute(name) ?? "");
    for (const text of document.querySelectorAll("svg text, svg title, .hidden-text")) said.push(text.textContent);
    return said.join("\n");
  });

async function isAll(page, language, what) {
  const text = (await told(page)).replace(/https?:\S+|\b[A-Z]{1,3}\b/g, " ");
  // In Hebrew every Latin word is a stranger; in German those that only English has.
  const strange = language === "he" ? /^[a-z]{2,}$/ : null;
  const left = english(language);
  const found = wordsOf(text).filter((word) => (strange ? strange.test(word) && !NAMES.includes(word) : left.has(word)));
  assert.deepEqual([...new Set(found)], [], `${what}: ${text.slice(0, 300)}`);
  const { lang, dir } = await page.evaluate(() => document.documentElement);
  assert.deepEqual([await page.evaluate(() => document.documentElement.lang), await page.evaluate(() => document.documentElement.dir)], [language, language === "he" ? "rtl" : "ltr"], `${lang} ${dir}`);
}

// A few moves by whatever is offered; what is read in between is all in one language.
async function play(page, language, what, moves, press) {
  for (let n = 0; n < moves; n++) {
    await press();
    await isAll(page, language, `${what}, move ${n}`);
  }
  await audit(page, `${what} ${language}`);
  await shot(page, `lang-${language}-${what}`);
}

for (const [language, locale] of [
  ["de", "de-AT"],
  ["he", "he-IL"],
]) {
  scene(`${language}: the front door, and a choice that lasts`, async () => {
    const server = await Server.start(...CALM);
    const page = await person({ locale });
    const words = await table("front", language);
    // Whoever has no script reads it, too.
    const html = await (await fetch(server.url, { headers: { "Accept-Language": locale } })).text();
    if (!process.env.PARLOR_WEB) assert.match(html, new RegExp(`<html lang="${language}" dir="${words.dir}"[^]*${words.opening}`));
    const loaded = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(server.url);
    await page.getByRole("heading", { name: words.friendsHere }).waitFor();
    await page.getByText((await table("pimp", language)).about).waitFor();
    for (const rules of await page.locator("details.house summary").all()) await rules.click();
    await until(page, () => document.querySelectorAll("details.house dt").length > 20);
    await isAll(page, language, "front");
    assert.deepEqual(loaded.filter((url) => /words\.\w+\.js/.test(url) && !url.includes(`words.${language}.js`)), []);
    await audit(page, "front");
    await shot(page, `lang-${language}-front`);

    // English, by choice: kept, here and in a game's page, and given back.
    const choose = (of, code) => page.locator("label.setting").filter({ hasText: of.language }).locator("select").selectOption(code);
    const now = await table("front", "en");
    await choose(words, "en");
    await page.getByRole("heading", { name: now.friendsHere }).waitFor();
    await page.goto(`${server.url}/yard`);
    await page.getByRole("heading", { name: now.whoAreYou }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dir), "ltr");
    await page.goto(server.url);
    await choose(now, "");
    await page.getByRole("heading", { name: words.friendsHere }).waitFor();
  });

  scene(`${language}: a few moves of every game`, async () => {
    const server = await Server.start(...CALM);
    const page = await person({ locale });
    await page.goto(server.url);
    await page.getByLabel((await table("front", language)).nameForAll).fill("Ann");

    const pimp = await table("pimp", language);
    await page.getByRole("link", { name: pimp.title }).first().click();
    const primary = page.locator(".actions button.primary:not(:disabled)").first();
    await page.getByRole("button", { name: pimp.throwDice }).waitFor();
    await isAll(page, language, "pimp");
    // The board begins at the same corner as ever, and goes round the same way.
    const corners = await page.evaluate(() => [0, 10, 20].map((n) => document.querySelector(`[data-square="${n}"] rect`).getBoundingClientRect()));
    assert.ok(corners[0].x > corners[1].x && corners[2].y < corners[1].y, JSON.stringify(corners));
    const lines = page.locator(".log button");
    await play(page, language, "pimp", 4, async () => {
      await ready(primary);
      const before = await lines.count();
      await primary.click();
      // What was asked stands there until the server has answered.
      await lines.nth(before).waitFor({ state: "attached" });
    });
    for (const tab of ["mine", "deals", "log"]) {
      await page.locator(`.tab-${tab}`).evaluate((one) => one.click());
      await isAll(page, language, `pimp ${tab}`);
    }
    await page.getByRole("button", { name: pimp.menu, exact: true }).click();
    await isAll(page, language, "pimp menu");
    await audit(page, "pimp menu");
    await shot(page, `lang-${language}-pimp-menu`);
    await page.getByRole("button", { name: pimp.close, exact: true }).click();
    await page.locator('[data-square="1"]').click();
    await isAll(page, language, "pimp deed");
    await shot(page, `lang-${language}-pimp-deed`);

    const yard = await table("yard", language);
    await page.goto(server.url);
    await page.getByRole("link", { name: yard.title }).first().click();
    await page.locator(".stations button").first().waitFor();
    // The bots think as they like: Mr. X may be caught before he has moved twice, which is told in the same language.
    const over = page.locator(".actions input[type=range]");
    await play(page, language, "yard", 2, async () => {
      const station = page.locator(".stations button:not(:disabled)").first();
      await station.or(over).first().waitFor();
      if (await over.isVisible()) return;
      await ready(station);
      await station.click();
      const ticket = page.locator(".choice .ticket").first();
      await ready(ticket);
      await isAll(page, language, "yard ticket");
      await ticket.click();
      await page.locator(".status.mine").or(over).first().waitFor();
    });

    const venus = await table("venus", language);
    await page.goto(server.url);
    await page.getByRole("link", { name: venus.title }).first().click();
    await page.locator(".board-place svg").first().waitFor();
    await play(page, language, "venus", 6, async () => {
      const next = page.locator(".actions button.primary:not(:disabled), .actions .step-button, .actions .row .die").first();
      await ready(next);
      await next.click();
    });
    await page.locator(".tab-cultures").evaluate((one) => one.click());
    for (const culture of (await page.locator("details.culture summary").all()).slice(0, 15)) await culture.evaluate((one) => one.click());
    await isAll(page, language, "venus cultures");
  });

  scene(`${language}: on a phone`, async () => {
    const server = await Server.start(...CALM);
    const page = await person({ ...phone, locale });
    await page.goto(server.url);
    await page.getByLabel((await table("front", language)).nameForAll).fill("Ann");
    await fits(page, "front");
    await shot(page, `lang-${language}-phone-front`);
    for (const game of ["pimp", "yard", "venus"]) {
      await page.goto(`${server.url}/${game}?bots=2&way=play`);
      await page.locator(".actions button:not(:disabled)").first().waitFor();
      await fits(page, game);
      await shot(page, `lang-${language}-phone-${game}`);
      await page.goto(`${server.url}/${game}`);
      await page.locator("#main .hero, #main h1").first().waitFor();
      await fits(page, `${game} lobby`);
    }
  });
}

scene("where a name is too long for a room, whole letters of it give way, and nothing that is said of it", async () => {
  const server = await Server.start();
  for (const [locale, name, room] of [
    ["en", "Wolfeschlegelsteinha", "Wolfeschlegelstei's game"],
    ["de", "abc😀😀😀", "Spiel von abc😀😀"],
  ]) {
    const page = await person({ locale });
    await page.goto(`${server.url}/venus`);
    await page.locator("input[name=name]").fill(name);
    await page.locator(".door .primary").click();
    assert.equal(await page.locator("input[name=table]").inputValue(), room);
  }
});
