// Talk at a table. A line is { text } with { name, mark } where they are known.

import { h, patch, submit } from "./dom.js";
import { cut } from "./fields.js";
import { lang } from "./lang.js";
import { isAtEnd } from "./log.js";

// Lines that are shown.
const MOST = 200;

// `say(text, fields)`: was it sent? `more`: other fields of the form, such as who hears it. Without `say` one only listens.
// `most`: bytes of a line that the game takes.
export function talk(lines, say, more, most = 200) {
  const first = Math.max(0, lines.length - MOST);
  const speak = (fields) => {
    const text = fields.text.value.trim();
    if (text && !say(text, fields)) return false;
    fields.text.value = "";
  };
  return [
    h("h2", {}, lang.talk),
    h(
      "ul",
      { class: "chat", tabindex: 0, "aria-label": lang.whatWasSaid },
      lines
        .slice(first)
        .map(({ name, mark, text }, n) =>
          h("li", { key: first + n }, name && h("b", {}, name), mark && h("span", { class: "step" }, mark), ` ${text}`),
        ),
      lines.length === 0 && h("li", { class: "none" }, lang.nothingSaid),
    ),
    say &&
      h(
        "form",
        { class: "say", onsubmit: submit(speak) },
        h("input", {
          name: "text",
          "aria-label": lang.whatYouSay,
          maxlength: 200,
          // A letter may be several bytes.
          oninput: ({ target }) => (target.value = cut(target.value, most)),
          autocomplete: "off",
          placeholder: lang.saySomething,
        }),
        more,
        h("button", {}, lang.say),
      ),
  ];
}

// Draws the talk into its panel. The newest is in sight, unless somebody reads what is older; how many lines were heard.
export function drawTalk(panel, description, count, heard) {
  const old = panel.querySelector(".chat");
  const isRead = old?.checkVisibility() && heard > 0 && !isAtEnd(old);
  patch(panel, description);
  const list = panel.querySelector(".chat");
  if (!list.checkVisibility() || isRead) return heard;
  if (heard !== count) list.scrollTop = list.scrollHeight;
  return count;
}
