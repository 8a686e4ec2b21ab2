// A capture file (libpcap, microseconds, Ethernet) of the emulated board's cable.

import fs from 'node:fs';

/** Magic, version 2.4, no time zone, whole packets, Ethernet. */
const HEAD = [0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1];

/** What notes a frame in this file; without a file, nothing does. */
export function capture(path, now = () => Date.now() + performance.now() % 1) {
  if (!path) return () => {};
  const file = fs.openSync(path, 'w');
  fs.writeSync(file, words(HEAD));
  return (frame) => {
    const at = now();
    const stamp = [Math.floor(at / 1000), Math.floor((at % 1000) * 1000), frame.length, frame.length];
    fs.writeSync(file, Buffer.concat([words(stamp), frame]));
  };
}

function words(numbers) {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeUInt32LE(number, 4 * at));
  return bytes;
}
