// One TCP connection from the emulated network to the board, spliced to a socket of this machine.
//
// The wire loses nothing and keeps the order, so this is TCP without its defences: what comes out of order is asked for
// again, what is not acknowledged for a while is sent again, and there is no congestion.

import { ACK, FIN, PSH, RST, SYN, longestSegment, tcp } from './packets.mjs';

const WINDOW = 0xffff;
/** Milliseconds. A board in an emulator on a busy machine may take long. */
const AGAIN = 500;
/** So many of them for the first segment: a listening socket of the board may take a second one for another guest's. */
const FIRST_AGAIN = 6;
/** An acknowledgement waits this long for something to travel with. */
const LATER = 5;
/** Bytes from this machine that wait for the board's window. */
const QUEUE = 1 << 16;
const MSS = Buffer.from([2, 4, 0x05, 0xb4]);

const add = (sequence, count) => (sequence + count) >>> 0;
/** How far `a` is after `b`: negative if it comes before. */
const after = (a, b) => (a - b) | 0;

export class Connection {
  /**
   * @param send  takes each packet for the board
   * @param ended is called once, when the board may forget the ports
   */
  constructor(socket, from, to, send, ended) {
    Object.assign(this, { socket, from, to, send, ended });
    this.queue = Buffer.alloc(0); // from `unacknowledged` on
    this.first = (Math.random() * 0x100000000) >>> 0;
    this.unacknowledged = this.first;
    this.next = this.first;
    this.expected = 0;
    this.window = 0;
    this.segment = 536;
    this.state = 'connecting';
    this.finished = false; // this machine will send no more
    this.finSent = false;
    this.boardFinished = false;
    this.owed = 0; // segments not yet acknowledged to the board
    this.listen();
    this.next = add(this.first, 1);
    this.call();
    this.timer = setInterval(() => this.resend(), AGAIN);
  }

  listen() {
    const { socket } = this;
    socket.on('data', (bytes) => {
      this.queue = Buffer.concat([this.queue, bytes]);
      if (this.queue.length > QUEUE) socket.pause();
      this.push();
    });
    socket.on('end', () => {
      this.finished = true;
      this.push();
    });
    socket.on('drain', () => this.state === 'open' && this.acknowledge());
    socket.on('error', () => this.reset());
    socket.on('close', () => !this.boardFinished && this.reset());
  }

  /** From the board. */
  receive(segment) {
    if (segment.flags & RST) return this.refused();
    if (this.state === 'connecting') {
      if ((segment.flags & (SYN | ACK)) !== (SYN | ACK) || segment.acknowledge !== add(this.first, 1)) return;
      this.state = 'open';
      this.segment = Math.min(1460, longestSegment(segment.options));
      this.unacknowledged = segment.acknowledge;
      this.expected = add(segment.sequence, 1);
      this.window = segment.window;
      this.acknowledge();
      return this.push();
    }
    this.settle(segment);
    if (this.state === 'open') this.take(segment);
    this.push();
  }

  /** What the board has of ours. */
  settle({ flags, acknowledge, window }) {
    if (!(flags & ACK) || after(acknowledge, this.next) > 0) return;
    const count = after(acknowledge, this.unacknowledged);
    if (count < 0) return;
    this.window = window;
    this.unacknowledged = acknowledge;
    this.queue = this.queue.subarray(Math.min(count, this.queue.length));
    if (this.queue.length <= QUEUE / 2) this.socket.resume();
    if (this.boardFinished && this.finSent && acknowledge === this.next) this.close();
  }

  /** What the board has to say. */
  take({ sequence, flags, payload }) {
    const known = after(this.expected, sequence);
    // Nothing, from a place that is behind us, asks where we are (RFC 9293, 3.10.7.4): a probe, or an answer to a call without
    // its beginning.
    if (payload.length === 0 && !(flags & FIN)) return void (known > 0 && this.acknowledge());
    if (known < 0 || known > payload.length || this.boardFinished) return this.acknowledge();
    const fresh = payload.subarray(known);
    this.expected = add(this.expected, fresh.length);
    if (fresh.length > 0 && !this.socket.destroyed) this.socket.write(Buffer.from(fresh));
    if (!(flags & FIN)) return this.owe();
    this.expected = add(this.expected, 1);
    this.boardFinished = true;
    this.socket.end();
    this.acknowledge();
    if (this.finSent && this.unacknowledged === this.next) this.close();
  }

  owe() {
    if (++this.owed >= 2) return this.acknowledge();
    this.later ??= setTimeout(() => this.owed > 0 && this.acknowledge(), LATER);
  }

  /** As much of the queue as the board's window takes, and the end. */
  push() {
    if (this.state !== 'open') return;
    for (;;) {
      const flying = after(this.next, this.unacknowledged);
      const room = Math.min(this.segment, this.window - flying);
      const payload = this.queue.subarray(flying, flying + Math.max(0, room));
      if (this.finSent || payload.length === 0) break;
      this.emit(ACK | PSH, { sequence: this.next, payload });
      this.next = add(this.next, payload.length);
    }
    const flying = after(this.next, this.unacknowledged);
    if (this.finished && !this.finSent && flying === this.queue.length) {
      this.emit(ACK | FIN, { sequence: this.next });
      this.next = add(this.next, 1);
      this.finSent = true;
    }
  }

  /** Asks the board to open. */
  call() {
    if (this.state !== 'connecting') return;
    this.waited = 0;
    this.emit(SYN, { sequence: this.first, options: MSS });
  }

  resend() {
    if (this.state === 'connecting') {
      if (++this.waited >= FIRST_AGAIN) this.call();
      return;
    }
    if (this.next === this.unacknowledged || this.moved !== this.unacknowledged) {
      this.moved = this.unacknowledged;
      return;
    }
    this.next = this.unacknowledged;
    this.finSent = false;
    this.push();
  }

  acknowledge() {
    this.emit(ACK, { sequence: this.next });
  }

  emit(flags, { sequence, options, payload }) {
    clearTimeout(this.later);
    this.later = undefined;
    this.owed = 0;
    const window = Math.max(0, WINDOW - this.socket.writableLength);
    const acknowledge = flags & ACK ? this.expected : 0;
    this.send(tcp(this.from, this.to, { sequence, acknowledge, flags, window, options, payload }));
  }

  /** The board wants none of this. */
  refused() {
    if (this.state === 'closed') return;
    this.boardFinished = true;
    this.socket.resetAndDestroy();
    this.close();
  }

  /** This machine's side is gone. */
  reset() {
    if (this.state === 'closed') return;
    this.emit(RST | ACK, { sequence: this.next });
    this.close();
  }

  close() {
    if (this.state === 'closed') return;
    this.state = 'closed';
    clearInterval(this.timer);
    clearTimeout(this.later);
    this.ended();
  }
}
