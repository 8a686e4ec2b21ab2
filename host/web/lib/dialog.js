// What stands over everything else: short words, and questions in dialogs.

import { h, patch } from "./dom.js";
import { lang } from "./lang.js";

// A short word over everything, for some seconds; read aloud at once.
export function toast(text, kind = "note") {
  const box = document.getElementById("alerts");
  const note = document.createElement("p");
  note.className = `toast ${kind}`;
  note.textContent = text;
  // What it covers can't be seen, and so not be meant.
  note.onclick = () => note.remove();
  box.append(note);
  while (box.children.length > 3) box.firstChild.remove();
  setTimeout(() => note.remove(), 7000);
}

// A question in a dialog; `body` describes its contents, given a function that closes it.
export function dialog(title, body) {
  const box = document.createElement("dialog");
  box.setAttribute("aria-label", title);
  const close = () => box.close();
  const draw = () =>
    patch(box, [
      h("header", {}, h("h2", {}, title), h("button", { class: "close", "aria-label": lang.close, onclick: close }, "×")),
      h("div", { class: "body" }, body(close, draw)),
    ]);
  draw();
  // Short words stand over the dialog too, and are read aloud there. The browser tells of its end only when another one may
  // be open: they are for that one then.
  const alerts = document.getElementById("alerts");
  box.append(alerts);
  box.onclose = () => {
    (document.querySelector("dialog[open]") ?? document.body).append(alerts);
    box.remove();
  };
  box.addEventListener("click", (event) => event.target === box && close());
  document.body.append(box);
  box.showModal();
  return {
    close,
    draw,
    get isOpen() {
      return box.open;
    },
  };
}

export function confirm(title, text, yes, then) {
  dialog(title, (close) => [
    h("p", {}, text),
    h(
      "div",
      { class: "row" },
      h("button", { class: "danger", onclick: () => (close(), then()) }, yes),
      h("button", { onclick: close }, lang.goBack),
    ),
  ]);
}
