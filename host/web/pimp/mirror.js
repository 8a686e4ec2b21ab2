// What one user knows of the table: from the messages it received and nothing else. `take` is total: any message in any
// order leaves a mirror that can be asked anything. The ideas are those of core's `pimp::view`, and a test holds the two
// against each other.

import { CARDS, DEEDS, GROUPS, HOTELS, HOUSES, JAIL_ROLLS, SQUARES } from "./facts.js";

export const SETUP = 0;
export const FINISHED = 1;
export const AGREED = 2;
export const JAIL_CARDS = CARDS.flatMap(([effect], card) => (effect === "keep" ? [card] : []));

const isSquare = (square) => square < SQUARES.length;
const isDeed = (deed) => deed < DEEDS.length;
const isCard = (card) => card < CARDS.length;
const unowned = () => ({ owner: 0, mortgaged: false, houses: 0, hotels: 0 });
const noDeeds = () => DEEDS.map(unowned);
const noSide = () => ({ cash: 0, deeds: new Set(), cards: new Set(), step: SETUP });
const idle = () => ({ kind: "idle" });

// 0 bare, 1-4 houses, 5 a hotel.
export const level = (holding) => (holding.hotels > 0 ? 5 : Math.min(holding.houses, 4));

export class Mirror {
  constructor() {
    this.forget();
  }

  forget() {
    this.game = 0;
    this.me = 0;
    this.password = 0;
    this.users = new Map();
    this.deeds = noDeeds();
    this.cards = CARDS.map(() => 0);
    this.pot = 0;
    this.bank = { houses: HOUSES, hotels: HOTELS };
    this.prompt = idle();
    this.turn = 0;
    this.deals = new Map();
    this.vote = null;
    this.pending = false;
    this.dumping = false;
    this.dead = new Set();
    this.claims = [];
    this.claimed = 0;
    this.dice = [0, 0];
    this.picked = null;
  }

  take(m) {
    const how = takes[m.type];
    if (how) how(this, m);
  }

  // --- what is asked ---------------------------------------------------------------------------------------------------

  get self() {
    return this.users.get(this.me);
  }
  get isPlaying() {
    return this.self?.playing === true;
  }
  get cash() {
    return this.self?.cash ?? 0;
  }
  // Ascending by id.
  get everybody() {
    return [...this.users.values()].sort((a, b) => a.id - b.id);
  }
  get players() {
    return this.everybody.filter((user) => user.playing);
  }
  get openDeals() {
    return [...this.deals.values()].sort((a, b) => a.id - b.id);
  }
  deedsOf(id) {
    return this.deeds.flatMap((holding, deed) => (holding.owner === id ? [deed] : []));
  }
  cardsOf(id) {
    return this.cards.flatMap((owner, card) => (owner === id && id !== 0 ? [card] : []));
  }
  groupOwner(group) {
    const owners = new Set(GROUPS[group][1].map((deed) => this.deeds[deed].owner));
    const [owner] = owners;
    return owners.size === 1 && owner !== 0 ? owner : 0;
  }
  groupLevels(group) {
    return GROUPS[group][1].map((deed) => level(this.deeds[deed]));
  }
  // The most that a user can pay (pimp 11).
  worth(id) {
    let worth = this.users.get(id)?.cash ?? 0;
    for (const deed of this.deedsOf(id)) {
      const [, , price, house] = DEEDS[deed];
      const holding = this.deeds[deed];
      worth += (holding.mortgaged ? 0 : Math.floor(price / 2)) + Math.floor(house / 2) * level(holding);
    }
    return worth;
  }
  // A tenth of it is the other way to pay income tax.
  total(id) {
    const cash = this.users.get(id)?.cash ?? 0;
    return this.deedsOf(id).reduce(
      (sum, deed) => sum + DEEDS[deed][2] + DEEDS[deed][3] * level(this.deeds[deed]),
      cash,
    );
  }

  // The board alone, small enough to be kept a few thousand times.
  scene() {
    return {
      users: this.players.map(({ id, piece, name, square, cash, jail }) => ({ id, piece, name, square, cash, jail })),
      deeds: this.deeds.map((h) => (h.owner << 8) | (h.mortgaged ? 16 : 0) | level(h)),
      pot: this.pot,
      bank: { ...this.bank },
      dice: this.dice,
      turn: this.turn,
    };
  }
}

// --- seats ---------------------------------------------------------------------------------------------------------------

const user = (id, piece, playing, name) => ({ id, piece, playing, name, square: 0, jail: 0, cash: 0 });

function put(t, someone) {
  if (someone.id !== 0) t.users.set(someone.id, someone);
}

function welcome(t, m, playing) {
  if (t.vote?.name === m.name) t.vote = null;
  t.dead.delete(m.player);
  put(t, user(m.player, m.piece, playing, m.name));
}

function takeOver(t, { new_player: fresh, old_player: old }) {
  const seat = t.users.get(old);
  const heir = t.users.get(fresh);
  if (!seat || !heir) return;
  Object.assign(heir, { playing: true, piece: seat.piece, square: seat.square, jail: seat.jail });
  if (fresh === t.me) t.pending = false;
  for (const claim of t.claims) {
    for (const role of ["creditor", "debtor", "player"]) if (claim[role] === old) claim[role] = fresh;
  }
  if (t.turn === old) t.turn = fresh;
  if (t.prompt.kind === "auction") {
    if (t.prompt.leader === old) t.prompt.leader = fresh;
    if (t.prompt.passed.delete(old)) t.prompt.passed.add(fresh);
  }
}

function endPlay(t, { player }) {
  const gone = t.users.get(player);
  if (gone) Object.assign(gone, { playing: false, square: 0, jail: 0, cash: 0 });
  // Rents owed to it are whose the deed is now (pimp 12.4).
  for (const claim of t.claims) {
    if (claim.creditor === player) claim.creditor = t.deeds[claim.deed].owner;
  }
  t.claims = t.claims.filter((claim) =>
    claim.player === undefined
      ? claim.debtor !== player && claim.creditor !== 0 && claim.creditor !== claim.debtor
      : claim.player !== player,
  );
  if (t.prompt.kind === "auction") {
    t.prompt.passed.delete(player);
    if (t.prompt.leader === player) Object.assign(t.prompt, { leader: 0, bid: 0 });
  }
  // No message says that the game stands idle again (pimp 12.5.1).
  if (t.players.length < 2) {
    t.prompt = idle();
    t.turn = 0;
    t.claims = [];
  }
}

// A dump restates everything that it can tell: what it does not name is not so.
function beginDump(t) {
  t.dumping = true;
  t.users = new Map();
  t.deeds = noDeeds();
  t.cards = CARDS.map(() => 0);
  t.deals = new Map();
  t.prompt = idle();
  t.turn = 0;
  t.vote = null;
  t.pending = false;
  t.dead = new Set();
}

// --- moves, claims ----------------------------------------------------------------------------------------------------------

const CLAIMS_MAX = 12;

function notice(t, claim) {
  t.claimed += 1;
  if (t.claims.length < CLAIMS_MAX) t.claims.push({ number: t.claimed, ...claim });
}

// The oldest claim of this kind is settled, or was none.
function settle(t, which) {
  const at = t.claims.findIndex(which);
  if (at >= 0) t.claims.splice(at, 1);
}

function land(t, { player, square }) {
  const walker = t.users.get(player);
  if (!walker || !isSquare(square)) return;
  walker.square = square;
  if (square === 0) notice(t, { player, square });
  const [kind, , deed] = SQUARES[square];
  if (kind !== "deed") return;
  const { owner, mortgaged } = t.deeds[deed];
  if (owner !== 0 && owner !== player && !mortgaged) notice(t, { creditor: owner, debtor: player, deed });
}

function ask(t, prompt, turn = t.turn) {
  t.prompt = prompt;
  t.turn = turn;
}

// --- deals ------------------------------------------------------------------------------------------------------------------

function open(t, kind, m, other, creditor, amount, about) {
  const deal = {
    id: m.transaction,
    kind,
    other,
    creditor,
    amount,
    about,
    mine: noSide(),
    theirs: noSide(),
    unusual: false,
  };
  t.deals.set(deal.id, deal);
}

// UNUSUAL follows every change that leaves a deal unusual (pimp 12.2): a change takes the old mark away.
function change(t, m, whose, changes) {
  const deal = t.deals.get(m.transaction);
  if (deal && changes(deal[whose])) deal.unusual = false;
}

const setCash = (whose) => (t, m) =>
  change(t, m, whose, (side) => side.cash !== m.cash && ((side.cash = m.cash), true));
const add = (whose, what, field, isOne) => (t, m) =>
  isOne(m[field]) && change(t, m, whose, (side) => !side[what].has(m[field]) && side[what].add(m[field]));
const remove = (whose, what, field) => (t, m) => change(t, m, whose, (side) => side[what].delete(m[field]));

const step = (whose, to) => (t, m) => {
  const deal = t.deals.get(m.transaction);
  if (!deal) return;
  deal[whose].step = to;
  // "At no time can one player be agreed and the other in set up."
  const across = deal[whose === "mine" ? "theirs" : "mine"];
  if (to === SETUP) across.step = Math.min(across.step, FINISHED);
};
const end = (t, m) => t.deals.delete(m.transaction);

// Must this user pay, and can't cancel?
export const isDebt = (deal) => deal.kind !== "trade" && (deal.other === 0 || deal.creditor === deal.other);

// --- one line a message -----------------------------------------------------------------------------------------------------

const deedChange = (how) => (t, m) => isDeed(m.property) && how(t.deeds[m.property], m);
const giveCard = (t, card, owner) => isCard(card) && (t.cards[card] = owner);

const takes = {
  HANDSHAKE_ACKNOWLEDGE: (t, m) => {
    // Another number is another game: nothing known of the old one holds.
    if (t.game !== 0 && t.game !== m.game) t.forget();
    t.game = m.game;
  },
  WELCOME_DETAILS: (t, m) => Object.assign(t, { me: m.player, password: m.password, pending: false }),
  WELCOME_BACK: (t, m) => {
    t.me = m.player;
    t.dead.delete(m.player);
    if (!t.users.has(m.player)) put(t, user(m.player, m.piece, m.playing, m.name));
  },
  WELCOME_PLAYER: (t, m) => welcome(t, m, true),
  WELCOME_OBSERVER: (t, m) => welcome(t, m, false),
  QUERY_JOIN_PLAY: (t, m) => (t.vote = { candidate: m.candidate, name: m.name, play: true }),
  QUERY_JOIN_OBSERVE: (t, m) => (t.vote = { candidate: m.candidate, name: m.name, play: false }),
  JOIN_PENDING: (t) => (t.pending = true),
  JOIN_REFUSED: (t, m) => {
    if (t.vote?.candidate === m.candidate) t.vote = null;
    if (t.self?.name === m.name) t.pending = false;
  },
  OBSERVER_BECAME_PLAYER: (t, m) => {
    if (m.player === t.me) t.pending = false;
    const someone = t.users.get(m.player);
    if (!someone) return;
    Object.assign(someone, { playing: true, square: 0, jail: 0 });
    if (t.vote?.name === someone.name) t.vote = null;
  },
  PLAYER_TAKEOVER: takeOver,
  PLAYER_BECAME_OBSERVER_TRANSFER: endPlay,
  PLAYER_BECAME_OBSERVER_BANKRUPT: endPlay,
  PLAYER_BECAME_OBSERVER_KICKED: endPlay,
  PLAYER_WON: (t, m) => {
    ask(t, { kind: "over", player: m.player });
    t.claims = [];
  },
  LINK_DEAD: (t, m) => t.dead.add(m.player),

  STATE_BOARD: beginDump,
  STATE_PLAYER: (t, m) => {
    if (!isSquare(m.square)) return;
    put(t, { ...user(m.player, m.piece, true, m.name), square: m.square, cash: m.cash, jail: m.jail_turn });
  },
  STATE_OBSERVER: (t, m) => put(t, user(m.player, m.piece, false, m.name)),
  STATE_PROPERTY: (t, m) => {
    const { owner, mortgaged, houses, hotels } = m;
    if (isDeed(m.property)) t.deeds[m.property] = { owner, mortgaged, houses, hotels };
  },
  STATE_CARD: (t, m) => giveCard(t, m.card, m.owner),
  STATE_POT: (t, m) => Object.assign(t, { pot: m.cash, dumping: false }),

  DICE_ROLLED: (t, m) => {
    t.dead.delete(m.player);
    t.dice = [m.die1, m.die2];
    // A throw in jail that is no double uses up a turn there (pimp 5.6).
    const thrower = t.users.get(m.player);
    if (thrower?.jail > 0 && m.die1 !== m.die2) thrower.jail = Math.min(thrower.jail + 1, JAIL_ROLLS + 1);
  },
  PLAYER_PASSING_BY_SQUARE: (t, m) => m.square === 0 && notice(t, { player: m.player, square: 0 }),
  PLAYER_LANDING_ON_SQUARE: land,
  GOING_TO_JAIL: (t, m) => {
    const caught = t.users.get(m.player);
    if (caught && isSquare(m.square)) Object.assign(caught, { square: m.square, jail: 1 });
  },
  JAIL_FREE: (t, m) => {
    const free = t.users.get(m.player);
    if (free) free.jail = 0;
  },

  START_OF_TURN: (t, m) => ask(t, { kind: "start", player: m.player, mayThrow: m.may_throw }, m.player),
  JAIL_PAY_OR_ROLL: (t, m) => {
    const caught = t.users.get(m.player);
    if (caught) caught.jail = Math.max(JAIL_ROLLS + 1 - m.rolls_left, 1);
    ask(t, { kind: "jail", player: m.player, rolls: m.rolls_left, mayBuild: m.may_build }, m.player);
  },
  ROLL_AGAIN: (t, m) => ask(t, { kind: "again", player: m.player }, m.player),
  PROPERTY_SALE: (t, m) =>
    isDeed(m.property) && ask(t, { kind: "sale", player: m.player, deed: m.property, price: m.price }, m.player),
  TAX_SELECT_OPTION: (t, m) =>
    isSquare(m.square) && ask(t, { kind: "tax", player: m.player, square: m.square }, m.player),
  GOT_CARD: (t, m) => (t.picked = isSquare(m.square) && isCard(m.card) ? { square: m.square, card: m.card } : null),
  CARD_COLLECT_OR_RETRY: (t, m) => t.picked && ask(t, { kind: "card", player: m.player, ...t.picked }, m.player),
  // Who must pay need not be who plays: an auction is won off turn.
  WAITING_FOR_TRANSACTION: (t, m) => ask(t, { kind: "waiting", player: m.player, transaction: m.transaction }),
  RENT_COLLECTION_MORATORIUM: (t) => (t.claims = []),
  PROPERTY_AUCTION: (t, m) =>
    isDeed(m.property) && ask(t, { kind: "auction", deed: m.property, leader: 0, bid: 0, passed: new Set() }),
  PROPERTY_AUCTION_BID: (t, m) => {
    if (t.prompt.kind !== "auction") return;
    t.dead.delete(m.player);
    Object.assign(t.prompt, { leader: m.player, bid: m.cash });
    t.prompt.passed.delete(m.player);
  },
  PROPERTY_AUCTION_NO_BID: (t, m) => t.prompt.kind === "auction" && t.prompt.passed.add(m.player),

  TRANSACTION_TRADE_REQUESTED: (t, m) => open(t, "trade", m, m.other, 0, 0, 0),
  TRANSACTION_RENT_REQUESTED: (t, m) =>
    isDeed(m.property) && open(t, "rent", m, m.other, m.creditor, m.rent, m.property),
  TRANSACTION_CARD_REQUESTED: (t, m) => isCard(m.card) && open(t, "card", m, m.other, m.creditor, m.amount, m.card),
  TRANSACTION_SQUARE_REQUESTED: (t, m) => isSquare(m.square) && open(t, "square", m, 0, 0, m.amount, m.square),
  TRANSACTION_BANK_REQUESTED: (t, m) => open(t, "bank", m, 0, 0, m.amount, 0),
  TRANSACTION_JAIL_REQUESTED: (t, m) => open(t, "jail", m, 0, 0, m.amount, 0),
  TRANSACTION_CASH_SET: setCash("mine"),
  TRANSACTION_OTHER_CASH_SET: setCash("theirs"),
  TRANSACTION_PROPERTY_ADDED: add("mine", "deeds", "property", isDeed),
  TRANSACTION_OTHER_PROPERTY_ADDED: add("theirs", "deeds", "property", isDeed),
  TRANSACTION_PROPERTY_REMOVED: remove("mine", "deeds", "property"),
  TRANSACTION_OTHER_PROPERTY_REMOVED: remove("theirs", "deeds", "property"),
  TRANSACTION_CARD_ADDED: add("mine", "cards", "card", isCard),
  TRANSACTION_OTHER_CARD_ADDED: add("theirs", "cards", "card", isCard),
  TRANSACTION_CARD_REMOVED: remove("mine", "cards", "card"),
  TRANSACTION_OTHER_CARD_REMOVED: remove("theirs", "cards", "card"),
  TRANSACTION_FINISHED: step("mine", FINISHED),
  TRANSACTION_OTHER_FINISHED: step("theirs", FINISHED),
  TRANSACTION_REOPENED: step("mine", SETUP),
  TRANSACTION_OTHER_REOPENED: step("theirs", SETUP),
  TRANSACTION_AGREED: step("mine", AGREED),
  TRANSACTION_OTHER_AGREED: step("theirs", AGREED),
  TRANSACTION_UNUSUAL: (t, m) => {
    const deal = t.deals.get(m.transaction);
    if (deal) deal.unusual = true;
  },
  TRANSACTION_FINALISED: end,
  TRANSACTION_CANCELLED: end,

  // 0x80-0x8F say why cash moves; the cash itself comes as a delta. These two settle claims.
  PLAYER_CLAIMED_RENT: (t, m) =>
    settle(t, (c) => c.creditor === m.creditor && c.debtor === m.debtor && c.deed === m.property),
  PLAYER_CLAIMED_GO: (t, m) => settle(t, (c) => c.player === m.player && c.square === m.square),
  ERROR_INVALID_RENT_CLAIM: (t) => settle(t, (c) => c.creditor === t.me),
  ERROR_INVALID_GO_CLAIM: (t) => settle(t, (c) => c.player === t.me),
  ERROR_NOT_WELCOME: (t) => (t.pending = false),

  DELTA_CASH: (t, m) => {
    const from = t.users.get(m.from);
    if (from) from.cash = Math.max(0, from.cash - m.cash);
    const to = t.users.get(m.to);
    if (to) to.cash = Math.min(0xffffffff, to.cash + m.cash);
  },
  DELTA_PROPERTY: deedChange((holding, m) => Object.assign(holding, m.to === 0 ? unowned() : { owner: m.to })),
  DELTA_CARD: (t, m) => giveCard(t, m.card, m.to),
  DELTA_HOUSES_PURCHASED: deedChange((holding, m) => Object.assign(holding, { houses: m.houses, hotels: m.hotels })),
  DELTA_BANK: (t, m) => (t.bank = { houses: m.houses, hotels: m.hotels }),
  DELTA_PROPERTY_MORTGAGED: deedChange((holding) => (holding.mortgaged = true)),
  DELTA_PROPERTY_UNMORTGAGED: deedChange((holding) => (holding.mortgaged = false)),
  DELTA_POT: (t, m) => (t.pot = m.cash),
};
