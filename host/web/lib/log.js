// The log: one line an event, the newest below. A line can be clicked to see the board as it was then. A game of bots writes
// thousands: only the newest have elements, older ones get theirs when somebody goes up to them.

import { lang } from "./lang.js";

const PAGE = 200;

export const isAtEnd = (list) => list.scrollHeight - list.scrollTop - list.clientHeight < 60;

export class Log {
  #lines = [];
  // Numbers of the first and the last line that have an element.
  #from = 1;
  #to = 0;
  #chosen = 0;
  #isAtEnd = true;
  #isPressed = false;

  constructor(choose) {
    this.choose = choose;
    this.list = document.createElement("ol");
    Object.assign(this.list, { className: "log", tabIndex: 0 });
    this.list.setAttribute("aria-label", lang.logLabel);
    this.list.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) this.choose(Number(button.dataset.line));
    };
    this.list.onkeydown = (event) => this.#keys(event);
    this.list.onscroll = () => this.#scrolled();
    this.list.onpointerdown = () => (this.#isPressed = true);
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (this.#isPressed = false));
  }

  get #oldest() {
    return this.#lines[0]?.number ?? 1;
  }

  #scrolled() {
    const { list } = this;
    this.#isAtEnd = isAtEnd(list);
    if (!this.#isAtEnd && list.scrollTop < 60) this.#begin(this.#from - PAGE);
  }

  #keys(event) {
    const { list } = this;
    const now = list.contains(document.activeElement) ? document.activeElement.closest("li") : null;
    if (event.key === "Home") this.#begin(0);
    else if (event.key === "ArrowUp" && now && !now.previousSibling) this.#begin(this.#from - PAGE);
    const next = {
      ArrowUp: now ? now.previousSibling : list.lastChild,
      ArrowDown: now ? now.nextSibling : list.lastChild,
      Home: list.firstChild,
      End: list.lastChild,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next.firstChild.focus();
  }

  #make(from, to) {
    const part = document.createDocumentFragment();
    for (const { number, text } of this.#lines.slice(from - this.#oldest, to + 1 - this.#oldest)) {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.textContent = text;
      button.tabIndex = -1;
      button.dataset.line = number;
      if (text.startsWith("—")) item.className = "turn";
      item.append(button);
      part.append(item);
    }
    return part;
  }

  // From which line on there are elements. What is in sight stays where it is.
  #begin(wanted) {
    const { list } = this;
    const from = Math.max(wanted, this.#oldest);
    if (from === this.#from) return;
    const height = this.#isAtEnd ? 0 : list.scrollHeight;
    if (from > this.#to) {
      list.replaceChildren();
      this.#to = from - 1;
    } else if (from < this.#from) list.prepend(this.#make(from, this.#from - 1));
    else for (let n = this.#from; n < from; n++) list.firstChild.remove();
    this.#from = from;
    if (height) list.scrollTop += list.scrollHeight - height;
  }

  draw(lines, chosen) {
    // A line that goes between press and release can't be chosen.
    if (this.#isPressed) return;
    const { list } = this;
    this.#lines = lines;
    const newest = lines.at(-1)?.number ?? 0;
    // Whoever reads further up keeps what is there, as long as it is kept at all.
    const isRead = chosen || !this.#isAtEnd || list.contains(document.activeElement);
    this.#begin(isRead ? this.#from : newest - PAGE + 1);
    if (newest > this.#to) list.append(this.#make(this.#to + 1, newest));
    this.#to = newest;
    if (this.#chosen !== chosen) {
      list.querySelector(".chosen")?.classList.remove("chosen");
      if (chosen) list.querySelector(`[data-line="${chosen}"]`)?.parentNode.classList.add("chosen");
      this.#chosen = chosen;
    }
    if (this.#isAtEnd && !chosen) list.scrollTop = list.scrollHeight;
  }
}
