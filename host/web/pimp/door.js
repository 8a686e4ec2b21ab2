// The way in: a name, a piece, play or watch, one button.

import { h, submit } from "../lib/dom.js";
import { nameField, plain, ways } from "../lib/fields.js";
import { PIECES } from "./facts.js";
import { nameLength } from "./codec.js";
import { pieceIcon, pieceName } from "./pieces.js";
import { person } from "../lib/store.js";
import { lang } from "./lang.js";

const chosen = { piece: person.get().piece ?? 0, watch: false };

export function nameRefusal(name) {
  if (name === "") return lang.tellName;
  if (nameLength(name) > 32) return lang.nameTooLong;
  return "";
}

export function door(session, table, changed) {
  const join = ({ name: field }) => {
    const name = plain(field);
    const why = nameRefusal(name);
    field.setCustomValidity(why);
    if (why) return field.reportValidity();
    session.join(name, chosen.piece, !chosen.watch);
  };
  return h(
    "form",
    { class: "door", onsubmit: submit(join) },
    h("h2", {}, table === "lobby" ? lang.sitAtNext : lang.sitAt(table)),
    session.notice && h("p", { class: "notice", role: "alert" }, session.notice),
    nameField(lang.yourName, "name", person.get().name, 32, {
      autocapitalize: "words",
      oninput: (event) => event.target.setCustomValidity(""),
    }),
    h(
      "fieldset",
      {},
      h("legend", {}, lang.yourPiece),
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
    ways(chosen.watch, (watch) => (chosen.watch = watch)),
    h("button", { class: "primary big" }, lang.sitDown),
  );
}
