// Files as the chip's boot loader takes them: blocks of 512 bytes, each with a page for flash.

const BLOCK = 512;
const MAGIC = [0x0a324655, 0x9e5d5157];
const LAST_MAGIC = 0x0ab16f30;
const RP2040 = 0xe48bff56;

/** Addresses and bytes. What the boot loader would not take is an error. */
export function* pages(file) {
  if (file.length % BLOCK) throw new Error('half a block of UF2');
  for (let at = 0; at < file.length; at += BLOCK) {
    const word = (offset) => file.readUInt32LE(at + offset);
    const isBlock = word(0) === MAGIC[0] && word(4) === MAGIC[1] && word(508) === LAST_MAGIC;
    const isWhole = word(20) === at / BLOCK && word(24) === file.length / BLOCK;
    if (!isBlock || !isWhole || word(28) !== RP2040 || word(12) % 256 || word(16) !== 256) {
      throw new Error(`block ${at / BLOCK} is none for an RP2040`);
    }
    yield { address: word(12), bytes: file.subarray(at + 32, at + 32 + 256) };
  }
}
