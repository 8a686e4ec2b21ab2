// The words of this folder, and those that all share.

import { lang as shared, language } from "../lib/lang.js";

export const lang = { ...shared, ...(await import(`./words.${language}.js`)).words };
