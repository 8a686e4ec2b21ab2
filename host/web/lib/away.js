// Told elsewhere that it is one's turn: an address that the server sends a line of text to, where it allows that.

import { toast } from "./dialog.js";
import { dropDraft, h, submit } from "./dom.js";
import { lang } from "./lang.js";
import { away, voice } from "./store.js";

// Does the server allow it? null: it was not asked yet.
let isAllowed = null;

async function ask(changed) {
  isAllowed = false;
  const answer = await fetch("/notify").catch(() => null);
  // A board has no such thing.
  isAllowed = answer?.ok ? (await answer.json()).is_allowed : false;
  if (isAllowed) changed();
}

async function send(method, { path, place, name }, url) {
  const body = JSON.stringify({ place, name, key: voice(), url });
  const answer = await fetch(path, { method, body }).catch(() => null);
  if (answer?.ok) return true;
  toast(lang.awayRefusals[answer?.status] ?? lang.awayNoAnswer, "bad");
  return false;
}

// `seat`: { path, place, name } of this player at the server; null: nobody who plays.
export function awayField(seat, changed) {
  if (isAllowed === null) ask(changed);
  if (!isAllowed || !seat) return null;
  const at = `${seat.path}/${seat.place}/${seat.name}`;
  const known = away.get(at);
  const set = ({ "away-url": field }) => {
    const url = field.value.trim();
    send("PUT", seat, url).then((isSet) => {
      if (!isSet) return;
      dropDraft(field.name);
      away.set(at, url);
      toast(lang.awaySet);
      changed();
    });
    // What is typed stays until the server has taken it.
    return false;
  };
  const stop = () =>
    send("DELETE", seat, "").then((isDone) => {
      if (!isDone) return;
      away.set(at, null);
      changed();
    });
  return [
    h("h3", {}, lang.awayTitle),
    h("p", {}, lang.awayAbout),
    h(
      "form",
      { class: "row", onsubmit: submit(set) },
      h("input", {
        name: "away-url",
        type: "url",
        required: true,
        maxlength: 512,
        autocomplete: "off",
        placeholder: "https://",
        "aria-label": lang.awayAddress,
        value: known ?? "",
      }),
      h("button", {}, lang.awayTell),
      known && h("button", { type: "button", onclick: stop }, lang.awayStop),
    ),
  ];
}
