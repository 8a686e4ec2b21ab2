// Ethernet, ARP, IPv4, UDP and TCP as bytes: taken apart and put together.

export const ARP = 0x0806;
export const IPV4 = 0x0800;
export const TCP = 6;
export const UDP = 17;
export const FIN = 0x01;
export const SYN = 0x02;
export const RST = 0x04;
export const PSH = 0x08;
export const ACK = 0x10;

export const BROADCAST = Buffer.alloc(6, 0xff);
export const ANY_ADDRESS = Buffer.alloc(4);

/** `10.0.2.15` as bytes. */
export const address = (text) => Buffer.from(text.split('.').map(Number));

export function ethernet(to, from, type, payload) {
  const header = Buffer.alloc(14);
  to.copy(header, 0);
  from.copy(header, 6);
  header.writeUInt16BE(type, 12);
  return Buffer.concat([header, payload]);
}

/** An ARP packet for Ethernet and IPv4. */
export function arp(operation, sender, target) {
  const packet = Buffer.from([0, 1, 8, 0, 6, 4, 0, operation]);
  return Buffer.concat([packet, sender.hardware, sender.address, target.hardware, target.address]);
}

export function parseArp(packet) {
  return {
    operation: packet.readUInt16BE(6),
    sender: { hardware: packet.subarray(8, 14), address: packet.subarray(14, 18) },
    target: { hardware: packet.subarray(18, 24), address: packet.subarray(24, 28) },
  };
}

/** The Internet's checksum: the complement of the sum of all pairs of bytes. */
export function checksum(...parts) {
  let sum = 0;
  for (const part of parts) {
    for (let i = 0; i + 1 < part.length; i += 2) sum += part.readUInt16BE(i);
    if (part.length % 2) sum += part[part.length - 1] << 8;
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

export function ipv4(protocol, from, to, payload) {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(20 + payload.length, 2);
  header[8] = 64;
  header[9] = protocol;
  from.copy(header, 12);
  to.copy(header, 16);
  header.writeUInt16BE(checksum(header), 10);
  return Buffer.concat([header, payload]);
}

/** `null` for what no sane stack sends, and for what was damaged on the way. */
export function parseIpv4(packet) {
  const header = (packet[0] & 0x0f) * 4;
  const total = packet.length < 20 ? 0 : packet.readUInt16BE(2);
  if (packet[0] >> 4 !== 4 || header < 20 || total < header || total > packet.length) return null;
  const [from, to] = [packet.subarray(12, 16), packet.subarray(16, 20)];
  const [protocol, payload] = [packet[9], packet.subarray(header, total)];
  if (checksum(packet.subarray(0, header)) !== 0) return null;
  const isSummed = protocol === TCP || (protocol === UDP && payload.length >= 8 && payload.readUInt16BE(6) !== 0);
  if (isSummed && checksum(pseudoHeader(protocol, from, to, payload.length), payload) !== 0) return null;
  return { protocol, from, to, payload };
}

function pseudoHeader(protocol, from, to, length) {
  return Buffer.concat([from, to, Buffer.from([0, protocol, length >> 8, length & 0xff])]);
}

export function udp(from, to, payload) {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(from.port, 0);
  header.writeUInt16BE(to.port, 2);
  header.writeUInt16BE(8 + payload.length, 4);
  const pseudo = pseudoHeader(UDP, from.address, to.address, 8 + payload.length);
  header.writeUInt16BE(checksum(pseudo, header, payload) || 0xffff, 6);
  return ipv4(UDP, from.address, to.address, Buffer.concat([header, payload]));
}

export function parseUdp(payload) {
  if (payload.length < 8) return null;
  return { from: payload.readUInt16BE(0), to: payload.readUInt16BE(2), payload: payload.subarray(8) };
}

export function tcp(from, to, { sequence, acknowledge, flags, window, options = Buffer.alloc(0), payload = Buffer.alloc(0) }) {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(from.port, 0);
  header.writeUInt16BE(to.port, 2);
  header.writeUInt32BE(sequence, 4);
  header.writeUInt32BE(acknowledge, 8);
  header[12] = ((20 + options.length) / 4) << 4;
  header[13] = flags;
  header.writeUInt16BE(window, 14);
  const length = 20 + options.length + payload.length;
  const segment = Buffer.concat([header, options, payload]);
  segment.writeUInt16BE(checksum(pseudoHeader(TCP, from.address, to.address, length), segment), 16);
  return ipv4(TCP, from.address, to.address, segment);
}

export function parseTcp(segment) {
  const header = segment.length < 20 ? 0 : (segment[12] >> 4) * 4;
  if (header < 20 || header > segment.length) return null;
  return {
    from: segment.readUInt16BE(0),
    to: segment.readUInt16BE(2),
    sequence: segment.readUInt32BE(4),
    acknowledge: segment.readUInt32BE(8),
    flags: segment[13],
    window: segment.readUInt16BE(14),
    options: segment.subarray(20, header),
    payload: segment.subarray(header),
  };
}

/** The longest segment that the other side takes. */
export function longestSegment(options) {
  for (let i = 0; i < options.length && options[i] !== 0; i += options[i] === 1 ? 1 : Math.max(2, options[i + 1])) {
    if (options[i] === 2 && i + 3 < options.length) return options.readUInt16BE(i + 2);
  }
  return 536;
}
