// The way in: a name, a piece, play or watch, one button.

import { h, submit } from "./dom.js";
import { PIECES } from "./facts.js";
import { nameLength } from "./codec.js";
import { pieceIcon, pieceName } from "./pieces.js";
import { person } from "./store.js";

const chosen = { piece: person.get().piece, play: true };

export function nameRefusal(name) {
  if (name === "") return "Tell the others your name.";
  if (nameLength(name) > 32) return "This name is too long.";
  return "";
}

export function door(session, table, changed) {
  const join = ({ name: field }) => {
    const name = field.value.trim().replace(/\s+/g, " ");
    const why = nameRefusal(name);
    field.setCustomValidity(why);
    if (why) return field.reportValidity();
    session.join(name, chosen.piece, chosen.play);
  };
  const way = (play, text) =>
    h(
      "label",
      { class: "option" },
      h("input", { type: "radio", name: "play", checked: chosen.play === play, onchange: () => (chosen.play = play) }),
      text,
    );
  return h(
    "form",
    { class: "door", onsubmit: submit(join) },
    h("h2", {}, `Sit down at ${table === "lobby" ? "the next free table" : `table ${table}`}`),
    session.notice && h("p", { class: "notice", role: "alert" }, session.notice),
    h(
      "label",
      { class: "field" },
      "Your name",
      h("input", {
        name: "name",
        required: true,
        maxlength: 32,
        autocomplete: "nickname",
        autocapitalize: "words",
        value: person.get().name,
        oninput: (event) => event.target.setCustomValidity(""),
      }),
    ),
    h(
      "fieldset",
      {},
      h("legend", {}, "Your piece"),
      h(
        "div",
        { class: "pieces" },
        PIECES.map((_, piece) =>
          h(
            "label",
            { class: "pick", key: piece, title: pieceName(piece) },
            h("input", {
              type: "radio",
              name: "piece",
              value: piece,
              checked: chosen.piece === piece,
              onchange: () => ((chosen.piece = piece), changed()),
            }),
            pieceIcon(piece),
            h("span", { class: "hidden-text" }, pieceName(piece)),
          ),
        ),
      ),
    ),
    h(
      "fieldset",
      { class: "row" },
      h("legend", {}, "What would you like?"),
      way(true, "Play"),
      way(false, "Only watch"),
    ),
    h("button", { class: "primary big" }, "Sit down"),
  );
}
