// The words of the pages stand in one table a language and folder: each table has the same keys, each key is used, and no
// page has a word of its own.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../../host/web", import.meta.url));
// All but those that speak the language of their readers, as Echo does, the example of the smallest page.
const FOLDERS = readdirSync(web).filter((folder) => existsSync(join(web, folder, "words.en.js")));
const LANGUAGES = readdirSync(join(web, "lib")).flatMap((file) => file.match(/^words\.(\w+)\.js$/)?.[1] ?? []);
// Made from core's tables, which are the wire's.
const MADE = ["facts.js", "wire.js", "map.js", "names.js"];

const tables = new Map();
for (const folder of FOLDERS)
  for (const language of LANGUAGES)
    tables.set(`${folder} ${language}`, (await import(join(web, folder, `words.${language}.js`))).words);
const table = (folder, language) => tables.get(`${folder} ${language}`);
const sources = (folder, ending) =>
  readdirSync(join(web, folder))
    .filter((file) => file.endsWith(ending) && !/^(words|rules)\.\w+\.js$/.test(file))
    .map((file) => [file, readFileSync(join(web, folder, file), "utf8")]);

// Every key with what it is: "lines.WELCOME_BACK function 0".
function keys(value, path = []) {
  if (Array.isArray(value)) return [`${path.join(".")} list of ${value.length}`];
  if (typeof value !== "object") return [`${path.join(".")} ${typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => keys(inner, [...path, key]));
}

function texts(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

test("there are English, German and a language from right to left", async () => {
  assert.deepEqual(LANGUAGES.sort(), ["de", "en", "he"]);
  assert.deepEqual(await Promise.all(LANGUAGES.map(async (one) => (await table("lib", one)).dir)), ["ltr", "ltr", "rtl"]);
});

for (const folder of FOLDERS) {
  test(`${folder}: every language has the same words`, async () => {
    const english = keys(await table(folder, "en"));
    for (const language of LANGUAGES) {
      const words = await table(folder, language);
      assert.deepEqual(keys(words).sort(), english.toSorted(), language);
      const blank = Object.entries(words).filter(([, text]) => text === "");
      assert.deepEqual(blank, [], language);
    }
  });

  test(`${folder}: no sentence was left in English`, async () => {
    const english = new Set(texts(await table(folder, "en")).filter((text) => /[a-z]{2,}.* [a-z]{2,}/.test(text)));
    for (const language of LANGUAGES.filter((one) => one !== "en")) {
      const same = texts(await table(folder, language)).filter((text) => english.has(text));
      assert.deepEqual(same, [folder === "venus" && "Merchant of Venus", folder === "yard" && "Scotland Yard"].filter(
        (title) => title && english.has(title),
      ), language);
    }
  });

  test(`${folder}: every word is used, and every word that is used is there`, async () => {
    const shared = await table("lib", "en");
    const own = await table(folder, "en");
    if (folder !== "lib") assert.deepEqual(Object.keys(own).filter((key) => key in shared), [], "in two tables");
    const readers = folder === "lib" ? FOLDERS : [folder];
    const code = readers.flatMap((one) => sources(one, ".js")).map(([, text]) => text).join("\n");
    const html = readers.flatMap((one) => sources(one, ".html")).map(([, text]) => text).join("\n");
    const uses = (text) => new RegExp(`\\blang\\.${text}\\b`).test(code) || html.includes(`{${text}}`);
    const taken = [...code.matchAll(/const \{([^}]*)\} = lang;/g)].flatMap(([, names]) => names.match(/\w+/g));
    assert.deepEqual(Object.keys(own).filter((key) => !uses(key) && !taken.includes(key)), [], "unused");
    const all = { ...shared, ...own };
    const wanted = [...sources(folder, ".js").map(([, text]) => text).join("\n").matchAll(/\blang\.(?!js\b)(\w+)/g)];
    const page = sources(folder, ".html").flatMap(([, text]) => [...text.matchAll(/\{(\w+)\}/g)]);
    assert.deepEqual([...wanted, ...page].map(([, key]) => key).filter((key) => !(key in all) && !/^languages?$/.test(key)), [], "missing");
    // Tables within the table: by a name, unless they are asked by what the server says.
    for (const [key, inner] of Object.entries(own)) {
      if (Array.isArray(inner) || typeof inner !== "object") continue;
      const isAsked = new RegExp(`lang\\.${key}(\\[|\\))|(told|lines)\\[`).test(code);
      const unused = Object.keys(inner).filter((name) => !new RegExp(`\\b(${key}|told|titles|lines)\\.${name}\\b`).test(code));
      if (!isAsked) assert.deepEqual(unused, [], key);
    }
  });

  test(`${folder}: no page has a word of its own`, () => {
    const found = sources(folder, ".js")
      .filter(([file]) => !MADE.includes(file))
      .flatMap(([file, text]) => literals(text).filter(isVisible).map((literal) => `${file}: ${literal.text}`));
    assert.deepEqual(found, []);
    for (const [file, text] of sources(folder, ".html")) {
      const body = text.replace(/<(script|style)[^]*?<\/\1>/g, "").replace(/<[^>]*>/g, "");
      assert.doesNotMatch(body.replace(/\{\w+\}|–/g, ""), /\p{L}/u, file);
      const said = [...text.matchAll(/\b(?:name="description"\s+content|title|alt|aria-label)="([^"]*)"/g)];
      for (const [, value] of said) assert.match(value, /^\{\w+\}$/, file);
    }
  });
}

test("house rules have the same names in every language, and the galaxy's names too", async () => {
  const others = LANGUAGES.filter((one) => one !== "en");
  for (const folder of ["pimp", "yard", "venus"]) {
    const rules = await Promise.all(others.map(async (one) => (await import(join(web, folder, `rules.${one}.js`))).rules));
    for (const one of rules) assert.deepEqual(Object.keys(one).sort(), Object.keys(rules[0]).sort(), folder);
  }
  const { systems } = await import(join(web, "venus/map.js"));
  const told = await Promise.all(others.map(async (one) => (await import(join(web, "venus", `words.${one}.js`))).server));
  for (const one of told) {
    assert.deepEqual(Object.keys(one).sort(), Object.keys(told[0]).sort());
    assert.deepEqual([...systems.keys()].filter((name) => !(name in one)), []);
  }
});

// --- what a file says ----------------------------------------------------------------------------------------------------------

// Every text in quotes or backticks, with what stands before it on its line.
function literals(text) {
  const found = [];
  const open = [];
  const pattern = /\/\/[^\n]*|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[`{}]|\$\{/g;
  for (let at = 0, match; (pattern.lastIndex = at), (match = pattern.exec(text)); ) {
    const [token] = match;
    at = match.index + token.length;
    const before = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index);
    if (token[0] === "/" && token[1] !== "/" && /[\w)\]]\s*$/.test(before)) at = match.index + 1;
    else if (token[0] === '"' || token[0] === "'") found.push({ text: token.slice(1, -1), before });
    else if (token === "{") open.push("{");
    else if (token === "}" && open.pop() !== "`") continue;
    else if (token === "}" || token === "`") at = template(text, at, before, open, found);
  }
  return found;
}

// The part of a template up to its end, or to the next expression in it.
function template(text, from, before, open, found) {
  let at = from;
  while (at < text.length && text[at] !== "`" && !text.startsWith("${", at)) at += text[at] === "\\" ? 2 : 1;
  found.push({ text: text.slice(from, at), before });
  if (text[at] === "`") return at + 1;
  open.push("`");
  return at + 2;
}

// What keys of a keyboard, storage, the browser and the server are called.
const CALLED = /^(Arrow\w+|Enter|Escape|Home|End|GET|POST|Bearer |Accept-Language|Authorization|Notification|parlor --lan|Great Hall|MerchantOfVenus)$/;
const WIRE = [/^ (caught|at) $/, / was not caught and is at $/, /^Mr\. X$/, /^Detectives$/, /^(True|False)$/, /Starting up\.|In Progress\.|Complete\./];
const WIRED = [/^(Red|Yellow|Green|Blue|Black)$/, /^(Telegate|Station|Penalty|Asteroid ?)$/, /^(in|not) |^(no such game|wrong password)$/, /^(Switch Switch|InitialState|ValidateSetup|TechSelect|SelectMove|Mulligan|SelectPilotNumber|TradePhase|AsteroidPhase|TerminalState|Space Station Planet|Asteroid System)$/];
const NOT_SAID = /(class|className|d|viewBox|transform|style|type|role|name|id|for|key|autocomplete|points|href|src|import|from)\b[^,"'`]*$|(querySelector(All)?|matches|closest|matchMedia|setAttribute|getElementById|createElement|find)\($/;

function isVisible({ text, before }) {
  const words = text.replace(/&\w+;|<[^>]*>?|\\n|\b[a-z]*[#.][\w-]+/g, " ");
  if (CALLED.test(text) || WIRE.some((one) => one.test(text)) || WIRED.some((one) => one.test(text))) return false;
  if (NOT_SAID.test(before)) return false;
  if (/[^\x00-\x7f]/.test(words) && /[a-z]{3,}/.test(words)) return true;
  const isSentence = /(^|[\s(“])[A-Z][a-z]+/.test(words);
  const hasSmallWords = /(^|\s)(the|an?|is|are|of|to|you|your|for|with|not|no|and|at|by|it|yet|left|was|were|has|have|can|who)\s/.test(words);
  // A word that stands where h() has its children.
  const isChild = /\},\s*$/.test(before) && /^[^-]*[A-Za-z]{2,}/.test(words) && /\b(h|s)\("/.test(before);
  return isSentence || hasSmallWords || isChild;
}
