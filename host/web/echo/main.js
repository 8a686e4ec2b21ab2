// The smallest page that a game can have: what is typed goes to the server in a frame, and what comes back is shown.

import { Line } from "../lib/socket.js";

// A frame is a letter, a length and so many bytes.
const codec = {
  Framer: class {
    #bytes = [];
    push(data, each) {
      this.#bytes.push(...data);
      while (this.#bytes.length >= 2 && this.#bytes.length >= 2 + this.#bytes[1])
        each(new TextDecoder().decode(new Uint8Array(this.#bytes.splice(0, 2 + this.#bytes[1]).slice(2))));
    }
  },
  encode: (text) => {
    const payload = new TextEncoder().encode(text).slice(0, 250);
    return new Uint8Array(["E".charCodeAt(0), payload.length, ...payload]);
  },
};

const show = (text) => {
  const item = document.createElement("li");
  item.textContent = text;
  document.querySelector("#heard").append(item);
};

const line = new Line("/ws/echo/1", codec, { open() {}, message: show, settled() {}, lost() {} });
line.connect();
document.querySelector("#say").onsubmit = (event) => {
  event.preventDefault();
  const field = document.querySelector("#text");
  line.send(field.value);
  field.value = "";
};
