// A PIMP client over WebSocket that shares no line with the page or with core: bytes by hand, from the protocol's document.
// It never buys, always passes, pays what it can and goes bankrupt when it can't.

import { randomBytes } from "node:crypto";
import { request } from "node:http";

const number = (n) => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];

export class Stranger {
  winner = 0;
  me = 0;
  #rest = Buffer.alloc(0);
  #frames = Buffer.alloc(0);
  #owed = new Map();

  constructor(host, path, name) {
    this.name = name;
    this.seated = new Promise((done) => (this.sat = done));
    const [hostname, port] = host.split(":");
    const key = randomBytes(16).toString("base64");
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": 13,
      "Sec-WebSocket-Key": key,
    };
    request({ hostname, port, path, headers })
      .on("upgrade", (_, socket, head) => {
        this.socket = socket;
        socket.on("data", (data) => this.#arrived(data)).on("error", () => {});
        if (head.length) this.#arrived(head);
        this.say(0x00, 1);
      })
      .end();
  }

  leave() {
    this.socket?.destroy();
  }

  // One masked binary frame with one message in it.
  say(type, ...payload) {
    const bytes = [type, payload.length, ...payload];
    const mask = randomBytes(4);
    const body = Buffer.from(bytes.map((byte, i) => byte ^ mask[i % 4]));
    this.socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | bytes.length]), mask, body]));
  }

  #arrived(data) {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      if (this.#rest.length < 2) return;
      let length = this.#rest[1] & 127;
      let from = 2;
      if (length === 126) {
        if (this.#rest.length < 4) return;
        length = this.#rest.readUInt16BE(2);
        from = 4;
      }
      if (this.#rest.length < from + length) return;
      const [kind, body] = [this.#rest[0] & 15, this.#rest.subarray(from, from + length)];
      this.#rest = this.#rest.subarray(from + length);
      if (kind === 2 || kind === 0) this.#frames = Buffer.concat([this.#frames, body]);
      while (this.#frames.length >= 2 && this.#frames.length >= 2 + this.#frames[1]) {
        const end = 2 + this.#frames[1];
        this.#message(this.#frames[0], this.#frames.subarray(2, end));
        this.#frames = this.#frames.subarray(end);
      }
    }
  }

  #message(type, p) {
    const mine = p[0] === this.me;
    const deal = p.length >= 4 ? p.readUInt32BE(0) : 0;
    switch (type) {
      case 0x01: // greeted: JOIN as a player
        return this.say(0x02, 0, 1, this.name.length, ...Buffer.from(this.name));
      case 0x03:
        this.me = p[0];
        return this.sat();
      case 0x06: // somebody asks to play
      case 0x07:
        return this.say(0x08, ...p.subarray(0, 4));
      case 0x20:
        return mine && p[1] && this.say(0x21);
      case 0x2f:
        return mine && this.say(0x21);
      case 0x30:
        return mine && this.say(0x32);
      case 0x33:
        return this.say(0x36);
      case 0x45:
        return mine && this.say(0x47);
      case 0x4a:
        return mine && this.say(p[1] > 0 ? 0x4c : 0x4b);
      case 0x52: // rent, card: creditor at 6, amount at 7
      case 0x53:
        return p[6] !== this.me && this.#owed.set(deal, p.readUInt32BE(7));
      case 0x54:
        return this.#owed.set(deal, p.readUInt32BE(5));
      case 0x55:
      case 0x56:
        return this.#owed.set(deal, p.readUInt32BE(4));
      case 0x78: // the other side has agreed to the preset payment
        return this.#owed.has(deal) && this.say(0x76, ...number(deal));
      case 0x7d: // not the plain payment: there was too little cash, and there are no deeds to sell
        return this.#owed.has(deal) && this.say(0x7a, ...number(deal));
      case 0x51: // a trade: no, thank you
        return this.say(0x7e, ...number(deal));
      case 0x79:
      case 0x7f:
        return this.#owed.delete(deal);
      case 0xd0:
        return this.say(0xd1, ...p.subarray(0, 4));
      case 0xdf:
        this.winner = p[0];
    }
  }
}
