// What a player knows of one game: the server's lines to who stands where, owns what and may do what. Nothing is in here
// that the server has not told.

import { spaceNamed, systems } from "./map.js";
import { aged, load, token } from "./tokens.js";

// Who knows: "public", or a digit a player.
const knows = (secrecy, id) => secrecy === "public" || secrecy[id] === "1";

// One step offered: `space!walk|jump!cost` and perhaps the pilot numbers.
function step(text) {
  const [name, how, cost, numbers = ""] = text.split("!");
  return { space: spaceNamed.get(name), name, isJump: how === "jump", cost: Number(cost), numbers: [...numbers].map(Number) };
}

const codes = (text) => (text === "-" ? [] : text.split("-").filter(Boolean));

function remove(list, it) {
  let at = list.indexOf(it);
  if (at < 0) at = list.findIndex((other) => other.sort === it.sort);
  if (at >= 0) list.splice(at, 1);
}

export class Mirror {
  constructor() {
    this._RESET();
  }

  take({ name, fields }) {
    const act = this[`_${name}`];
    if (act) act.apply(this, fields);
    return Boolean(act);
  }

  // --- what follows from it -------------------------------------------------------------------------------------------

  get seat() {
    return this.me === null ? null : (this.players.get(this.me) ?? null);
  }
  get isStarted() {
    return this.order.length > 0;
  }
  get isOver() {
    return this.state === "TerminalState";
  }
  get isMyTurn() {
    return this.me !== null && this.me === this.current && this.isStarted && !this.isOver;
  }
  may(action) {
    return this.legal.has(action);
  }
  get inOrder() {
    return this.isStarted ? this.order.map((id) => this.players.get(id)).filter(Boolean) : [...this.players.values()];
  }

  ship(player) {
    return player.things.find((it) => it.kind === "ship") ?? null;
  }
  // Half-holds used and there.
  hold(player) {
    return { used: load(player.things), all: this.ship(player)?.holds ?? 0 };
  }
  has(player, name) {
    return player.things.some((it) => it.name === name);
  }
  // The culture of a system as far as this player knows; null: unknown.
  cultureOf(system) {
    return this.homes.get(system.name) ?? null;
  }
  // Where a culture lives, as far as this player knows.
  homeOf(race) {
    for (const [name, lives] of this.homes) if (lives === race) return systems.get(name);
    return null;
  }
  isPublic(system) {
    return this.systems.get(system.name) === "public";
  }
  // Who else has seen what is there.
  knowers(secrecy = "") {
    return this.inOrder.filter((player) => knows(secrecy, player.id));
  }
  // What stands at a space now: { kind, colour, sum, gate, relic, owner }; null where a box is closed to this player.
  at(space) {
    const built = this.boxes.get(space.name)?.contents;
    if (space.kind === "box" || built) return built ?? null;
    return { kind: space.kind, colour: space.colour, sum: space.sum };
  }
  // A system's culture is here to trade with: in its cities and at its stations.
  tradesAt(space) {
    const kind = this.at(space)?.kind;
    return kind === "city" || kind === "spacecity" || kind === "station";
  }
  // What a culture gives for a thing, demands included; null: nothing.
  offer(race, it) {
    if (!it.buyers.includes(race) || it.kind === "iou") return null;
    if (it.kind !== "good" || it.isFactoryGood) return it.sell;
    const wanted = this.stock(race).filter((other) => other.kind === "demand" && other.name === it.name);
    return it.sell + wanted.reduce((sum, other) => sum + other.sell, 0);
  }
  // What passing or staying at such a space costs a player now: less with shields, nothing with the drive of its colour on.
  toll(player, here) {
    if (here?.kind !== "penalty") return 0;
    const skips = { red: ["RD", "CD"], yellow: ["YD", "CD"] }[here.colour] ?? [];
    if (skips.some((code) => player.on.includes(code))) return 0;
    return Math.max(0, here.sum - player.things.reduce((sum, it) => sum + it.shield, 0));
  }
  stock(race) {
    return this.bases.get(race) ?? [];
  }
  // The price of a thing for a player: deeds are cheaper at home.
  price(player, it, race) {
    return it.kind === "deed" && player.race === race ? it.buy * 0.8 : it.buy;
  }

  // The board as it is now, for a line of the log: small, as thousands are kept.
  scene() {
    return {
      at: this.#ofAll((player) => player.space?.id ?? null),
      worth: this.#ofAll((player) => player.worth),
      current: this.current,
      boxes: this.#boxesSeen,
      homes: this.#homesSeen,
      dice: this.dice,
      points: this.points,
    };
  }
  get #boxesSeen() {
    return (this.boxesCopy ??= new Map(this.boxes));
  }
  // Who lives where, and whether all knew it then.
  get #homesSeen() {
    const seen = ([name, race]) => [name, { race, isPublic: this.isPublic({ name }) }];
    return (this.homesCopy ??= new Map([...this.homes].map(seen)));
  }
  #ofAll(what) {
    return Object.fromEntries([...this.players.values()].map((player) => [player.id, what(player)]));
  }

  // --- lines, by their names --------------------------------------------------------------------------------------------

  _RESET() {
    Object.assign(this, {
      me: null,
      players: new Map(),
      winMoney: 0,
      order: [],
      current: null,
      state: "",
      description: "",
      legal: new Set(),
      // What the bases have, by race: a list of tokens.
      bases: new Map(),
      // Secrecy by system, races that are known, secrecy and contents by box.
      systems: new Map(),
      homes: new Map(),
      boxes: new Map(),
      factories: new Map(),
      switches: [],
      dice: "",
      points: null,
      pilot: { number: 0, isFixed: false },
      pilotChoice: [],
      destination: { penalty: 0, isFirst: false, steps: [] },
      left: { buys: 0, sells: 0 },
      winner: null,
      // Actions that were told, so that an answer can be told from its question.
      actions: 0,
      boxesCopy: null,
      homesCopy: null,
    });
  }

  _OPTIONS(winMoney) {
    this.winMoney = Number(winMoney);
  }
  _IAM(id) {
    this.me = Number(id);
  }
  _PLAYER(name, id) {
    this.players.set(Number(id), {
      id: Number(id),
      name,
      likes: false,
      race: "",
      cash: 0,
      barter: 0,
      worth: 0,
      space: null,
      on: [],
      things: [],
    });
  }
  _PLAYEROKSTARTUP(id, likes) {
    this.#player(id).likes = likes === "1";
  }
  _TURNORDER(order) {
    this.order = [...order].map(Number);
  }
  _CURPLAYER(id) {
    this.current = Number(id);
    this.#player(id).on = [];
    Object.assign(this, { switches: [], dice: "", points: null, pilotChoice: [] });
    this.destination = { penalty: 0, isFirst: false, steps: [] };
  }
  _PLAYERMONEY(id, cash, barter, worth) {
    Object.assign(this.#player(id), { cash: Number(cash), barter: Number(barter), worth: Number(worth) });
  }
  _PLAYERRACE(id, race) {
    this.#player(id).race = race;
  }
  _PLAYERLOCATION(id, name) {
    this.#player(id).space = spaceNamed.get(name) ?? null;
  }
  _REMAININGTRANSCOUNT(id, buys, sells) {
    this.left = { buys: Number(buys), sells: Number(sells) };
  }
  _ADDTOPLAYER(id, text) {
    this.#player(id).things.push(token(text));
  }
  _SUBTRACTFROMPLAYER(id, text) {
    remove(this.#player(id).things, token(text));
  }
  _AGEPLAYER(id) {
    const player = this.#player(id);
    player.things = player.things.map(aged);
  }
  _ADDTOTRADEBASE(race, text) {
    if (!this.bases.has(race)) this.bases.set(race, []);
    this.bases.get(race).push(token(text));
  }
  _SUBTRACTFROMTRADEBASE(race, text) {
    remove(this.stock(race), token(text));
  }
  _SOLARSYSTEMPRIVACY(name, secrecy) {
    this.systems.set(name, secrecy);
  }
  _BASELOCATION(name, race) {
    this.homes.set(name, race);
    this.homesCopy = null;
  }
  _QBOXPRIVACY(name, secrecy) {
    this.#box(name).secrecy = secrecy;
  }
  _QBOXCONTENTS(name, text) {
    this.#box(name).contents = contents(text);
  }
  _FACTORYOWNER(race, id) {
    this.factories.set(race, Number(id));
  }
  _SWITCHABLES(list) {
    this.switches = codes(list);
  }
  _SELECTEDSWITCHABLES(id, list) {
    this.#player(id).on = codes(list);
    this.switches = [];
  }
  _DICE(dice) {
    this.dice = dice;
    if (dice.includes("?")) this.points = null;
  }
  _MPLEFT(points) {
    this.points = Number(points);
  }
  _PILOTNUMBERCHOICE(digits) {
    this.pilotChoice = [...digits].map(Number);
  }
  _PILOTNUMBERCHOSEN(id, number, fixed) {
    this.pilot = { number: Number(number), isFixed: fixed === "1" };
  }
  _DESTINATION(penalty, first, list) {
    const steps = list === "" ? [] : list.split("/").map(step);
    this.destination = { penalty: Number(penalty), isFirst: first === "1", steps: steps.filter(({ space }) => space) };
  }
  _NEWSTATE(state, description) {
    this.state = state;
    this.description = description;
    this.legal = new Set();
    this.actions += 1;
    if (state !== "SelectPilotNumber") this.pilotChoice = [];
  }
  _LEGALACTION(action) {
    this.legal.add(action);
  }
  _PLAYERWINS(id) {
    this.winner = Number(id);
  }

  #player(id) {
    return this.players.get(Number(id)) ?? {};
  }
  #box(name) {
    this.boxesCopy = null;
    const box = { secrecy: "", contents: null, ...this.boxes.get(name) };
    this.boxes.set(name, box);
    return box;
  }
}

const COLOURS = { B: "blue", Y: "yellow", R: "red" };

// `Telegate n`, `Station`, `Station player`, `Penalty B|Y|R sum`, `Asteroid`, `Asteroid ` and the relic.
function contents(text) {
  const [word, rest, sum] = text.split(" ");
  switch (word) {
    case "Telegate":
      return { kind: "telegate", gate: Number(rest), colour: "blue" };
    case "Station":
      return { kind: "station", owner: rest === undefined ? null : Number(rest) };
    case "Penalty":
      return { kind: "penalty", colour: COLOURS[rest], sum: Number(sum) };
  }
  return { kind: "asteroid", relic: rest === undefined ? null : token(text.slice("Asteroid ".length)) };
}
