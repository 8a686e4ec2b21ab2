// Keeps the board's time with this machine's.
//
// The board never runs ahead by more than a moment, also where one instruction takes long: while a sector of flash is
// erased. A board that has much to do is slower here than in silicon: the time that it took too long is forgiven, not made
// up for, or else its timers would ring early afterwards.

/** Nanoseconds that the board may be ahead, so that short waits need no sleep here. */
const AHEAD = 2e6;
/** Instructions before this machine's sockets are looked at. */
const SLICE = 10_000;

export class Pace {
  constructor({ mcu, clock }, look) {
    Object.assign(this, { mcu, clock, look });
    this.start = process.hrtime.bigint();
    this.forgiven = 0;
    this.instructions = 0;
    this.timer = undefined;
    this.slice = this.slice.bind(this);
  }

  /** Nanoseconds of this machine, without what was forgiven. */
  now() {
    return Number(process.hrtime.bigint() - this.start) - this.forgiven;
  }

  /** Something came for the board: it should see it at once. */
  wake() {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    setImmediate(this.slice);
  }

  /**
   * Somebody acts on this moment of the chip's: what the chip is late is forgiven, or it would hurry past the moment before they
   * could.
   */
  linger() {
    this.forgiven += Math.max(0, this.now() - this.clock.nanos);
  }

  slice() {
    this.timer = undefined;
    const ahead = Math.floor((this.clock.nanos - this.now() - AHEAD) / 1e6);
    if (ahead > 0) return void (this.timer = setTimeout(this.slice, ahead));
    const { core } = this.mcu;
    let left = SLICE;
    while (left > 0 && (core.waiting ? this.sleep() : true)) left -= core.waiting ? 1 : this.work(left);
    this.look();
    if (!core.waiting || left === 0) return void setImmediate(this.slice);
    const milliseconds = Math.max(1, Math.floor((this.untilAlarm() + this.clock.nanos - this.now()) / 1e6));
    this.timer = setTimeout(this.slice, Math.min(milliseconds, 1000));
  }

  untilAlarm() {
    return this.clock.nextAlarm ? this.clock.nanosToNextAlarm : Infinity;
  }

  /** Lets the time pass in which the board sleeps; false if there is none left. */
  sleep() {
    const room = this.now() - this.clock.nanos;
    const alarm = this.untilAlarm();
    if (alarm > room + AHEAD) {
      if (room > 0) this.clock.tick(room);
      return false;
    }
    this.clock.tick(Math.max(alarm, 1));
    return true;
  }

  /** Instructions, until the board sleeps or there were enough of them; how many there were. */
  work(limit) {
    const { clock } = this;
    const { core } = this.mcu;
    const cycle = 1e9 / this.mcu.clkSys;
    const [begun, time] = [this.now(), clock.nanos];
    let count = 0;
    while (!core.waiting && count < limit) {
      clock.tick(core.executeInstruction() * cycle);
      count++;
    }
    this.instructions += count;
    this.forgiven += Math.max(0, this.now() - begun - (clock.nanos - time));
    return Math.max(1, count);
  }
}
