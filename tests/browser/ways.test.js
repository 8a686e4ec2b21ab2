// The line of a page to its table, without a browser: straight to whoever has it where the page is of a cluster, by other nodes
// when one is gone, and without a question where there is no cluster.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Line } from "../../host/web/lib/socket.js";

let sockets;
let asked;
let answer;

beforeEach((context) => {
  sockets = [];
  asked = [];
  answer = () => Promise.reject(new Error("nobody answers"));
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Object.assign(globalThis, {
    addEventListener() {},
    location: new URL("http://a.example:8080/pimp?table=lobby"),
    document: { addEventListener() {}, documentElement: { dataset: { cluster: "1" } } },
    fetch: (path) => (asked.push(path), answer()),
    WebSocket: class {
      static OPEN = 1;
      constructor(url) {
        this.url = String(url);
        sockets.push(this);
      }
      close() {}
    },
  });
});

const codec = { Framer: class {} };
const events = { open() {}, message() {}, settled() {}, lost() {} };
const settle = () => new Promise((resolve) => setImmediate(resolve));
const tell = (ways) => (answer = async () => ({ json: async () => ({ ways }) }));

async function connect(path) {
  const line = new Line(path, codec, events);
  line.connect();
  await settle();
  return line;
}

async function lose(context) {
  sockets.at(-1).onclose();
  context.mock.timers.tick(30_000);
  await settle();
}

const last = () => sockets.at(-1).url;

test("a page of one server asks nobody and connects at once", () => {
  document.documentElement.dataset = {};
  new Line("/ws/pimp/1", codec, events).connect();
  assert.deepEqual([asked, last()], [[], "ws://a.example:8080/ws/pimp/1"]);
});

test("a page of a cluster connects straight to whoever has the table", async () => {
  tell(["http://b.example:8080", ""]);
  await connect("/ws/pimp/lobby");
  assert.deepEqual([asked, last()], [["/where/pimp/lobby"], "ws://b.example:8080/ws/pimp/lobby"]);
});

test("where the owner is not public, the node that the page is from passes it on", async () => {
  tell([""]);
  await connect("/ws/yard");
  assert.deepEqual([asked, last()], [["/where/yard"], "ws://a.example:8080/ws/yard"]);
});

test("where nobody answers, it goes to the node that the page is from", async () => {
  await connect("/ws/pimp/1");
  assert.equal(last(), "ws://a.example:8080/ws/pimp/1");
});

test("when nodes are gone, the page comes back by every other that it has heard of", async (context) => {
  tell(["http://b.example:8080", "", "http://c.example:8080"]);
  const line = await connect("/ws/pimp/1");
  line.prove();
  answer = () => Promise.reject(new Error("nobody answers"));
  const tried = [];
  for (let n = 0; n < 6; n += 1) {
    await lose(context);
    tried.push(new URL(last()).hostname[0]);
  }
  assert.equal(tried.join(""), "baaccb");
  // Found again, it goes the shortest way when that is another.
  line.prove();
  tell(["http://d.example", ""]);
  await lose(context);
  assert.equal(last(), "ws://d.example/ws/pimp/1");
});

test("while nobody has the table, its own node waits for whoever takes it", async (context) => {
  tell(["http://b.example:8080", ""]);
  const line = await connect("/ws/pimp/1");
  line.prove();
  tell([""]);
  await lose(context);
  assert.equal(last(), "ws://a.example:8080/ws/pimp/1");
});

test("a page over TLS stays with TLS", async () => {
  globalThis.location = new URL("https://a.example/pimp");
  tell(["https://b.example", ""]);
  await connect("/ws/pimp/1");
  assert.equal(last(), "wss://b.example/ws/pimp/1");
});

test("who hung up while asking is not connected", async () => {
  tell([""]);
  const line = new Line("/ws/pimp/1", codec, events);
  line.connect();
  line.close();
  await settle();
  assert.deepEqual(sockets, []);
});
