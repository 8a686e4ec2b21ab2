// Fields that the menus of all games have: settings, and a link to hand on.

import { h } from "./dom.js";
import { settings } from "./store.js";

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

export const linkField = (link) =>
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
        onclick: (event) => navigator.clipboard?.writeText(link).then(() => (event.target.textContent = "Copied")),
      },
      "Copy",
    ),
  );
