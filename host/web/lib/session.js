// One user of one server, in any game: the line to it, the tab that has the seat, and the log. A game's own session says
// what to say first (`greet`), takes what it hears (`hear`), and tells what the user is asked (`question`). What the screen
// shows is drawn from here; nothing here draws.

import { lang } from "./lang.js";
import { Line } from "./socket.js";

// Lines of the log that are kept at least; a quarter more before the oldest go.
const LINES = 2400;

export class Session {
  // "door" (asked for a name), "asking", "elsewhere" (another tab), and a game's own.
  stage = "door";
  // Why somebody stands there.
  notice = "";
  isUp = false;
  // When the line is tried next; 0: it was never lost.
  retryAt = 0;
  // Messages so far.
  heard = 0;
  // Each line with the board as it was then: { number, text, scene }.
  log = [];
  logged = 0;
  #asked = null;
  #id = Math.random();

  // `seat`: what only one tab can have. `events`: changed(): something to draw anew; refused(text): a sentence for the user;
  // yourTurn(): the table asks this user; and a game's own.
  constructor(path, codec, seat, events) {
    Object.assign(this, events);
    this.line = new Line(path, codec, {
      open: () => this.greet(),
      message: (said) => {
        this.heard += 1;
        this.hear(said);
      },
      settled: () => this.#settled(),
      lost: (pause) => this.lost(pause),
      probe: this.probe && (() => this.probe()),
    });
    // Two tabs with one seat would throw each other out for ever: the newer one has it.
    this.channel = new BroadcastChannel(`parlor:${seat}`);
    this.channel.onmessage = ({ data }) => {
      if (data !== this.#id && !["door", "elsewhere"].includes(this.stage)) this.hangUp("elsewhere");
    };
  }

  stand(stage, notice = "") {
    this.stage = stage;
    this.notice = notice;
    this.changed();
  }

  // With what the browser remembers.
  resume() {
    this.channel.postMessage(this.#id);
    this.stand("asking");
    this.line.connect();
  }

  hangUp(stage, notice) {
    this.line.close();
    this.isUp = false;
    this.stand(stage, notice);
  }

  up() {
    this.isUp = true;
    this.line.prove();
  }

  // Was it sent? If not, the user is told.
  sent(isSent) {
    if (!isSent) this.refused(lang.noConnection);
    return isSent;
  }

  write(text, scene = this.mirror.scene()) {
    if (!text) return;
    this.logged += 1;
    this.log.push({ number: this.logged, text, scene });
    if (this.log.length > LINES * 1.25) this.log.splice(0, this.log.length - LINES);
  }

  // After each batch of messages.
  #settled() {
    const { question } = this;
    if (question !== null && question !== this.#asked) this.yourTurn();
    this.#asked = question;
    this.settle?.();
    this.changed();
  }

  lost(pause) {
    this.isUp = false;
    this.retryAt = Date.now() + pause;
    this.changed();
  }
}
