// Boots an unmodified image of the W5500-EVB-Pico: `node run.mjs ELF`. Its log goes to stdout as the board encodes it.
// `node run.mjs ELF FILE.uf2…` loads these files instead, as the board's boot loader would, and has only names of the ELF.
//   PARLOR_PIMP_PORT  where the board's port 13220 is found on 127.0.0.1 (13220), and
//   PARLOR_YARD_PORT  its port 7921 (7921),
//   PARLOR_VENUS_PORT its port 4356 (4356),
//   PARLOR_HTTP_PORT  its port 80 (8080)
//   PARLOR_ECHO_PORT  its port 10007, if that is said
//   PARLOR_ONLY=1     none but those of these ports that are said
//   PARLOR_MDNS_PORT  where datagrams on 127.0.0.1 are put before the board as questions for names; one more: plain DNS;
//                     two more: plain DNS of one who is gone
//   PARLOR_CLOCK_PORT where whoever connects on 127.0.0.1 and says a number hears the end after so many milliseconds of the chip's
//   PARLOR_ARGS       options for the image, put into its page of settings: "seed=42"
//   PARLOR_FLASH      a file that keeps what the board writes to its flash, for the next time
//   PARLOR_DHCP=off   nobody gives the board an address; `late`: only after 20 s of the chip's; `taken`: nobody, and what it chooses first is
//                     somebody else's
//   PARLOR_PCAP       a file that gets every frame of the board's cable, for Wireshark
//   PARLOR_SECONDS    ends after so many seconds, with exit code 0
//   PARLOR_VERBOSE=1  what the emulator thinks of what the image does
// Exit code 1: the board has reset itself. SIGUSR2 pulls the cable, and plugs it in again. SIGUSR1 sends a burst of frames
// that all want an answer, and says how many got one. SIGHUP holds the button BOOTSEL down, and lets it go again.

import fs from 'node:fs';
import net from 'node:net';

import { Chip } from './chip.mjs';
import { Elf } from './elf.mjs';
import { Log } from './log.mjs';
import { Network } from './network.mjs';
import { Pace } from './pace.mjs';
import { capture } from './pcap.mjs';
import { pages } from './uf2.mjs';
import { W5500 } from './w5500.mjs';

const FLASH = 0x10000000;
const PINS = { select: 17, reset: 20, interrupt: 21, lamp: 25 };
const PORTS = [
  { name: 'PARLOR_PIMP_PORT', here: 13220, there: 13220 },
  { name: 'PARLOR_YARD_PORT', here: 7921, there: 7921 },
  { name: 'PARLOR_VENUS_PORT', here: 4356, there: 4356 },
  { name: 'PARLOR_ECHO_PORT', there: 10007 },
  { name: 'PARLOR_HTTP_PORT', here: 8080, there: 80 },
];
const LEASED = { board: '10.0.2.15', host: '10.0.2.2', dhcp: true };
const UNLEASED = { board: '169.254.0.0', host: '169.254.0.1', dhcp: false };

/** Frames of a burst, and milliseconds for the answers. */
const BURST = 30;
const BURST_PATIENCE = 5000;
/** Milliseconds of the chip until a late router answers: on a busy machine they are longer than ours. */
const LATE = 20_000;

const { env } = process;
const [elfFile, ...uf2Files] = process.argv.slice(2);
const elf = new Elf(fs.readFileSync(elfFile));

let stopping = false;
function stop(why, code) {
  if (stopping) return;
  stopping = true;
  log.poll();
  console.error(`emulator: ${why}; ${lamp()}, ${(pace.instructions / 1e6).toFixed(1)} million instructions`);
  process.exit(code);
}

const chip = new Chip((why) => stop(why, 1));
const { mcu, clock } = chip;
const parts = uf2Files.length === 0 ? [elf.segments()] : uf2Files.map((file) => pages(fs.readFileSync(file)));
for (const part of parts) for (const { address, bytes } of part) chip.load(address, bytes);
keepFlash(env.PARLOR_FLASH);
if (env.PARLOR_ARGS) writeSettings(env.PARLOR_ARGS);

const log = new Log(mcu, elf.symbol('_SEGGER_RTT'), (bytes) => fs.writeSync(1, bytes));
const pace = new Pace(chip, () => log.poll());
const note = capture(env.PARLOR_PCAP);
const sent = (frame) => {
  note(frame);
  network.receive(frame);
};
const w5500 = new W5500(sent, (level) => mcu.gpio[PINS.interrupt].setInputValue(level));
const network = new Network(
  (frame) => {
    note(frame);
    w5500.receive(frame);
    pace.wake();
  },
  { on: LEASED, off: UNLEASED, taken: { ...UNLEASED, isTaken: true }, late: { ...LEASED, dhcp: false } }[env.PARLOR_DHCP ?? 'on'],
);
if (env.PARLOR_DHCP === 'late') clock.createAlarm(() => (network.answers = true)).schedule(LATE * 1e6);
wire();
const lamp = watchLamp();

const found = [];
for (const { name, here, there } of PORTS) {
  const port = env[name] || (env.PARLOR_ONLY ? undefined : here);
  if (port) found.push(`127.0.0.1:${await network.listen(Number(port), there)}`);
}
if (env.PARLOR_CLOCK_PORT) keepTime(Number(env.PARLOR_CLOCK_PORT));
if (env.PARLOR_MDNS_PORT) await network.listenForNames(Number(env.PARLOR_MDNS_PORT));
console.error(`w5500-evb-pico in rp2040js: ${found.join(' ')}`);
process.on('SIGTERM', () => stop('ended', 0));
process.on('SIGINT', () => stop('ended', 0));
process.on('SIGUSR1', async () => {
  const answered = await network.burst(BURST, BURST_PATIENCE);
  console.error(`network: ${answered} of a burst of ${BURST} answered`);
});
process.on('SIGUSR2', () => w5500.plug(!w5500.cable));
process.on('SIGHUP', () => (chip.isPressed = !chip.isPressed));
if (env.PARLOR_SECONDS) setTimeout(() => stop('time is over', 0), 1000 * Number(env.PARLOR_SECONDS));
chip.start();
pace.slice();

/** The saved games and what was chosen as the file has them, and whatever is written from now on into the file. */
function keepFlash(file) {
  if (!file) return;
  const [first, end] = [elf.symbol('_chosen_start') - FLASH, elf.symbol('_saved_end') - FLASH];
  if (fs.existsSync(file)) chip.flash.set(fs.readFileSync(file).subarray(first, end), first);
  else fs.writeFileSync(file, chip.flash);
  const open = fs.openSync(file, 'r+');
  chip.wrote = (offset, length) => fs.writeSync(open, chip.flash, offset, length, offset);
}

function writeSettings(words) {
  const [start, end] = [elf.symbol('_settings_start'), elf.symbol('_settings_end')].map((at) => at - FLASH);
  const text = Buffer.from(words);
  if (text.length > end - start) throw new Error('too many options for their page');
  chip.flash.fill(0xff, start, end);
  chip.flash.set(text, start);
}

/** For whoever waits for what the chip does at a time: a busy chip is slower here than in silicon, and so is its clock. */
function keepTime(port) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      // A chip that sleeps looks at the time when it is woken: before, or its clock is late; and after, or it sleeps for too long.
      pace.wake();
      setImmediate(() => {
        const passed = clock.createAlarm(() => {
          pace.linger();
          socket.end();
        });
        passed.schedule(Math.max(1, Number(data)) * 1e6);
        pace.wake();
      });
    });
  });
  server.listen(port, '127.0.0.1', () => console.error(`the chip's clock: 127.0.0.1:${port}`));
}

/** SPI at its own speed, and the chip's other pins. */
function wire() {
  const [spi] = mcu.spi;
  let answer = 0;
  const done = clock.createAlarm(() => spi.completeTransmit(answer));
  spi.onTransmit = (byte) => {
    answer = w5500.exchange(byte & 0xff);
    done.schedule(8e9 / (spi.clockFrequency || 1e6));
  };
  mcu.gpio[PINS.select].addListener((level) => w5500.select(level === 0));
  mcu.gpio[PINS.reset].addListener((level) => level === 0 && w5500.reset());
}

function watchLamp() {
  let [on, changes] = [false, 0];
  mcu.gpio[PINS.lamp].addListener((level) => {
    changes++;
    on = level === 1;
  });
  return () => `lamp ${on ? 'on' : 'off'} after ${changes} changes`;
}
