// A board in its emulator for the tests, in place of the program: PARLOR_IMAGE is what it runs, and PARLOR_RUN what boots it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { end, opens } from "./stage.js";

// A port that nobody has just now.
async function freePort() {
  const listener = createServer();
  await new Promise((done) => listener.listen(0, "127.0.0.1", done));
  const { port } = listener.address();
  await new Promise((done) => listener.close(done));
  return port;
}

export class Board {
  // With these options; it has an address when this is done.
  static async start(...options) {
    const board = opens(new Board());
    const port = await freePort();
    board.http = `127.0.0.1:${port}`;
    board.url = `http://${board.http}`;
    board.log = "";
    const env = { ...process.env, PARLOR_ONLY: "1", PARLOR_HTTP_PORT: String(port), PARLOR_ARGS: options.join(" ") };
    board.child = spawn("setpriv", ["--pdeathsig", "KILL", process.env.PARLOR_RUN, process.env.PARLOR_IMAGE], { env });
    for (const stream of [board.child.stdout, board.child.stderr]) stream.on("data", (text) => (board.log += text));
    while (!board.log.includes("network: address")) {
      assert.equal(board.child.exitCode, null, `the emulator has ended: ${board.log}`);
      await new Promise((done) => setTimeout(done, 20));
    }
    return board;
  }

  // It complains of nothing, and was not reset.
  isWell() {
    assert.doesNotMatch(this.log, /ERROR/);
    assert.equal(this.log.match(/parlor on/g).length, 1);
  }

  // What it says of itself.
  async status() {
    return (await fetch(`${this.url}/status`)).text();
  }

  tell() {
    const lines = this.log.trim().split("\n").slice(-30);
    console.log(["the board's log:", ...lines].map((line) => `# ${line}`).join("\n"));
  }

  close() {
    return end(this.child);
  }
}
