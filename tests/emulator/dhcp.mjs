// A DHCP server for one client, always with the same address for it.

import { ANY_ADDRESS } from './packets.mjs';

export const SERVER_PORT = 67;
export const CLIENT_PORT = 68;

const FIXED = 236;
const COOKIE = Buffer.from([99, 130, 83, 99]);
const DISCOVER = 1;
const OFFER = 2;
const REQUEST = 3;
const ACKNOWLEDGE = 5;

const MASK = 1;
const HOSTNAME = 12;
const LEASE = 51;
const KIND = 53;
const SERVER = 54;
const END = 255;

function options(packet) {
  const found = new Map();
  for (let i = FIXED + 4; i + 1 < packet.length && packet[i] !== END; ) {
    if (packet[i] === 0) {
      i++;
      continue;
    }
    found.set(packet[i], packet.subarray(i + 2, i + 2 + packet[i + 1]));
    i += 2 + packet[i + 1];
  }
  return found;
}

const option = (code, bytes) => Buffer.concat([Buffer.from([code, bytes.length]), bytes]);

/** The answer to a client's question, and the name that it gave itself; `null` if nothing is to be said. */
export function answer(packet, server, lease) {
  if (packet.length < FIXED + 4 || packet[0] !== 1 || !packet.subarray(FIXED, FIXED + 4).equals(COOKIE)) return null;
  const asked = options(packet);
  const kind = { [DISCOVER]: OFFER, [REQUEST]: ACKNOWLEDGE }[asked.get(KIND)?.[0]];
  if (kind === undefined) return null;
  const fixed = Buffer.alloc(FIXED);
  packet.copy(fixed, 0, 0, FIXED); // its transaction, its flags, its hardware address
  fixed[0] = 2;
  fixed.fill(0, 8, 28);
  ANY_ADDRESS.copy(fixed, 12);
  lease.copy(fixed, 16);
  server.copy(fixed, 20);
  const payload = Buffer.concat([
    fixed,
    COOKIE,
    option(KIND, Buffer.from([kind])),
    option(SERVER, server),
    option(LEASE, Buffer.from([0, 1, 0x51, 0x80])),
    option(MASK, Buffer.from([255, 255, 255, 0])),
    Buffer.from([END]),
  ]);
  return { payload, leased: kind === ACKNOWLEDGE, hostname: asked.get(HOSTNAME)?.toString('latin1') };
}
