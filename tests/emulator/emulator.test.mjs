import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';

import { Connection } from './connection.mjs';
import * as dhcp from './dhcp.mjs';
import * as packets from './packets.mjs';
import { capture } from './pcap.mjs';
import { pages } from './uf2.mjs';
import { W5500 } from './w5500.mjs';

test('a checksum is the complement of the sum of pairs', () => {
  const header = Buffer.from('450000730000400040110000c0a80001c0a800c7', 'hex');
  assert.equal(packets.checksum(header), 0xb861);
  assert.equal(packets.checksum(Buffer.from([1])), 0xfeff);
});

test('TCP is taken apart as it was put together', () => {
  const [from, to] = [{ address: packets.address('10.0.2.2'), port: 9 }, { address: packets.address('10.0.2.15'), port: 8 }];
  const payload = Buffer.from('kerz');
  const packet = packets.tcp(from, to, { sequence: 0xfffffffe, acknowledge: 7, flags: packets.ACK, window: 5, payload });
  const outer = packets.parseIpv4(packet);
  assert.deepEqual([outer.protocol, [...outer.to]], [packets.TCP, [10, 0, 2, 15]]);
  const { sequence, window, payload: came } = packets.parseTcp(outer.payload);
  assert.deepEqual([sequence, window, came.toString()], [0xfffffffe, 5, 'kerz']);
  assert.equal(packets.parseIpv4(packet.subarray(0, 30)), null);
  for (let at = 0; at < packet.length; at++) {
    const damaged = Buffer.from(packet);
    damaged[at] ^= 0x10;
    assert.equal(packets.parseIpv4(damaged), null, `byte ${at} is wrong, and nobody notices`);
  }
  assert.equal(packets.longestSegment(Buffer.from([1, 1, 2, 4, 5, 180, 0, 0])), 1460);
});

test('a guest who is asked where it is says so, and is silent otherwise', () => {
  const [from, to] = [{ address: packets.address('10.0.2.2'), port: 9 }, { address: packets.address('10.0.2.15'), port: 8 }];
  const sent = [];
  const guest = new Connection(new PassThrough(), from, to, (packet) => sent.push(packets.parseTcp(packets.parseIpv4(packet).payload)), () => {});
  const board = (flags, sequence) =>
    guest.receive({ flags, sequence, acknowledge: sent[0].sequence + 1, window: 100, options: Buffer.alloc(0), payload: Buffer.alloc(0) });
  board(packets.SYN | packets.ACK, 1000);
  board(packets.ACK, 1001);
  assert.equal(sent.length, 2);
  // An answer to a call without its beginning, as a board sends it that had answered before it had a socket.
  board(packets.ACK, 1000);
  assert.deepEqual([sent.length, sent[2].flags, sent[2].acknowledge], [3, packets.ACK, 1001]);
  guest.close();
});

test('DHCP offers, then acknowledges, and hears the name', () => {
  const [server, lease] = [packets.address('10.0.2.2'), packets.address('10.0.2.15')];
  const ask = (kind) => Buffer.concat([Buffer.alloc(236, 1), Buffer.from([99, 130, 83, 99, 53, 1, kind, 12, 2, 65, 66, 255])]);
  assert.equal(dhcp.answer(ask(1), server, lease).leased, false);
  const { payload, leased, hostname } = dhcp.answer(ask(3), server, lease);
  assert.deepEqual([leased, hostname, [...payload.subarray(16, 20)]], [true, 'AB', [10, 0, 2, 15]]);
  assert.equal(dhcp.answer(ask(7), server, lease), null);
});

test('a capture has every frame whole, with its time', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parlor-'));
  const file = path.join(folder, 'cable.pcap');
  const note = capture(file, () => 3_000_250.5);
  note(Buffer.from('kerz'));
  note(Buffer.alloc(0));
  const head = 'd4c3b2a1' + '02000400' + '00000000'.repeat(2) + 'ffff0000' + '01000000';
  const stamp = (length) => 'b80b0000' + '84d20300' + `0${length}000000`.repeat(2);
  assert.equal(fs.readFileSync(file).toString('hex'), head + stamp(4) + Buffer.from('kerz').toString('hex') + stamp(0));
  fs.rmSync(folder, { recursive: true });
  capture('')(Buffer.from('nobody asked'));
});

/** A W5500 that is open for frames, as a driver leaves it; `transfer` is one exchange over SPI. */
function openW5500() {
  const sent = [];
  const pin = { quiet: true };
  const chip = new W5500((frame) => sent.push(frame), (level) => (pin.quiet = level));
  const transfer = (block, address, writing, bytes) => {
    chip.select(true);
    [address >> 8, address & 0xff, (block << 3) | (writing ? 4 : 0)].forEach((byte) => chip.exchange(byte));
    return bytes.map((byte) => chip.exchange(byte));
  };
  assert.deepEqual(transfer(0, 0x39, false, [0]), [4]);
  transfer(0, 0x18, true, [1]);
  transfer(1, 0x2c, true, [4]);
  transfer(0, 0x09, true, [2, 0, 0, 0, 0, 1]);
  transfer(1, 0x00, true, [0x84]);
  transfer(1, 0x01, true, [0x01]);
  return { chip, pin, transfer, sent };
}

test('a W5500 passes frames both ways, and none is lost when its buffer is full', () => {
  const { chip, pin, transfer, sent } = openW5500();
  chip.receive(Buffer.alloc(1000, 4)); // to somebody else
  assert.ok(pin.quiet);
  for (let i = 0; i < 20; i++) chip.receive(Buffer.alloc(1000, 0xff));
  assert.ok(!pin.quiet);
  assert.equal(chip.waiting.length, 4);
  assert.deepEqual(transfer(1, 0x26, false, [0, 0]), [(16 * 1002) >> 8, (16 * 1002) & 0xff]);
  assert.deepEqual(transfer(3, 0, false, [0, 0, 0]), [1002 >> 8, 1002 & 0xff, 0xff]);
  transfer(1, 0x28, true, [1002 >> 8, 1002 & 0xff]);
  transfer(1, 0x01, true, [0x40]);
  assert.equal(chip.waiting.length, 3);
  transfer(2, 0, true, [...Buffer.alloc(70, 9)]);
  transfer(1, 0x24, true, [0, 70]);
  transfer(1, 0x01, true, [0x20]);
  assert.deepEqual([sent.length, sent[0].length, sent[0][69]], [1, 70, 9]);
  chip.plug(false);
  assert.deepEqual(transfer(0, 0x2e, false, [0])[0] & 1, 0);
});

test('the interrupt of a W5500 latches: it does not come again for a frame that was left behind', () => {
  const { chip, pin, transfer } = openW5500();
  const clear = () => transfer(1, 0x02, true, [4]);
  chip.receive(Buffer.alloc(60, 0xff));
  chip.receive(Buffer.alloc(60, 0xff));
  assert.ok(!pin.quiet);
  clear();
  assert.ok(pin.quiet);
  transfer(1, 0x28, true, [0, 62]);
  transfer(1, 0x01, true, [0x40]);
  assert.deepEqual(transfer(1, 0x26, false, [0, 0]), [0, 62]);
  assert.ok(pin.quiet);
  chip.receive(Buffer.alloc(60, 0xff));
  assert.ok(!pin.quiet);
});

test('a UF2 file that no RP2040 takes is an error', () => {
  assert.throws(() => [...pages(Buffer.alloc(511))]);
  assert.throws(() => [...pages(Buffer.alloc(512))]);
});
