// The log: one line an event, the newest below. A line can be clicked to see the board as it was then. Lines are added, never
// drawn anew: a game of bots writes thousands.

export class Log {
  #last = 0;
  #chosen = null;

  constructor(choose) {
    this.choose = choose;
    this.list = document.createElement("ol");
    Object.assign(this.list, { className: "log", tabIndex: 0 });
    this.list.setAttribute("aria-label", "What happened; choose a line to see the board as it was");
    this.list.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) this.choose(Number(button.dataset.line));
    };
    this.list.onkeydown = (event) => this.#keys(event);
  }

  #keys(event) {
    const now = this.list.contains(document.activeElement) ? document.activeElement.closest("li") : null;
    const next = {
      ArrowUp: now ? now.previousElementSibling : this.list.lastElementChild,
      ArrowDown: now ? now.nextElementSibling : this.list.lastElementChild,
      Home: this.list.firstElementChild,
      End: this.list.lastElementChild,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next.firstChild.focus();
  }

  draw(lines, chosen) {
    const list = this.list;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
    // A hidden page draws late: only what is kept is worth a node.
    const fresh = lines.slice(Math.max(0, lines.length - (lines.length ? lines.at(-1).number - this.#last : 0)));
    const part = document.createDocumentFragment();
    for (const { number, text } of fresh) {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.textContent = text;
      button.tabIndex = -1;
      button.dataset.line = number;
      if (text.startsWith("—")) item.className = "turn";
      item.append(button);
      part.append(item);
      this.#last = number;
    }
    list.append(part);
    while (list.children.length > lines.length) list.firstChild.remove();
    if (this.#chosen !== chosen) {
      list.querySelector(".chosen")?.classList.remove("chosen");
      if (chosen) list.querySelector(`[data-line="${chosen}"]`)?.parentNode.classList.add("chosen");
      this.#chosen = chosen;
    }
    if (fresh.length && isAtEnd && !chosen) list.scrollTop = list.scrollHeight;
  }
}
