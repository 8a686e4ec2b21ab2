// Pieces of description that all games use: buttons with reasons, doors, cards, settings, a link to hand on.

import { h } from "./dom.js";
import { settings } from "./store.js";

// A button with the reason beside it when it can't be pressed.
export const act = (label, why, onclick, props = {}) =>
  h("button", { ...props, disabled: why !== "", title: why, onclick }, label);

export const reason = (why) => (why ? h("p", { class: "why" }, why) : null);

// A name as it is told to others.
export const plain = (field) => field.value.trim().replace(/\s+/g, " ");

export const nameField = (label, name, value, maxlength, props = {}) =>
  h(
    "label",
    { class: "field" },
    label,
    h("input", {
      name,
      required: true,
      maxlength,
      autocomplete: name === "name" ? "nickname" : "off",
      value,
      ...props,
    }),
  );

// To play, or only to watch: `isWatching` and what to do when it changes.
export function ways(isWatching, changed) {
  const way = (watch, text) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name: "way", checked: isWatching === watch, onchange: () => changed(watch) }),
      text,
    );
  return h(
    "fieldset",
    { class: "row" },
    h("legend", {}, "What would you like?"),
    way(false, "Play"),
    way(true, "Only watch"),
  );
}

// A table among others.
export const card = (key, title, isMine, about, controls) =>
  h(
    "li",
    { key, class: "table-card" },
    h("div", {}, h("h3", {}, title, isMine && h("span", { class: "step s2" }, "you were here")), about),
    h("div", { class: "row" }, controls),
  );

export const choice = (name, label, options, changed) =>
  h(
    "label",
    { class: "setting" },
    label,
    h(
      "select",
      { value: settings[name], onchange: (event) => (settings.change(name, event.target.value), changed()) },
      options.map(([value, text]) => h("option", { value, selected: settings[name] === value }, text)),
    ),
  );

export const toggle = (name, label, changed) =>
  h(
    "label",
    { class: "setting" },
    h("input", {
      type: "checkbox",
      checked: settings[name],
      onchange: (event) => (settings.change(name, event.target.checked), changed()),
    }),
    label,
  );

export const theme = (changed) =>
  choice(
    "theme",
    "Colours",
    [
      ["system", "as this device"],
      ["light", "light"],
      ["dark", "dark"],
    ],
    changed,
  );

export const sound = (changed) => toggle("sound", "A sound when it is my turn", changed);

// Only a page that came over TLS, or from this machine, has a clipboard: elsewhere the old way is the only one.
async function copy(field) {
  field.focus();
  field.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  else if (!document.execCommand("copy")) throw new Error("no clipboard");
}

const isHere = (link) => /^(localhost|127\.|\[::1\])/.test(new URL(link).hostname);

export const linkField = (link) => [
  h(
    "div",
    { class: "row" },
    h("input", {
      readonly: true,
      value: link,
      "aria-label": "Link to this table",
      onfocus: (event) => event.target.select(),
    }),
    h(
      "button",
      {
        type: "button",
        onclick: ({ target }) =>
          copy(target.previousElementSibling).then(
            () => (target.textContent = "Copied"),
            () => (target.textContent = "Press Ctrl+C"),
          ),
      },
      "Copy",
    ),
  ),
  isHere(link) &&
    h(
      "p",
      { class: "why" },
      "It works on this machine only: for friends, open this page by the machine's own address.",
    ),
];
