// An RP2040 out of rp2040js, with what that leaves out: events (SEV), the boot ROM's functions, a flash chip that can be
// erased, programmed and asked for its number, and resets.

import { Simulator } from 'rp2040js';

const FLASH = 0x10000000;
const FLASH_SIZE = 2 * 1024 * 1024;
const VECTORS = FLASH + 0x100; // after the second stage of the boot loader
const SECTOR = 4096;
const PAGE = 256;
// As the data sheet of the board's flash chip says, in nanoseconds.
const ERASE_TIME = 45e6;
const PROGRAM_TIME = 0.4e6;
const READ_NUMBER = 0x4b;
const NUMBER = [0xe6, 0x61, 0x38, 0x97, 0x13, 0x22, 0x05, 0x20];

const RESET_REQUEST = 0xd0c; // AIRCR
const RESET_REQUEST_BIT = 4;
// Where rp2040js keeps its peripherals: the address without its last three digits.
const XIP = 0x14000;
const SSI = 0x18000;
const SSI_DATA = 0x60;
const WATCHDOG = 0x40058;
const IO_QSPI = 0x40018;
const SELECT_STATUS = 0x08; // of the flash chip's select, which the button BOOTSEL pulls down
const IN_FROM_PAD = 1 << 17;

/** Two instructions for each of the ROM's functions: BKPT #number, which ends up here, and BX LR. */
const BKPT = 0xbe00;
const BX_LR = 0x4770;
const ROM_FUNCTIONS = 0x100;
const ROM_TABLE_POINTER = 0x14;
const ROM_LOOKUP_POINTER = 0x18;

export class Chip {
  /** @param stopped is told why, when the board resets itself or does what no board can. */
  constructor(stopped) {
    const { rp2040, clock } = new Simulator();
    this.mcu = rp2040;
    this.clock = clock;
    this.stopped = stopped;
    this.wrote = () => {}; // offset and length of what has changed in flash
    this.mcu.logger = this.logger();
    this.mcu.onBreak = (number) => this.breakpoint(number);
    // The flash cache is always idle.
    this.mcu.peripherals[XIP] = { readUint32: () => 0, writeUint32Atomic: () => {} };
    this.isPressed = false; // the button BOOTSEL
    this.addButton();
    this.addRom();
    this.addFlashNumber();
    this.addResets();
  }

  /** All of flash, to be filled before the start. */
  get flash() {
    return this.mcu.flash.subarray(0, FLASH_SIZE);
  }

  load(address, bytes) {
    if (address < FLASH || address + bytes.length > FLASH + FLASH_SIZE) throw new Error('a segment outside flash');
    this.mcu.flash.set(bytes, address - FLASH);
  }

  /** Where the boot loader would end: at the image's vectors. */
  start() {
    const { core } = this.mcu;
    core.VTOR = VECTORS;
    core.SP = this.mcu.readUint32(VECTORS);
    core.PC = this.mcu.readUint32(VECTORS + 4) & ~1;
  }

  logger() {
    const verbose = process.env.PARLOR_VERBOSE;
    const say = (level) => (name, text) => verbose && console.error(`${level} ${name}: ${text}`);
    return {
      debug: say('debug'),
      // The only trace that SEV leaves in this emulator; WFE has to see it.
      info: (name, text) => (text === 'SEV' ? (this.mcu.core.eventRegistered = true) : say('info')(name, text)),
      warn: say('warn'),
      error: say('error'),
    };
  }

  addButton() {
    this.mcu.peripherals[IO_QSPI] = {
      readUint32: (offset) => (offset === SELECT_STATUS && !this.isPressed ? IN_FROM_PAD : 0),
      writeUint32Atomic: () => {},
    };
  }

  // --- the boot ROM

  addRom() {
    this.functions = [
      ['lookup', (table, code) => this.find(code)],
      ['IF', () => {}], // connect_internal_flash
      ['EX', () => {}], // flash_exit_xip
      ['FC', () => {}], // flash_flush_cache
      ['CX', () => {}], // flash_enter_cmd_xip
      ['RE', (offset, length) => this.erase(offset, length)],
      ['RP', (offset, data, length) => this.program(offset, data, length)],
      ['C4', (to, from, length) => this.copy(to, from, length)],
      ['MC', (to, from, length) => this.copy(to, from, length)],
    ];
    const rom = new DataView(this.mcu.bootrom.buffer);
    this.functions.forEach((_, number) => {
      rom.setUint16(ROM_FUNCTIONS + 4 * number, BKPT | number, true);
      rom.setUint16(ROM_FUNCTIONS + 4 * number + 2, BX_LR, true);
    });
    rom.setUint16(ROM_TABLE_POINTER, ROM_FUNCTIONS, true);
    rom.setUint16(ROM_LOOKUP_POINTER, ROM_FUNCTIONS | 1, true);
  }

  /** The address of a function of the ROM by its two letters, as Thumb code is called. */
  find(code) {
    const letters = String.fromCharCode(code & 0xff, code >> 8);
    const number = this.functions.findIndex(([name]) => name === letters);
    if (number < 0) this.stopped(`the boot ROM has no function ${letters} here`);
    return number < 0 ? 0 : (ROM_FUNCTIONS + 4 * number) | 1;
  }

  breakpoint(number) {
    const { core } = this.mcu;
    const inRom = core.PC < 0x4000;
    const [, act] = (inRom && this.functions[number]) || [];
    if (!act) return this.stopped(`breakpoint ${number} at 0x${core.PC.toString(16)}`);
    const [a, b, c] = core.registers;
    core.registers[0] = act(a, b, c) ?? a;
  }

  copy(to, from, length) {
    for (let i = 0; i < length; i++) this.mcu.writeUint8(to + i, this.mcu.readUint8(from + i));
  }

  // --- the flash chip

  erase(offset, length) {
    if (offset % SECTOR || length % SECTOR || offset + length > FLASH_SIZE) return this.stopped('erases half a sector');
    this.flash.fill(0xff, offset, offset + length);
    this.wrote(offset, length);
    this.clock.tick((length / SECTOR) * ERASE_TIME);
  }

  program(offset, data, length) {
    if (offset % PAGE || length % PAGE || offset + length > FLASH_SIZE) return this.stopped('programs half a page');
    // Programming clears bits and never sets one.
    for (let i = 0; i < length; i++) this.mcu.flash[offset + i] &= this.mcu.readUint8(data + i);
    this.wrote(offset, length);
    this.clock.tick((length / PAGE) * PROGRAM_TIME);
  }

  /** The one command that goes past the ROM: four empty bytes, then the number. */
  addFlashNumber() {
    const ssi = this.mcu.peripherals[SSI];
    const [read, write] = [ssi.readUint32.bind(ssi), ssi.writeUint32.bind(ssi)];
    let answer = [];
    ssi.writeUint32 = (offset, value) => {
      if (offset === SSI_DATA && (value & 0xff) === READ_NUMBER) answer = [0, 0, 0, 0, ...NUMBER];
      else write(offset, value);
    };
    ssi.readUint32 = (offset) => (offset === SSI_DATA && answer.length > 0 ? answer.shift() : read(offset));
  }

  // --- resets

  addResets() {
    const { ppb } = this.mcu;
    const write = ppb.writeUint32.bind(ppb);
    ppb.writeUint32 = (offset, value) => {
      if (offset === RESET_REQUEST && value & RESET_REQUEST_BIT) this.stopped('the board resets itself');
      else write(offset, value);
    };
    this.mcu.peripherals[WATCHDOG].onWatchdogTrigger = () => this.stopped('the watchdog resets the board');
  }
}
