// Merchant of Venus' lines: fields between commas, ended by a line feed. Knows no rule.

const ESCAPES = { "%C": ",", "%%": "%" };

const unescape = (text) => text.replace(/%[C%]/g, (pair) => ESCAPES[pair]);
const escape = (value) => String(value).replace(/%/g, "%%").replace(/,/g, "%C");

export function decode(line) {
  const [name, ...fields] = line.split(",");
  return { name, fields: fields.map(unescape) };
}

// A line feed has no escape: it would begin another line.
export const encode = (name, ...fields) =>
  `${[name, ...fields.map((field) => escape(field).replace(/[\0-\x1f]+/g, " "))].join(",")}\n`;

// Cuts what comes into lines, however it was cut on the way.
export class Framer {
  #unread = "";

  push(text, each) {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop();
    for (const line of lines) if (line !== "" && line !== "\r") each(decode(line.replace(/\r$/, "")));
  }
}
