// The language of the page: what was chosen here before, else the first of the browser's languages that the server has. All
// words stand in one table a language and folder, `words.LANGUAGE.js`; only those of the language in use are loaded.

import { settings } from "./store.js";

const root = globalThis.document?.documentElement;

// Those that the server has, the first for everybody who reads none of them.
export const languages = root?.dataset.languages?.split(" ") ?? ["en"];

const wanted = root ? [settings.language, ...navigator.languages] : [];

export const language =
  wanted.map((tag) => tag.split("-")[0].toLowerCase()).find((tag) => languages.includes(tag)) ?? languages[0];

export const lang = (await import(`./words.${language}.js`)).words;

if (root) Object.assign(root, { lang: language, dir: lang.dir });
