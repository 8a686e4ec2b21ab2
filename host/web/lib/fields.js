// Pieces of description that all games use: buttons with reasons, doors, cards, settings, a link to hand on.

import { h } from "./dom.js";
import { invite } from "./invite.js";
import { lang, languages } from "./lang.js";
import { settings } from "./store.js";

// A button with the reason beside it when it can't be pressed.
export const act = (label, why, onclick, props = {}) =>
  h("button", { ...props, disabled: why !== "", title: why, onclick }, label);

export const reason = (why) => (why ? h("p", { class: "why" }, why) : null);

// The beginning of a text, whole letters of it, in so many bytes at most with all that is said of it.
export function cut(text, most, phrase = (all) => all) {
  const all = phrase(text);
  return new TextEncoder().encode(all).length > most ? cut(text.replace(/[^]$/u, "").trimEnd(), most, phrase) : all;
}

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
      // Who has no name yet is asked for it first.
      autofocus: name === "name" && !value,
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
    h("legend", {}, lang.wayQuestion),
    way(false, lang.play),
    way(true, lang.onlyWatch),
  );
}

// A table among others.
export const card = (key, title, isMine, about, controls) =>
  h(
    "li",
    { key, class: "table-card" },
    h("div", {}, h("h3", {}, title, isMine && h("span", { class: "step s2" }, lang.wereHere)), about),
    h("div", { class: "row" }, controls),
  );

// To be pressed many times: one step on or back.
export const step = (label, sign, disabled, onclick) =>
  h("button", { "data-again": true, "aria-label": label, title: label, disabled, onclick }, sign);

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
    lang.colours,
    [
      ["system", lang.asDevice],
      ["light", lang.light],
      ["dark", lang.dark],
    ],
    changed,
  );

const languageName = (code) => new Intl.DisplayNames([code], { type: "language" }).of(code);

// The language, where the server has more than one: its words come with the page.
export const tongue = () =>
  languages.length > 1 &&
  choice("language", lang.language, [["", lang.asDevice], ...languages.map((code) => [code, languageName(code)])], () =>
    location.reload(),
  );

export const sound = (changed) => toggle("sound", lang.sound, changed);

// Only a page that came over TLS, or from this machine, has a clipboard: elsewhere the old way is the only one.
async function copy(field) {
  field.focus();
  field.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  else if (!document.execCommand("copy")) throw new Error();
}

// A link that friends can use: one of this machine alone is told with the machine's address in the network.
export const linkField = (link) => {
  const reached = invite(link);
  return [
    h(
      "div",
      { class: "row" },
      h("input", {
        readonly: true,
        value: reached ?? link,
        dir: "ltr",
        "aria-label": lang.linkForFriends,
        onfocus: (event) => event.target.select(),
      }),
      h(
        "button",
        {
          type: "button",
          onclick: ({ target }) =>
            copy(target.previousElementSibling).then(
              () => (target.textContent = lang.copied),
              () => (target.textContent = lang.pressCopy),
            ),
        },
        lang.copy,
      ),
    ),
    reached
      ? h("img", {
          class: "qr",
          src: `/qr.svg?${reached}`,
          alt: lang.linkCode,
          width: 160,
          height: 160,
          // A board makes none.
          onerror: ({ target }) => (target.style.display = "none"),
        })
      : h("p", { class: "why" }, lang.onlyHere),
  ];
};
