// Told elsewhere that it is one's turn: an address that the server sends a line of text to, where it allows that.

import { toast } from "./dialog.js";
import { dropDraft, h, submit } from "./dom.js";
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

const WORDS = {
  400: "That is no address that this server sends to. It looks like https://ntfy.sh/a-topic-of-yours.",
  403: "Only who plays is told.",
  429: "Not so many at once. Try again in a minute.",
  502: "What was sent there was not taken. Look whether the address is right.",
};

async function send(method, { path, place, name }, url) {
  const body = JSON.stringify({ place, name, key: voice(), url });
  const answer = await fetch(path, { method, body }).catch(() => null);
  if (answer?.ok) return true;
  toast(WORDS[answer?.status] ?? "The server does not answer. Try again in a moment.", "bad");
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
      toast("A first word was sent there.");
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
    h("h3", {}, "When I am away"),
    h("p", {}, "The server sends a line of text to this address when it is my turn (ntfy and its like take it):"),
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
        "aria-label": "Address for when it is my turn",
        value: known ?? "",
      }),
      h("button", {}, "Tell me there"),
      known && h("button", { type: "button", onclick: stop }, "Tell me no more"),
    ),
  ];
}
