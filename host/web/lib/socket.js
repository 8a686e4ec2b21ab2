// The way to the server: a WebSocket that comes back by itself when it is lost. Which frames it carries is the matter of
// the game's own codec.

const FIRST = 500;
const LONGEST = 15000;
// A server that says nothing for so long is asked whether it is still there, and given up after as long again.
const QUIET = 20000;

export class Line {
  #socket = null;
  #framer = null;
  #timer = 0;
  #tries = 0;
  #wanted = false;
  // In a cluster, the nodes that lead to the table, the shortest way first; "": the one that the page is from.
  #ways = [""];
  #heard = 0;

  // `codec`: Framer with push(data, each), and encode(…). `events`: open(), message(m), settled() after each batch,
  // lost(milliseconds until the next try); probe(), where the protocol has it: says what changes nothing and is answered.
  constructor(path, codec, events) {
    this.path = path;
    this.codec = codec;
    this.events = events;
    const hurry = () => this.#wanted && !this.#socket && this.#connect();
    addEventListener("online", hurry);
    addEventListener("offline", () => this.isOpen && this.#doubt());
    document.addEventListener("visibilitychange", () => document.hidden || hurry());
    setInterval(() => this.isOpen && this.#probe(), QUIET / 2);
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    this.#wanted = true;
    this.#tries = 0;
    if (!this.#socket) this.#connect();
  }

  async #connect() {
    clearTimeout(this.#timer);
    if (document.documentElement.dataset.cluster)
      this.#ways = await fetch(this.path.replace("ws", "where"), { signal: AbortSignal.timeout(QUIET / 8) })
        .then((answer) => answer.json())
        .then(({ ways }) => ways)
        .catch(() => this.#ways);
    if (this.#socket || !this.#wanted) return;
    // Each way twice: what was lost may be there again.
    const url = new URL(this.path, this.#ways[(this.#tries >> 1) % this.#ways.length] || location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#framer = new this.codec.Framer();
    socket.onopen = () => {
      this.#heard = Date.now();
      this.events.open();
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heard = Date.now();
      this.#framer.push(typeof data === "string" ? data : new Uint8Array(data), (message) =>
        this.events.message(message),
      );
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

  // The device has no network any more, or the server says nothing. It may be the device itself, and have nothing to say: it is
  // asked before the line is given up.
  async #doubt() {
    const socket = this.#socket;
    const isThere = () => fetch("/lobby", { cache: "no-store", signal: AbortSignal.timeout(QUIET / 8) });
    if (await isThere().catch(() => null)) this.#heard = Date.now();
    else if (socket === this.#socket) this.#giveUp(socket);
  }

  // The socket does not know yet that it is lost.
  #giveUp(socket) {
    this.#lost();
    socket.close();
  }

  // A wire that was cut says nothing: only a question shows it.
  #probe() {
    const quiet = Date.now() - this.#heard;
    if (quiet < QUIET) return;
    if (!this.events.probe) this.#doubt();
    else if (quiet > 2 * QUIET) this.#giveUp(this.#socket);
    else this.events.probe();
  }

  send(...said) {
    if (!this.isOpen) return false;
    this.#socket.send(this.codec.encode(...said));
    return true;
  }

  close() {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }
}
