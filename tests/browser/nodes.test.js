// A page of a cluster goes straight to the node that has its table, and by the others when nodes are gone. The nodes are stand-ins
// before one server: they tell the page what nodes tell it, and let it connect where nodes would.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { act, says, status } from "./hands.js";
import { Server, opens, person, scene, script, sit } from "./stage.js";

class Node {
  // Where `/where` sends pages, the shortest way first; "": here.
  ways = [""];
  // The addresses of all nodes.
  static all = [];

  static async start(server) {
    const node = opens(new Node());
    node.port = Number(server.http.split(":")[1]);
    await node.run(0);
    node.url = `http://127.0.0.1:${node.listener.address().port}`;
    Node.all.push(node.url);
    return node;
  }

  async run(port) {
    this.sockets = new Set();
    this.listener = createServer((asked, answer) => this.#answer(asked, answer));
    this.listener.on("upgrade", (asked, near, head) => this.#splice(asked, near, head));
    this.listener.on("connection", (socket) => this.#note(socket));
    await new Promise((done) => this.listener.listen(port, "127.0.0.1", done));
  }

  #note(socket) {
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(socket));
  }

  // To the server it is a page of its own.
  #headers({ headers }) {
    const own = `127.0.0.1:${this.port}`;
    return { ...headers, host: own, "accept-encoding": "identity", ...(headers.origin && { origin: `http://${own}` }) };
  }

  #answer(asked, answer) {
    if (asked.url.startsWith("/where/")) return answer.end(JSON.stringify({ ways: this.ways }));
    const { method, url: path } = asked;
    const passed = request({ port: this.port, host: "127.0.0.1", method, path, headers: this.#headers(asked) }, (found) => {
      const { headers } = found;
      const isPage = /html/.test(headers["content-type"]);
      if (isPage) {
        const nodes = Node.all.flatMap((url) => [url, url.replace("http", "ws")]).join(" ");
        headers["content-security-policy"] += `; connect-src 'self' ${nodes}`;
        delete headers["content-length"];
      }
      answer.writeHead(found.statusCode, headers);
      found.on("data", (part) => answer.write(isPage ? String(part).replace("<html ", '<html data-cluster="1" ') : part));
      found.on("end", () => answer.end());
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  }

  #splice(asked, near, head) {
    const lines = Object.entries(this.#headers(asked)).map(([name, value]) => `${name}: ${value}\r\n`);
    const far = connect({ host: "127.0.0.1", port: this.port });
    this.#note(far);
    far.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  }

  // Nothing listens here any more, and nobody is connected.
  stop() {
    this.listener.close();
    this.sockets.forEach((socket) => socket.destroy());
  }

  close() {
    this.stop();
  }
}

scene("a page finds its table at another node, and comes back by whichever is there", async () => {
  // The folder's pages are no node's.
  if (process.env.PARLOR_WEB) return;
  const server = await Server.start("--seed", script(0x12, 0x24), "--claim-grace", "0", "--vote-pause", "0");
  const [here, there] = [await Node.start(server), await Node.start(server)];
  here.ways = [there.url, ""];
  const ann = await person();
  const went = [];
  const gamesOnly = (socket) => /\/ws\/pimp\//.test(socket.url()) && went.push(new URL(socket.url()).origin.replace("ws", "http"));
  ann.on("websocket", gamesOnly);
  await sit(ann, here, "Ann");
  await status(ann, /Waiting/);
  assert.deepEqual(went, [there.url], "straight to whoever has the table");
  const bob = await person();
  await sit(bob, server, "Bob");
  await act(ann, "Let in");
  await status(bob, /Your turn/);

  // The owner is gone: the node that the page is from has the table now.
  here.ways = ["", there.url];
  there.stop();
  await act(bob, "Throw the dice");
  await act(bob, "Buy for $60");
  await says(ann, "Bob owns Baltic Avenue now.");
  await status(ann, /Your turn/);
  assert.equal(went.at(-1), here.url);

  // Now that one is gone, and nobody is left to be asked: the page knows the other.
  await there.run(Number(new URL(there.url).port));
  here.stop();
  await ann.getByText("The connection is lost. Your seat is kept").waitFor();
  await ann.getByText("The connection is lost.").waitFor({ state: "detached" });
  assert.equal(went.at(-1), there.url);
  await act(ann, "Throw the dice");
  await says(bob, /^Ann throws 2 and 4/);
});
