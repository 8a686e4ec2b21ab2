// Talk beside a game that has no words for it: over HTTP, for everybody at the page.

import { toast } from "./dialog.js";
import { lang } from "./lang.js";
import { voice } from "./store.js";

const PAUSE = 3000;

export class SideTalk {
  // { name, text } of each line; null: there is no talk at this table.
  lines = [];
  #newest = 0;

  // Listens from now on. `path` of the table, and what to do when something was said.
  constructor(path, changed) {
    this.path = path;
    this.changed = changed;
    this.#listen();
  }

  end() {
    this.lines = null;
  }

  async #listen() {
    while (this.lines) {
      try {
        const answer = await fetch(`${this.path}?after=${this.#newest}`);
        if (answer.ok) this.#hear(await answer.json());
        else if (answer.status === 404) this.end();
        else throw new Error(answer.status);
      } catch {
        await new Promise((done) => setTimeout(done, PAUSE));
      }
    }
    this.changed();
  }

  #hear({ lines, newest }) {
    if (!this.lines) return;
    if (newest < this.#newest) this.lines = [];
    this.#newest = newest;
    this.lines.push(...lines);
    if (lines.length > 0) this.changed();
  }

  // Was it sent? Whether it was taken is told later.
  say(name, text) {
    const body = JSON.stringify({ name, text, key: voice() });
    fetch(this.path, { method: "POST", body }).then(
      ({ ok, status }) => ok || toast(status === 429 ? lang.notSoFast : lang.nobodyHeard, "bad"),
      () => toast(lang.nobodyHeardLost, "bad"),
    );
    return true;
  }
}
