// A W5500 as far as a driver in MACRAW mode sees it: common registers, socket 0's registers and its two buffers of 16 KB.
// Written from the data sheet. Whatever else the chip can do (sockets 1 to 7, its own TCP) is not here.
//
// The interrupt latches, as the chip's does: a frame that comes sets the bit, the driver clears it, and frames that were in
// the buffer already do not set it again. A driver that takes one frame an interrupt stops hearing here as well.

const BUFFER = 0x4000;
const VERSION = 0x04;
const PHY_UP = 0xbf; // link, 100 Mbit/s, full duplex, all modes, not in reset
const PHY_DOWN = 0xb8;

// Common registers.
const MODE = 0x00;
const MODE_RESET = 0x80;
const HARDWARE_ADDRESS = 0x09;
const SOCKET_INTERRUPT_MASK = 0x18;
const PHY = 0x2e;
const CHIP_VERSION = 0x39;

// Socket registers.
const SOCKET_MODE = 0x00;
const SOCKET_MODE_MACRAW = 0x04;
const SOCKET_MODE_FILTER = 0x80;
const COMMAND = 0x01;
const COMMAND_OPEN = 0x01;
const COMMAND_CLOSE = 0x10;
const COMMAND_SEND = 0x20;
const COMMAND_RECEIVE = 0x40;
const INTERRUPT = 0x02;
const INTERRUPT_RECEIVED = 0x04;
const INTERRUPT_SENT = 0x10;
const STATUS = 0x03;
const STATUS_MACRAW = 0x42;
const TX_FREE = 0x20;
const TX_READ = 0x22;
const TX_WRITE = 0x24;
const RX_SIZE = 0x26;
const RX_READ = 0x28;
const RX_WRITE = 0x2a;
const INTERRUPT_MASK = 0x2c;

// Blocks, as the control byte selects them.
const COMMON = 0;
const SOCKET = 1;
const TX = 2;
const RX = 3;

export class W5500 {
  /**
   * @param send      takes each frame that leaves the chip
   * @param interrupt takes the level of the interrupt pin, which is low while there is something to see
   */
  constructor(send, interrupt) {
    this.send = send;
    this.interrupt = interrupt;
    this.cable = true;
    this.selected = false;
    this.waiting = []; // frames on the wire: the network around this chip loses none
    this.reset();
  }

  reset() {
    this.common = new Uint8Array(0x40);
    this.socket = new Uint8Array(0x30);
    this.tx = new Uint8Array(BUFFER);
    this.rx = new Uint8Array(BUFFER);
    this.common[CHIP_VERSION] = VERSION;
    this.socket[INTERRUPT_MASK] = 0xff;
    this.txRead = this.txWrite = 0;
    this.rxRead = this.rxWrite = 0;
    this.rxTaken = 0; // up to here the driver has told that it read
    this.open = false;
    this.raise(0);
  }

  plug(cable) {
    this.cable = cable;
    if (!cable) this.waiting = [];
  }

  select(low) {
    this.selected = low;
    this.phase = 0;
  }

  /** One byte over SPI; what comes back with it. */
  exchange(byte) {
    if (!this.selected) return 0;
    switch (this.phase++) {
      case 0:
        this.address = byte << 8;
        return 0x01;
      case 1:
        this.address |= byte;
        return 0x02;
      case 2:
        this.block = byte >> 3;
        this.writing = (byte & 0x04) !== 0;
        return 0x03;
      default: {
        const address = this.address;
        this.address = (address + 1) & 0xffff;
        if (!this.writing) return this.read(address);
        this.write(address, byte);
        return 0;
      }
    }
  }

  read(address) {
    switch (this.block) {
      case COMMON:
        if (address === PHY) return this.cable ? PHY_UP : PHY_DOWN;
        return this.common[address] ?? 0;
      case SOCKET:
        return this.readSocket(address);
      case TX:
        return this.tx[address % BUFFER];
      case RX:
        return this.rx[address % BUFFER];
      default:
        return 0;
    }
  }

  readSocket(address) {
    const half = (value) => (address & 1 ? value & 0xff : value >> 8);
    switch (address & ~1) {
      case TX_FREE:
        return half(BUFFER - ((this.txWrite - this.txRead) & 0xffff));
      case TX_READ:
        return half(this.txRead);
      case TX_WRITE:
        return half(this.txWrite);
      case RX_SIZE:
        return half(this.held());
      case RX_READ:
        return half(this.rxRead);
      case RX_WRITE:
        return half(this.rxWrite);
    }
    // A command is carried out before it can be read back.
    if (address === COMMAND) return 0;
    if (address === STATUS) return this.open ? STATUS_MACRAW : 0;
    return this.socket[address] ?? 0;
  }

  write(address, byte) {
    switch (this.block) {
      case COMMON:
        if (address === MODE && byte & MODE_RESET) return this.reset();
        this.common[address] = byte;
        return this.raise(0);
      case SOCKET:
        return this.writeSocket(address, byte);
      case TX:
        this.tx[address % BUFFER] = byte;
    }
  }

  writeSocket(address, byte) {
    const half = (value) => (address & 1 ? (value & 0xff00) | byte : (value & 0xff) | (byte << 8));
    switch (address) {
      case COMMAND:
        return this.obey(byte);
      case INTERRUPT:
        this.socket[INTERRUPT] &= ~byte;
        return this.raise(0);
      case TX_WRITE:
      case TX_WRITE + 1:
        this.txWrite = half(this.txWrite);
        return;
      case RX_READ:
      case RX_READ + 1:
        this.rxRead = half(this.rxRead);
        return;
    }
    this.socket[address] = byte;
    this.raise(0);
  }

  obey(command) {
    switch (command) {
      case COMMAND_OPEN:
        this.open = (this.socket[SOCKET_MODE] & 0x0f) === SOCKET_MODE_MACRAW;
        this.txRead = this.txWrite = 0;
        this.rxRead = this.rxWrite = this.rxTaken = 0;
        return;
      case COMMAND_CLOSE:
        this.open = false;
        return;
      case COMMAND_SEND:
        return this.transmit();
      case COMMAND_RECEIVE:
        this.rxTaken = this.rxRead;
        this.accept();
    }
  }

  transmit() {
    const length = (this.txWrite - this.txRead) & 0xffff;
    const frame = Buffer.alloc(Math.max(60, length)); // short frames are padded
    for (let i = 0; i < length; i++) frame[i] = this.tx[(this.txRead + i) % BUFFER];
    this.txRead = this.txWrite;
    this.raise(INTERRUPT_SENT);
    if (this.open && this.cable) this.send(frame);
  }

  /** A frame comes over the wire. */
  receive(frame) {
    if (!this.open || !this.cable || !this.wants(frame)) return;
    this.waiting.push(frame);
    this.accept();
  }

  wants(frame) {
    if (!(this.socket[SOCKET_MODE] & SOCKET_MODE_FILTER) || frame[0] & 1) return true;
    return this.common.subarray(HARDWARE_ADDRESS, HARDWARE_ADDRESS + 6).every((byte, i) => byte === frame[i]);
  }

  /** As many of the frames on the wire as there is room for, each with two bytes of length before it. */
  accept() {
    while (this.waiting.length > 0 && this.held() + this.waiting[0].length + 2 <= BUFFER) {
      const frame = this.waiting.shift();
      const length = frame.length + 2;
      for (const byte of [length >> 8, length & 0xff, ...frame]) {
        this.rx[this.rxWrite % BUFFER] = byte;
        this.rxWrite = (this.rxWrite + 1) & 0xffff;
      }
      this.raise(INTERRUPT_RECEIVED);
    }
  }

  held() {
    return (this.rxWrite - this.rxTaken) & 0xffff;
  }

  raise(event) {
    this.socket[INTERRUPT] |= event;
    const seen = this.socket[INTERRUPT] & this.socket[INTERRUPT_MASK] && this.common[SOCKET_INTERRUPT_MASK] & 1;
    this.interrupt(!seen);
  }
}
