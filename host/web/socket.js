// The way to a table: a WebSocket that carries PIMP's bytes and comes back by itself when it is lost. Knows frames, not
// what they mean.

import { Framer, encode } from "./codec.js";

const FIRST = 500;
const LONGEST = 15000;

export class Line {
  #socket = null;
  #framer = new Framer();
  #timer = 0;
  #tries = 0;
  #wanted = false;

  // `events`: open(), message(m), settled() after each batch, lost(milliseconds until the next try).
  constructor(path, events) {
    this.path = path;
    this.events = events;
    const hurry = () => this.#wanted && !this.#socket && this.#connect();
    addEventListener("online", hurry);
    document.addEventListener("visibilitychange", () => document.hidden || hurry());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    this.#wanted = true;
    this.#tries = 0;
    if (!this.#socket) this.#connect();
  }

  #connect() {
    clearTimeout(this.#timer);
    const url = new URL(this.path, location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#framer = new Framer();
    socket.onopen = () => this.events.open();
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#framer.push(new Uint8Array(data), (message) => this.events.message(message));
      this.events.settled();
    };
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  #lost() {
    this.#socket = null;
    if (!this.#wanted) return;
    // Longer and longer, and never all pages of a table at once.
    const pause = Math.min(LONGEST, FIRST * 2 ** this.#tries) * (0.5 + Math.random());
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#connect(), pause);
    this.events.lost(pause);
  }

  // What came in proves the line good: the next loss begins with a short pause again.
  prove() {
    this.#tries = 0;
  }

  send(type, fields) {
    if (!this.isOpen) return false;
    this.#socket.send(encode(type, fields));
    return true;
  }

  close() {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }
}
