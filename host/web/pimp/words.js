// The table in plain words: what happened, what is waited for, why the server refused.

import { CARDS, DEEDS, INCOME_TAX, SQUARES } from "./facts.js";
import { nameOf } from "./codec.js";

// Made once: toLocaleString makes one for every number.
const thousands = new Intl.NumberFormat("en");
export const dollars = (n) => `$${thousands.format(n)}`;
export const squareName = (square) => SQUARES[square]?.[1] ?? `square ${square}`;
export const deedName = (deed) => (DEEDS[deed] ? squareName(DEEDS[deed][0]) : `property ${deed}`);
export const pileName = (card) => (card < 16 ? "Chance" : "Community Chest");

export function who(t, id) {
  if (id === 0) return "the bank";
  if (id === t.me) return "you";
  return t.users.get(id)?.name ?? `player ${id}`;
}

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// "Bob throws", "You throw".
const does = (t, id, third, first) => `${upper(who(t, id))} ${id === t.me ? first : third}`;

const effects = {
  to: (square) => `Go to ${squareName(square)}`,
  utility: () => "Go to the next utility; its owner gets ten times a new throw",
  railroad: () => "Go to the next railroad; its owner gets twice the rent",
  get: (cash) => `The bank pays you ${dollars(cash)}`,
  keep: () => "Keep this card: it pays your bail",
  back: (steps) => `Go back ${steps} squares`,
  jail: () => "Go to jail",
  repair: (house, hotel) => `Repairs: pay ${dollars(house)} for each house and ${dollars(hotel)} for each hotel`,
  pay: (cash) => `Pay ${dollars(cash)}`,
  payEach: (cash) => `Pay ${dollars(cash)} to each player`,
  getEach: (cash) => `Each player pays you ${dollars(cash)}`,
};

export function cardText(card) {
  const [effect, ...numbers] = CARDS[card] ?? ["keep"];
  return effects[effect](...numbers);
}

const building = (houses, hotels) =>
  hotels ? "a hotel" : houses === 0 ? "nothing" : `${houses} house${houses === 1 ? "" : "s"}`;

// --- the log ----------------------------------------------------------------------------------------------------------------

// Said why cash moves: the delta that follows is not told again.
let told = null;

function because(player, cash, text) {
  told = { player, cash };
  return text;
}

function cashMoved(t, { from, to, cash }) {
  const known = told;
  told = null;
  if (known && known.cash === cash && (known.player === from || known.player === to) && (from === 0 || to === 0))
    return "";
  if (cash === 0) return "";
  if (from === 0) return `${does(t, to, "gets", "get")} ${dollars(cash)} from the bank.`;
  return `${does(t, from, "pays", "pay")} ${dollars(cash)} to ${who(t, to)}.`;
}

const lines = {
  WELCOME_PLAYER: (t, m) => `${m.name} sits down to play.`,
  WELCOME_OBSERVER: (t, m) => `${m.name} comes to watch.`,
  WELCOME_BACK: () => "Welcome back: your seat was kept.",
  QUERY_JOIN_PLAY: (t, m) => `${m.name} asks to play.`,
  QUERY_JOIN_OBSERVE: (t, m) => `${m.name} asks to watch.`,
  JOIN_REFUSED: (t, m) => `${m.name} was not let in.`,
  OBSERVER_BECAME_PLAYER: (t, m) => `${does(t, m.player, "plays", "play")} now.`,
  PLAYER_TAKEOVER: (t, m) => `${does(t, m.new_player, "takes", "take")} over the seat of ${who(t, m.old_player)}.`,
  PLAYER_BECAME_OBSERVER_TRANSFER: (t, m) => `${does(t, m.player, "has", "have")} left the game and only watches.`,
  PLAYER_BECAME_OBSERVER_BANKRUPT: (t, m) => `${does(t, m.player, "is", "are")} bankrupt.`,
  PLAYER_BECAME_OBSERVER_KICKED: (t, m) => `${does(t, m.player, "was", "were")} voted out.`,
  PLAYER_WON: (t, m) => `${does(t, m.player, "has", "have")} won the game!`,
  LINK_DEAD: (t, m) => `${upper(who(t, m.player))} can't be reached.`,
  START_OF_TURN: (t, m) => `— ${m.player === t.me ? "Your" : `${who(t, m.player)}'s`} turn —`,
  DICE_ROLLED: (t, m) =>
    `${does(t, m.player, "throws", "throw")} ${m.die1} and ${m.die2}${m.die1 === m.die2 ? ", a double" : ""}.`,
  THREE_DOUBLES: (t, m) => `Three doubles: ${who(t, m.player)} drove too fast.`,
  SQUARE_MOVED_PLAYER: (t, m) => `${squareName(m.from_square)} sends ${who(t, m.player)} away.`,
  PLAYER_LANDING_ON_SQUARE: (t, m) => `${does(t, m.player, "lands", "land")} on ${squareName(m.square)}.`,
  GOING_TO_JAIL: (t, m) => `${does(t, m.player, "goes", "go")} to jail.`,
  WAITING_FOR_TRANSACTION: (t, m) =>
    `The game waits until ${who(t, m.player)} ${m.player === t.me ? "have" : "has"} paid.`,
  RENT_COLLECTION_MORATORIUM: () => "Too late for older claims: rents and salaries not claimed are lost.",
  ROLL_AGAIN: (t, m) => `${does(t, m.player, "throws", "throw")} again.`,
  PROPERTY_SALE: (t, m) => `${deedName(m.property)} is for sale: ${dollars(m.price)}.`,
  PROPERTY_AUCTION: (t, m) => `${deedName(m.property)} is up for auction.`,
  PROPERTY_AUCTION_BID: (t, m) => `${does(t, m.player, "bids", "bid")} ${dollars(m.cash)}.`,
  PROPERTY_AUCTION_NO_BID: (t, m) => `${does(t, m.player, "passes", "pass")}.`,
  PROPERTY_AUCTION_WON: (t, m) => `${does(t, m.player, "wins", "win")} the auction.`,
  PROPERTY_AUCTION_VOID: () => "Nobody wants it: the auction ends without a sale.",
  GOT_CARD: (t, m) => `${pileName(m.card)}: “${cardText(m.card)}.”`,
  TAX_SELECT_OPTION: (t, m) => `${squareName(m.square)}: ${dollars(INCOME_TAX)}, or a tenth of everything.`,
  JAIL_FREE: (t, m) => `${does(t, m.player, "leaves", "leave")} jail.`,
  TRANSACTION_TRADE_REQUESTED: (t, m) => `Deal ${m.transaction}: you and ${who(t, m.other)} talk about a trade.`,
  TRANSACTION_FINALISED: (t, m) => `Deal ${m.transaction} is done.`,
  TRANSACTION_CANCELLED: (t, m) => `Deal ${m.transaction} was called off.`,
  SQUARE_GIVES_CASH: (t, m) =>
    because(m.player, m.cash, `${does(t, m.player, "gets", "get")} ${dollars(m.cash)} (${squareName(m.square)}).`),
  SQUARE_TAKES_CASH: (t, m) =>
    because(m.player, m.cash, `${does(t, m.player, "pays", "pay")} ${dollars(m.cash)} (${squareName(m.square)}).`),
  SQUARE_GIVES_CARD: (t, m) => `${does(t, m.player, "keeps", "keep")} a card that pays bail.`,
  SQUARE_TAKES_CARD: (t, m) => `${does(t, m.player, "pays", "pay")} with a card.`,
  CONSTRUCTION_TAKES_CASH: (t, m) =>
    because(m.player, m.cash, `${does(t, m.player, "pays", "pay")} ${dollars(m.cash)} for buildings.`),
  DESTRUCTION_GIVES_CASH: (t, m) =>
    because(m.player, m.cash, `${does(t, m.player, "gets", "get")} ${dollars(m.cash)} for buildings.`),
  PLAYER_CLAIMED_RENT: (t, m) =>
    `${does(t, m.creditor, "claims", "claim")} ${dollars(m.rent)} rent from ${who(t, m.debtor)} for ${deedName(m.property)}.`,
  PLAYER_CLAIMED_GO: (t, m) => `${does(t, m.player, "claims", "claim")} a salary of ${dollars(m.cash)}.`,
  MONEY_BEING_HELD_IN_ESCROW: (t, m) =>
    `The bank holds ${dollars(m.cash)} for you until deal ${m.transaction} is settled.`,
  DELTA_CASH: cashMoved,
  DELTA_PROPERTY: (t, m) =>
    m.to === 0
      ? `${deedName(m.property)} goes back to the bank.`
      : `${does(t, m.to, "owns", "own")} ${deedName(m.property)} now.`,
  DELTA_CARD: (t, m) => (m.from === 0 ? "" : `A card that pays bail goes from ${who(t, m.from)} to ${who(t, m.to)}.`),
  DELTA_HOUSES_PURCHASED: (t, m) => `${deedName(m.property)} has ${building(m.houses, m.hotels)} now.`,
  DELTA_PROPERTY_MORTGAGED: (t, m) => `${deedName(m.property)} is mortgaged.`,
  DELTA_PROPERTY_UNMORTGAGED: (t, m) => `${deedName(m.property)} is free of its mortgage.`,
};

// A line for the log, or "" if a message is not worth one. Ask after the mirror took it.
export function line(t, m) {
  if (t.dumping) return "";
  return lines[m.type]?.(t, m) ?? "";
}

// --- refusals ---------------------------------------------------------------------------------------------------------------

const older = (id) => (id === 0 ? "rent may still be claimed from you" : `deal ${id} is not settled`);

const refusals = {
  ERROR_HOUSES_NOT_OWNED: (m) => `${deedName(m.property)} is not yours.`,
  ERROR_HOUSES_NEED_MONOPOLY: (m) => `You need the whole group first: ${deedName(m.property)} is missing.`,
  ERROR_HOUSES_MORTGAGED: (m) => `${deedName(m.property)} is mortgaged: nothing can be built in its group.`,
  ERROR_HOUSES_NOT_COLOUR_GROUP: (m) => `Nothing can be built on ${deedName(m.property)}.`,
  ERROR_HOUSES_NOT_YOUR_TURN: () => "You can build only at the start of your turn, before you throw.",
  ERROR_HOUSES_TOO_EXPENSIVE: (m) => `That costs ${dollars(m.cost)}: more than you have.`,
  ERROR_HOUSES_NO_HOUSE_PIECES_LEFT: (m) => `The bank has only ${m.houses} houses and ${m.hotels} hotels left.`,
  ERROR_HOUSES_CANNOT_BUILD_THAT_NUMBER: (m) => `${deedName(m.property)} can't have that many buildings.`,
  ERROR_HOUSES_UNBALANCED: (m) => `Build and sell evenly: the group of ${deedName(m.property)} would be uneven.`,
  ERROR_HOUSES_WOULD_REDUCE_NET_WORTH: (m) =>
    `You may not spend this now: ${older(m.transaction)}, and you could not pay it then.`,
  ERROR_HOUSES_TERMITES: () => "Termites! The builders found the wood eaten. Try again.",
  ERROR_INVALID_RENT_CLAIM: () => "There is no such rent to claim (any more).",
  ERROR_INVALID_GO_CLAIM: () => "There is no salary to claim (any more).",
  ERROR_PROPERTY_TOO_EXPENSIVE: (m) => `${deedName(m.property)} for ${dollars(m.price)}: you can't pay that.`,
  ERROR_PROPERTY_WOULD_REDUCE_NET_WORTH: (m) =>
    `You may not buy now: ${older(m.transaction)}, and you could not pay it then.`,
  ERROR_MORTGAGE_TOO_EXPENSIVE: (m) => `Freeing ${deedName(m.property)} costs ${dollars(m.cost)}: more than you have.`,
  ERROR_TRANSACTION_TOO_EXPENSIVE: (m) =>
    `Deal ${m.transaction} asks for ${dollars(m.cash)}: you don't have that in cash.`,
  ERROR_TRANSACTION_PROPERTY_NOT_OWNED: (m) => `${deedName(m.property)} is not yours to offer.`,
  ERROR_TRANSACTION_CARD_NOT_OWNED: () => "That card is not yours to offer.",
  ERROR_TRANSACTION_NOT_SUITABLE: (m) => `The bank wants exactly ${dollars(m.amount)} in deal ${m.transaction}.`,
  ERROR_TRANSACTION_PROPERTY_HAS_HOUSE: (m) => `Sell the buildings in the group of ${deedName(m.property)} first.`,
  ERROR_TRANSACTION_WOULD_REDUCE_NET_WORTH: (m) =>
    `You may not agree now: ${older(m.blocking_transaction)}, and you could not pay it then.`,
  ERROR_TRANSACTION_NOT_BANKRUPT: (m) =>
    m.earlier_transaction ? `Settle deal ${m.earlier_transaction} first.` : "You can still raise enough to pay.",
  ERROR_TRANSACTION_CANNOT_BE_CANCELLED: () => "A debt can't be called off by who owes it.",
  ERROR_CANNOT_TRANSFER_DURING_TRANSACTION: (m) => `You can't leave now: ${older(m.transaction)}.`,
  ERROR_UNKNOWN_PROTOCOL: () => "The server speaks another version of the protocol.",
  ERROR_TOO_MANY_USERS: () => "The table is full.",
  ERROR_NAME_IN_USE: () => "This name is taken, or can't be used at a table. Choose another.",
  ERROR_NOT_WELCOME: () => "The others did not let you in.",
  ERROR_WRONG_PASSWORD: () => "The seat that this browser remembers is not there any more.",
  ERROR_INVALID_PAYLOAD: (m) => `The server found something wrong with what was asked (${nameOf(m.code)}).`,
  ERROR_UNPARSEABLE: () => "The server could not read what was asked.",
  ERROR_UNEXPECTED_MESSAGE: (m) => `Not now: the table has moved on (${nameOf(m.code)}).`,
};

export const refusal = (m) => refusals[m.type]?.(m) ?? "";

// --- what is waited for -----------------------------------------------------------------------------------------------------

export function status(t) {
  const p = t.prompt;
  const name = p.player === undefined ? "" : who(t, p.player);
  const mine = p.player === t.me;
  switch (p.kind) {
    case "start":
      return mine ? "Your turn: throw the dice." : `${name} is about to throw.`;
    case "jail":
      return mine ? "You are in jail: pay bail, or try for a double." : `${name} is in jail and chooses.`;
    case "again":
      return mine ? "Throw again." : `${name} throws again.`;
    case "sale":
      return mine
        ? `${deedName(p.deed)} is free. Buy it, or put it up for auction?`
        : `${name} may buy ${deedName(p.deed)} for ${dollars(p.price)}.`;
    case "auction":
      return p.leader
        ? `Auction of ${deedName(p.deed)}: ${who(t, p.leader)} ${p.leader === t.me ? "lead" : "leads"} with ${dollars(p.bid)}.`
        : `Auction of ${deedName(p.deed)}: no bid yet.`;
    case "tax":
      return mine ? "Income tax: which way will you pay?" : `${name} chooses how to pay income tax.`;
    case "card":
      return mine ? "Take the money, or try another card?" : `${name} chooses.`;
    case "waiting":
      return mine ? `The game waits for you: pay deal ${p.transaction}.` : `The game waits until ${name} has paid.`;
    case "over":
      return mine ? "You have won!" : `${name} has won.`;
    default:
      return t.players.length < 2 ? "Waiting for players: it takes two." : "Waiting.";
  }
}

export function dealTitle(t, deal) {
  const other = who(t, deal.other);
  const owes = deal.creditor === t.me;
  switch (deal.kind) {
    case "rent":
      return owes
        ? `${upper(other)} owes you ${dollars(deal.amount)} rent for ${deedName(deal.about)}`
        : `You owe ${other} ${dollars(deal.amount)} rent for ${deedName(deal.about)}`;
    case "card":
      return owes
        ? `${upper(other)} owes you ${dollars(deal.amount)} by a card`
        : `You owe ${other} ${dollars(deal.amount)} by a card`;
    case "square":
      return `You owe the bank ${dollars(deal.amount)} (${squareName(deal.about)})`;
    case "bank":
      return deal.theirs.deeds.size
        ? `Pay ${dollars(deal.amount)} for ${[...deal.theirs.deeds].map(deedName).join(", ")}`
        : `You owe the bank ${dollars(deal.amount)}`;
    case "jail":
      return `Bail: ${dollars(deal.amount)}`;
    default:
      return `Trade with ${other}`;
  }
}

// What a player's page says at the table when the player wants somebody out.
export const kickWords = (name) => `I vote to put ${name} out of the game.`;

export const ownerWords = (owner, price, isMortgaged) =>
  owner ? `${owner}'s${isMortgaged ? ", mortgaged" : ""}` : `For sale: ${dollars(price)}`;

// What it costs to land on a deed, in a line.
export function rentWords(deed) {
  const [, group, , cost, rents] = DEEDS[deed];
  if (group === 8) return "Rent $25, 50, 100, 200 for 1 to 4 railroads";
  if (group === 9) return "Rent 4 × the throw; 10 × with both";
  return `Rent ${dollars(rents[0])}, built up ${rents.slice(1).join(", ")} · a house ${dollars(cost)}`;
}
