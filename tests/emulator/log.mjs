// The board's log: RTT's first channel, read out of the board's memory as a debugger does.

const MAGIC = 'SEGGER RTT';
// In the control block.
const BUFFER = 28;
const SIZE = 32;
const WRITTEN = 36;
const READ = 40;
const FLAGS = 44;
const WAIT_FOR_READER = 2;

export class Log {
  /** @param write takes what was logged, still encoded */
  constructor(mcu, block, write) {
    Object.assign(this, { mcu, block, write });
    this.found = false;
  }

  poll() {
    if (!this.found && !this.find()) return;
    const { mcu, block } = this;
    const [buffer, size] = [mcu.readUint32(block + BUFFER), mcu.readUint32(block + SIZE)];
    const written = mcu.readUint32(block + WRITTEN);
    let read = mcu.readUint32(block + READ);
    if (read === written) return;
    const bytes = [];
    for (; read !== written; read = (read + 1) % size) bytes.push(mcu.readUint8(buffer + read));
    mcu.writeUint32(block + READ, read);
    this.write(Buffer.from(bytes));
  }

  /** The block is there once the image has set up its memory. A reader is at hand: nothing need be dropped. */
  find() {
    const { mcu, block } = this;
    if (block === 0) return false;
    this.found = [...MAGIC].every((letter, i) => mcu.readUint8(block + i) === letter.charCodeAt(0));
    if (this.found) mcu.writeUint32(block + FLAGS, WAIT_FOR_READER);
    return this.found;
  }
}
