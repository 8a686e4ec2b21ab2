// Bytes <-> messages of PIMP, by core's own table. Knows no rule. A frame that is no message gives null, never an
// exception; what a server sends is a byte stream, cut anywhere.

import { TABLE } from "./wire.js";

const byCode = new Map();
const byName = new Map();
for (const line of TABLE.split("\n")) {
  const [head, type, ...fields] = line.split(" ");
  const entry = {
    code: parseInt(head.slice(0, 2), 16),
    sender: head[2],
    type,
    fields: fields.map((field) => field.split(":")),
  };
  byCode.set(entry.code, entry);
  byName.set(type, entry);
}

export const entries = [...byCode.values()];
export const nameOf = (code) => byCode.get(code)?.type ?? `0x${code.toString(16)}`;

const reader = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const writer = new TextEncoder();

// A name that is not UTF-8 must survive: its bytes above 127 become lone surrogates, which no UTF-8 gives.
function text(bytes) {
  try {
    return reader.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 128 ? byte : 0xdc00 + byte)).join("");
  }
}

function textBytes(name) {
  const isUtf8 = !/(^|[^\ud800-\udbff])[\udc00-\udfff]/.test(name);
  return isUtf8 ? writer.encode(name) : Uint8Array.from(name, (c) => c.charCodeAt(0) & 0xff);
}

// Bytes in UTF-8, for forms: no name is longer than 32.
export const nameLength = (name) => writer.encode(name).length;

const signed = (byte) => (byte << 24) >> 24;

const read = {
  b: (p) => p.bytes[p.at++],
  t: (p) => (p.bytes[p.at++] & 1) === 1,
  n: (p) => {
    const [a, b, c, d] = p.bytes.subarray(p.at, (p.at += 4));
    return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  },
  s: (p) => {
    const length = p.bytes[p.at++];
    if (length > 32) p.at = Infinity;
    return text(p.bytes.subarray(p.at, (p.at += length)));
  },
  l: (p) => {
    const count = p.bytes[p.at++];
    const lots = [];
    for (let i = 0; i < count && p.at + 3 <= p.bytes.length; i++) {
      const [property, houses, hotels] = p.bytes.subarray(p.at, (p.at += 3));
      lots.push({ property, houses: signed(houses), hotels: signed(hotels) });
    }
    if (lots.length < count) p.at = Infinity;
    return lots;
  },
};

const write = {
  b: (out, value) => out.push(value & 0xff),
  t: (out, value) => out.push(value ? 1 : 0),
  n: (out, value) => out.push(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff),
  s: (out, value) => {
    const bytes = textBytes(value);
    out.push(bytes.length, ...bytes);
  },
  l: (out, lots) => {
    out.push(lots.length);
    for (const lot of lots) out.push(lot.property, lot.houses & 0xff, lot.hotels & 0xff);
  },
};

// { type, …fields }, or null if it is no message or too short. A longer payload's tail is ignored.
export function decode(code, payload) {
  const entry = byCode.get(code);
  if (!entry) return null;
  const message = { type: entry.type };
  const place = { bytes: payload, at: 0 };
  for (const [name, kind] of entry.fields) {
    message[name] = read[kind](place);
    if (!(place.at <= payload.length)) return null;
  }
  return message;
}

// The whole frame.
export function encode(type, fields = {}) {
  const entry = byName.get(type);
  const out = [entry.code, 0];
  for (const [name, kind] of entry.fields) write[kind](out, fields[name]);
  out[1] = out.length - 2;
  return Uint8Array.from(out);
}

// Cuts a byte stream into frames.
export class Framer {
  rest = new Uint8Array(0);

  // Hands every whole message to `each`.
  push(bytes, each) {
    let all = bytes;
    if (this.rest.length) {
      all = new Uint8Array(this.rest.length + bytes.length);
      all.set(this.rest);
      all.set(bytes, this.rest.length);
    }
    let at = 0;
    while (at + 2 <= all.length && at + 2 + all[at + 1] <= all.length) {
      const end = at + 2 + all[at + 1];
      const message = decode(all[at], all.subarray(at + 2, end));
      at = end;
      if (message) each(message);
    }
    this.rest = all.slice(at);
  }
}
