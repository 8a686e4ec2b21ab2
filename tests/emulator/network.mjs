// A network of two: the board, and a host that gives it an address and passes connections from 127.0.0.1 on to it. The
// board reaches nothing else.

import dgram from 'node:dgram';
import net from 'node:net';

import { Connection } from './connection.mjs';
import * as dhcp from './dhcp.mjs';
import * as packets from './packets.mjs';

const HOST_HARDWARE = Buffer.from([0x52, 0x55, 10, 0, 2, 2]);
/** Milliseconds in which a board has surely taken up the address that it was given. */
const MOVES_IN = 50;
/** Where everybody asks everybody for names (RFC 6762), and the port of one who asks as plain DNS does. */
const NAMES = { address: packets.address('224.0.0.251'), port: 5353 };
const NAMES_HARDWARE = Buffer.from([0x01, 0x00, 0x5e, 0x00, 0x00, 0xfb]);
const PLAIN_PORT = 40000;
/** One who asked and is gone: nobody says where this address is. */
const GONE = packets.address('10.0.2.98');
const FIRST_PORT = 49152;
const LAST_PORT = 65535;

export class Network {
  /**
   * @param transmit takes each frame for the board
   * @param options  `board` and `host`: addresses; `dhcp`: whether anybody answers; `isTaken`: the first address that the
   *                 board chooses is somebody else's
   */
  constructor(transmit, { board, host, dhcp, isTaken }) {
    this.transmit = transmit;
    this.board = { address: packets.address(board), hardware: null };
    this.host = { address: packets.address(host), hardware: HOST_HARDWARE };
    this.lease = this.board.address; // whatever the board chooses for itself before a late router answers
    this.answers = dhcp;
    this.isTaken = isTaken;
    this.taken = null;
    this.connections = new Map(); // by the host's port
    this.port = FIRST_PORT;
    this.named = new Map(); // whom datagrams for the host's ports are passed on to
    this.answered = 0; // questions for the board's hardware address
  }

  /** Passes connections to 127.0.0.1 on `port` to the board's port `there`. */
  listen(port, there) {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.connect(socket, there));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server.address().port));
    });
  }

  connect(socket, there) {
    do this.port = this.port === LAST_PORT ? FIRST_PORT : this.port + 1;
    while (this.connections.has(this.port));
    const { port } = this;
    const from = { address: this.host.address, port };
    const to = { address: this.board.address, port: there };
    const ended = () => this.connections.delete(port);
    this.connections.set(port, new Connection(socket, from, to, (packet) => this.send(packet), ended));
  }

  /**
   * Passes datagrams to 127.0.0.1 on `port` on as if the host asked everybody for names, and on the port after it as one
   * who asks as plain DNS does, and on the one after that as such a one who is gone. What the board says to everybody, or to
   * the one who asks as plain DNS does, goes to who sent the last datagram.
   */
  async listenForNames(port) {
    const { address } = this.host;
    const askers = [
      { address, port: NAMES.port },
      { address, port: PLAIN_PORT },
      { address: GONE, port: PLAIN_PORT },
    ];
    for (const [nth, from] of askers.entries()) {
      const socket = dgram.createSocket('udp4');
      socket.on('message', (payload, sender) => {
        if (from.address !== GONE) this.named.set(from.port, (answer) => socket.send(answer, sender.port, sender.address));
        const packet = packets.udp(from, NAMES, payload);
        this.transmit(packets.ethernet(NAMES_HARDWARE, HOST_HARDWARE, packets.IPV4, packet));
      });
      await new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.bind(port + nth, '127.0.0.1', resolve);
      });
    }
    return port;
  }

  /** A packet for the board, once it is known who that is; until then it is lost, and sent again. */
  send(packet) {
    const { hardware } = this.board;
    if (hardware) return this.transmit(packets.ethernet(hardware, HOST_HARDWARE, packets.IPV4, packet));
    const question = packets.arp(1, this.host, { hardware: Buffer.alloc(6), address: this.board.address });
    this.transmit(packets.ethernet(packets.BROADCAST, HOST_HARDWARE, packets.ARP, question));
  }

  /** Asks for the board's hardware address so often at once; how often it answers within `patience` milliseconds. */
  burst(count, patience) {
    this.answered = 0;
    const question = packets.arp(1, this.host, { hardware: Buffer.alloc(6), address: this.board.address });
    const frame = packets.ethernet(packets.BROADCAST, HOST_HARDWARE, packets.ARP, question);
    for (let i = 0; i < count; i++) this.transmit(frame);
    return new Promise((resolve) => setTimeout(() => resolve(this.answered), patience));
  }

  /** A frame from the board. */
  receive(frame) {
    const [type, payload] = [frame.readUInt16BE(12), frame.subarray(14)];
    this.board.hardware = Buffer.from(frame.subarray(6, 12));
    if (type === packets.ARP && payload.length >= 28) this.receiveArp(packets.parseArp(payload));
    const packet = type === packets.IPV4 ? packets.parseIpv4(payload) : null;
    if (packet?.protocol === packets.UDP) this.receiveUdp(packet);
    if (packet?.protocol === packets.TCP) this.receiveTcp(packet);
  }

  receiveArp({ operation, sender, target }) {
    if (operation === 2) this.answered++;
    if (operation === 1 && !this.answers) this.hearChoice(sender, target);
    if (operation !== 1 || !target.address.equals(this.host.address)) return;
    const answer = packets.arp(2, this.host, sender);
    this.transmit(packets.ethernet(sender.hardware, HOST_HARDWARE, packets.ARP, answer));
  }

  /** A board that was given no address asks for one, and says when it has one. */
  hearChoice(sender, target) {
    const isAsked = sender.address.every((byte) => byte === 0);
    if (isAsked && this.isTaken) this.taken ??= target.address;
    if (isAsked && this.taken?.equals(target.address)) {
      const answer = packets.arp(2, { hardware: HOST_HARDWARE, address: target.address }, sender);
      this.transmit(packets.ethernet(sender.hardware, HOST_HARDWARE, packets.ARP, answer));
    }
    if (!sender.address.equals(target.address)) return;
    this.moveIn(Buffer.from(sender.address));
    console.error(`network: the board chose ${sender.address.join('.')}`);
  }

  /** The board is found there from now on. Whoever called earlier called nobody. */
  moveIn(address) {
    this.board.address = address;
    this.connections.forEach((connection) => {
      connection.to.address = address;
      connection.call();
    });
  }

  receiveUdp(packet) {
    const datagram = packets.parseUdp(packet.payload);
    const isNamed = packet.to.equals(NAMES.address) || packet.to.equals(this.host.address);
    if (datagram && isNamed) this.named.get(datagram.to)?.(datagram.payload);
    if (datagram?.to !== dhcp.SERVER_PORT || !this.answers) return;
    const answer = dhcp.answer(datagram.payload, this.host.address, this.lease);
    if (!answer) return;
    if (answer.leased) {
      console.error(`network: ${this.lease.join('.')} leased to "${answer.hostname}"`);
      setTimeout(() => this.moveIn(this.lease), MOVES_IN);
    }
    const from = { address: this.host.address, port: dhcp.SERVER_PORT };
    const to = { address: Buffer.alloc(4, 0xff), port: dhcp.CLIENT_PORT };
    const reply = packets.udp(from, to, answer.payload);
    this.transmit(packets.ethernet(packets.BROADCAST, HOST_HARDWARE, packets.IPV4, reply));
  }

  receiveTcp(packet) {
    const segment = packets.parseTcp(packet.payload);
    if (!segment || !packet.to.equals(this.host.address)) return;
    const connection = this.connections.get(segment.to);
    if (connection) return connection.receive(segment);
    if (segment.flags & packets.RST) return;
    // The board still believes in a connection that is gone here.
    const from = { address: this.host.address, port: segment.to };
    const to = { address: packet.from, port: segment.from };
    const length = segment.payload.length + (segment.flags & packets.FIN ? 1 : 0);
    const acknowledge = (segment.sequence + length) >>> 0;
    const flags = packets.RST | packets.ACK;
    this.send(packets.tcp(from, to, { sequence: segment.acknowledge, acknowledge, flags, window: 0 }));
  }
}
