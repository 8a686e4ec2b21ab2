// Scotland Yard's lines: tags, words and quotes, as the server reads and writes them. Knows no rule.

// Words are split as a POSIX shell does; `#` is no comment. A line whose quotes do not match is null.
export function split(text) {
  const words = [];
  const pattern = /[ \t\r]+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^ \t\r'"\\]+)/gy;
  let word = null;
  let at = 0;
  for (const [all, literal, quoted, escaped, plain] of text.matchAll(pattern)) {
    at += all.length;
    const part = literal ?? quoted?.replace(/\\(["\\])/g, "$1") ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? "") + part;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (at < text.length) return null;
  return word === null ? words : [...words, word];
}

// A word as it stands in a line: in quotes if it has to be.
export function quote(word) {
  const text = String(word);
  return text !== "" && !/[\s"'\\#]/u.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

// One line for the server; `tag` is a number.
export const encode = (tag, ...words) => `#${tag} ${words.map(quote).join(" ")}\r\n`;

// What the server says: { status, words }, or an answer { tag, kind, text, words } with kind "ok", "no", "bad" or "data".
export function decode(line) {
  const [first] = line.split(" ", 1);
  const rest = line.slice(first.length + 1);
  if (first === "*") {
    const words = split(rest);
    return words?.length ? { status: words[0], words: words.slice(1) } : null;
  }
  if (first !== "-" && !/^#\d+$/.test(first)) return null;
  const tag = first === "-" ? null : Number(first.slice(1));
  const [kind] = rest.split(" ", 1);
  // A reason is one quoted word, or free words.
  const reason = rest.slice(kind.length + 1);
  if (["ok", "no", "bad"].includes(kind)) return { tag, kind, text: (split(reason) ?? [reason]).join(" "), words: [] };
  return { tag, kind: "data", text: rest, words: split(rest) ?? [] };
}

// Cuts what comes into lines, however it was cut on the way.
export class Framer {
  #unread = "";

  push(text, each) {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop();
    for (const line of lines) {
      const said = decode(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (said) each(said);
    }
  }
}
