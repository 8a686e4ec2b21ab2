// What an emulator wants of an ELF file: what lies where, and where a name is.

const LOAD = 1;
const SYMBOLS = 2;

export class Elf {
  constructor(bytes) {
    if (bytes.toString('latin1', 0, 4) !== '\x7fELF' || bytes[4] !== 1) throw new Error('not an ELF file of 32 bits');
    this.bytes = bytes;
  }

  /** What is to be loaded: physical address and bytes. */
  *segments() {
    const { bytes } = this;
    const [at, size, count] = [bytes.readUInt32LE(28), bytes.readUInt16LE(42), bytes.readUInt16LE(44)];
    for (let header = at; header < at + size * count; header += size) {
      if (bytes.readUInt32LE(header) !== LOAD) continue;
      const [offset, address] = [bytes.readUInt32LE(header + 4), bytes.readUInt32LE(header + 12)];
      const length = bytes.readUInt32LE(header + 16);
      if (length > 0) yield { address, bytes: bytes.subarray(offset, offset + length) };
    }
  }

  /** A symbol's address; 0 if there is none of this name. */
  symbol(name) {
    const { bytes } = this;
    const [at, size, count] = [bytes.readUInt32LE(32), bytes.readUInt16LE(46), bytes.readUInt16LE(48)];
    for (let header = at; header < at + size * count; header += size) {
      if (bytes.readUInt32LE(header + 4) !== SYMBOLS) continue;
      const names = bytes.readUInt32LE(at + bytes.readUInt32LE(header + 24) * size + 16);
      const [first, length] = [bytes.readUInt32LE(header + 16), bytes.readUInt32LE(header + 20)];
      for (let entry = first; entry < first + length; entry += 16) {
        const text = names + bytes.readUInt32LE(entry);
        if (bytes.toString('latin1', text, text + name.length + 1) === `${name}\0`) return bytes.readUInt32LE(entry + 4);
      }
    }
    return 0;
  }
}
