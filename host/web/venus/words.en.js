// The words of Merchant of Venus, in English. A person is { isMe, name }.

import { cultureNames } from "./names.js";

const money = (sum) => `$${sum}`;
const points = (count) => `${count} point${count === 1 ? "" : "s"}`;
// Names and sentences as the server has them.
const told = (text) => text.replace("is no name", "name is too long or odd");
const system = (name) => name.replace("- ", "-");
const culture = (race) => cultureNames[race] ?? race;
const who = ({ isMe, name }) => (isMe ? "you" : name);
const does = (p, first, third) => (p.isMe ? `You ${first}` : `${p.name} ${third}`);
const upper = (text) => text[0].toUpperCase() + text.slice(1);

function thing(it) {
  switch (it.kind) {
    case "fare":
      return `passenger to ${culture(it.buyers[0])}`;
    case "iou":
      return `IOU of ${culture(it.buyers[0])}`;
    case "deed":
      return it.deed === "factory" ? `factory for ${it.name.replace(/ \(.*/, "")}` : `spaceport ${it.name}`;
    case "demand":
      return `demand for ${it.name}`;
  }
  return it.name;
}

const a = (text) => `${/^[aeiou]/i.test(text) ? "an" : "a"} ${text}`;
const list = (things) => things.map((it) => a(thing(it))).join(" and ");
const gets = (p, paid) => (paid > 0 ? ` and ${p.isMe ? "get" : "gets"} ${money(paid)}` : "");
const costs = (paid) => (paid < 0 ? ` for ${money(-paid)}` : "");

export const words = {
  title: "Merchant of Venus",
  about: "Explore a galaxy, find out who lives where, trade between the stars, and be the first to be rich.",
  skip: "To the game",
  opening: "Unrolling the star map …",
  noScript: "The page is a client of the game and needs JavaScript.",

  money,
  told,
  system,
  culture,
  who,
  thing,
  playerNumber: (n) => `player ${n}`,

  // --- spaces ---------------------------------------------------------------------------------------------------------------

  spaceCity: "Space city",
  asteroid: "Asteroid",
  box: "? box",
  penaltySum: (sum) => `Penalty ${sum}`,
  openSpace: "open space",
  circle: "Navigation circle",
  dots: { blue: "Blue dot", yellow: "Yellow dot", red: "Red dot" },
  colourNames: { blue: "blue", yellow: "yellow", red: "red" },
  inPlace: (what, place) => `${what}, ${place}`,
  closedBox: (place) => `? box nobody has shown you, ${place}`,
  telegate: (gate) => `Telegate ${gate}`,
  openPort: "Open port",
  spaceport: "Spaceport",
  portOf: (port, p) => `${port} of ${who(p)}`,
  penalty: (sum, colour) => `Penalty ${money(sum)} (${colour})`,
  asteroidWith: (relic) => `Asteroid with ${relic}`,
  // What a box has in it, within a sentence.
  inBox: {
    telegate: (gate) => `telegate ${gate}`,
    openPort: "an open port",
    port: (p) => `a spaceport of ${who(p)}`,
    penalty: (sum, colour) => `a ${colour} penalty of ${money(sum)}`,
    relic: (relic) => `an asteroid with ${relic}`,
    asteroid: "an asteroid without a relic",
    nothing: "nothing",
  },

  // --- the map --------------------------------------------------------------------------------------------------------------

  mapLabel: "Star map",
  findShip: "Find your ship",
  shipAt: (name, space) => `${name}: ${space}`,
  youKnow: " (you know)",
  nobodyMet: "nobody met yet",
  stepLabel: (space, isJump, cost, numbers) =>
    `${space}, ${isJump ? "jump, " : ""}${points(cost)}${numbers.length ? `, with ${numbers.join(" or ")}` : ""}`,

  // --- rooms ----------------------------------------------------------------------------------------------------------------

  oneLetter: "At least one letter",
  noGameYet: "no game yet",
  inRoom: (names) => `here: ${names.join(", ")}`,
  nobodyHere: "nobody here",
  goInWhere: (room) => `Go in: ${room}`,
  goIn: "Go in",
  roomName: "Name of the room",
  agrees: "agrees ✓",
  thinks: "thinks",
  firstWins: "The first with this much wins",
  iAgree: "I agree: let us begin",
  notYet: "Not yet",
  beginWith: "Begin with these players",
  standUp: "Stand up",
  savedGame: "Go on with a saved game ▾",
  room: (room) => `“${room}”`,
  layOut: "Lay out a game here",
  backToRooms: "Back to all rooms",
  noRoom: (room) => `There is no room “${room}”.`,
  talkLine: (name, room, text) => `(${name} to room '${room}') ${text}`,

  // --- the table ------------------------------------------------------------------------------------------------------------

  ships: "Ships",
  cultures: "Cultures",
  walkOrJump: "Walk or jump?",
  jump: "Jump",
  walk: "Walk",
  seatKeptRooms: "All rooms (your seat is kept)",
  allRooms: "All rooms",
  keepCopy: "Keep a copy of this game",
  copyLetters: "Letters, digits, - and _",
  copyName: "Name of the copy",
  save: "Save",
  rollAgain: (die) => `Roll the ${die} again`,
  notRolled: "not rolled yet",
  pointsLeft: (count) => `${points(count)} left`,
  number: (number, isFixed) => `number ${number}${isFixed ? " for this turn" : ""}`,
  whatIsOn: "What is on this turn",
  soBeIt: "So be it",
  stepTo: (space, isJump) => `${isJump ? "Jump to " : ""}${space}`,
  stepCost: (cost, numbers, toll, mustStop) =>
    `${points(cost)}${numbers.length ? `, with ${numbers.join(" or ")}` : ""}${
      toll ? `, ${mustStop ? "and you must stop:" : "then"} ${money(toll)} to move on` : ""
    }`,
  stayHere: "Stay here",
  stayCosts: (penalty) => `costs ${money(penalty)}`,
  tradeFreely: "trade without limits",
  stopHere: "Stop here",
  movingOnCosts: (penalty) => `Moving on costs ${money(penalty)} here.`,
  tapSpace: "Tap a marked space, or choose it here.",
  pressDie: "Press a die to roll it again, once.",
  keepAll: "Keep them all",
  numberLabel: (number) => `Number ${number}`,
  numberHolds: "The number holds for the rest of your turn.",
  relicHere: "A relic lies here.",
  takeIt: "Take it",
  leaveIt: "Leave it",
  endTurn: "End my turn",
  playAgainHere: "Play again here",
  holds: (used, all) => `Holds: ${used} of ${all}`,
  holdsInUse: "Holds in use",
  isNew: " new",
  diceOf: (dice) => `${dice} dice`,
  youHead: "You",
  shipAbout: (race, cash, worth, isHere) =>
    ` ${culture(race)} · ${money(cash)} · worth ${money(worth)}${isHere ? "" : " · away"}`,
  winAbout: (sum) => `The first with ${money(sum)} in cash and deeds wins.`,
  atSpace: (space) => ` at ${space}`,
  onlyYouKnow: " (only you know)",
  notFound: " not found yet",
  iouAbout: (it) => `${money(it.sell)} to barter with, from the ${culture(it.buyers[0])}`,
  youCarry: (count, profit) => `you carry ${count}, profit ${money(profit)}`,
  soldBy: (it, place, profit) => `from the ${culture(it.source)}, ${place}: ${money(it.buy)}, profit ${money(profit)}`,
  buys: "Buys",
  sells: "Sells",
  othersKnow: (names) => ` (you know, and ${names.join(", ")})`,
  buysCargo: "buys your cargo",
  showOnMap: "Show on the map",
  paysFor: (sum, it) => `Pays ${money(sum)} for your ${thing(it)}.`,
  paysMore: (wants) => `Pays more for ${wants.map(([it, sum]) => `${it.name} (+${sum})`).join(", ")}.`,
  waitingFare: (it) => `Waiting: ${thing(it)}, ${money(it.sell)}.`,
  factoryOf: (name) => `Its factory belongs to ${name}.`,
  found: (count) => `${count} of 14 found.`,

  // --- trade ----------------------------------------------------------------------------------------------------------------

  fareTo: (it, place) => `${money(it.sell)} at ${culture(it.buyers[0])}${place ? `, ${place}` : " (not found yet)"}`,
  buyersUnknown: (it) => `for ${it.buyers.map(culture).join(", ")}: not found yet`,
  bestSale: (sum, race, steps, profit) =>
    `best known: ${money(sum)} at ${culture(race)}, ${steps} steps${profit === null ? "" : `, profit ${money(profit)}`}`,
  doWith: (label, it) => `${label}: ${thing(it)}`,
  asManyAs: "as many as you like",
  none: "none",
  barter: "barter",
  cash: "cash",
  withDemand: (pays) => `with what they demand, ${pays}`,
  sellFor: (sum) => `Sell for ${money(sum)}`,
  noSaleLeft: "no sale left",
  arrives: "arrives here",
  deliverFor: (sum) => `Deliver for ${money(sum)}`,
  noPurchaseLeft: "no purchase left",
  notEnough: "not enough money",
  holdsFull: "holds full",
  factoryDeed: "half of each purchase there is yours",
  portDeed: "a tenth of all trade there is yours",
  buyFor: (sum) => `Buy for ${money(sum)}`,
  takesBoth: "takes a purchase and a sale",
  cargoTooBig: "cargo does not fit",
  shipOffer: (dice, holds, own) => `${dice} dice, ${holds} holds; your ${own} in part payment`,
  getSum: (sum) => `Get ${money(sum)}`,
  paySum: (sum) => `Pay ${money(sum)}`,
  takeAboard: "Take aboard",
  throwAway: "Throw away",
  tradeAbout: (race, buys, sells, cash, barter) =>
    `${culture(race)}. Purchases left: ${buys}; sales left: ${sells}. You have ${money(cash)}${barter ? ` and ${money(barter)} to barter` : ""}.`,
  redeem: (race) => `Redeem the IOU of the ${culture(race)}`,
  deliver: "Deliver",
  sell: "Sell",
  buy: "Buy",
  passengers: "Passengers",
  throwSomething: "Throw something away ▾",

  // --- things ---------------------------------------------------------------------------------------------------------------

  // --- what can be done here ------------------------------------------------------------------------------------------------

  here: {
    ask: "What can I do here? ▾",
    at: (where) => `You are at ${where}.`,
    home: (place, people) => `In ${place} live the ${people}.`,
    unknown: (place) => `You do not know who lives in ${place}: pass the orbit of a port, or end a move in a city there.`,
    firstContact: "Whoever ends a move in a city or station here first gets an IOU, and the spaceports go on sale.",
    knowers: (names) => `Who has seen it: ${names}.`,
    wait: (name) => `It is the turn of ${name}. Until yours you can look at the map, ships, cultures and the log, and talk.`,
    watch: "You are watching: look at whatever you like.",
    switches: "Choose what is on for this turn. Then you name your first step, and the dice show.",
    first: (dice) => `Name your first step: then ${dice} dice show, and their sum is what you can spend.`,
    forbidden: "The dice do not allow the step you named: choose another one.",
    left: (left) => `You have ${points(left)} left; the tag of a step says what it costs.`,
    cities: "Into or out of a planet's city is 2 points.",
    circle: (numbers) => `A navigation circle: each way out has its numbers, and you need one that you rolled (${numbers}).`,
    fixed: (number) => `Your number is ${number} for the rest of this turn.`,
    gate: (gates) => `A telegate: the number of another one takes you there (${gates}); with any other you walk on.`,
    jumps: (gates) => `With Jump Start your first step may be a jump, by the number of a telegate (${gates}).`,
    noWayBack: "No step leads back over a way that you came in this turn.",
    toll: (sum) => `Moving on costs ${sum}.`,
    mayStay: (what) => `You may stay: ${what}.`,
    mayStop: (what) => `You may stop: ${what}.`,
    costs: (sum) => `that costs ${sum}`,
    endsTurn: "your turn is over then",
    meets: "you meet whoever lives here and get their IOU",
    trades: (people, isFree) => `you trade with the ${people}, ${isFree ? "as much as you like" : "one purchase and one sale"}`,
    takes: (relic) => `you can take the ${relic}`,
    mustGoOn: "Nobody can stop on a dot or at a telegate: you go on.",
    mulligan: "You may roll one die again, once. After that the step you named is tried.",
    number: "Your way out has several numbers that you rolled: choose one.",
    relic: (relic, effect) => `${relic}: ${effect} It takes no room. With it or without it, your turn is over.`,
    counts: (buys, sells) => `Purchases left: ${buys}; sales left: ${sells}.`,
    noEnd: "no end",
    sell: (what, sum, profit) => `Sell ${what} for ${sum}${profit ? `, ${profit} more than it cost` : ""}.`,
    deliver: (what, sum) => `Deliver the ${what} for ${sum}.`,
    redeem: (sum) => `Redeem their IOU: ${sum} to barter with.`,
    pickUp: (what, sum) => `Take the ${what} aboard: ${sum} on arrival.`,
    buy: (what, sum, people, far, profit) =>
      `Buy ${what} for ${sum}: the ${people}, ${far} steps away, leave you a profit of ${profit}.`,
    deed: (what, sum) => `Buy the ${what} for ${sum}: it counts in full for winning.`,
    barter: (sum) => `${sum} of barter is lost when your turn ends.`,
    end: "End your turn when you are done.",
  },
  replay: {
    lines: "Lines of the game",
    start: "To the start",
    turnBack: "One turn back",
    back: "One line back",
    on: "One line on",
    turnOn: "One turn on",
    end: "To the end",
    of: (line, all) => `${line} of ${all}`,
  },

  switches: {
    RD: ["Red Drive", "red dots and penalties are free"],
    YD: ["Yellow Drive", "yellow dots and penalties are free"],
    CD: ["Combined Drive", "red and yellow dots and penalties are free"],
    AP: ["Auto Pilot", "one die is a 4"],
    GL: ["Gate Lock", "telegates are plain dots"],
    JS: ["Jump Start", "the first step may be a jump to a telegate"],
  },
  // What relics and equipment are good for.
  effects: {
    "Shield -20": "Takes 20 off every penalty.",
    "Yellow Drive": "Yellow dots and penalties cost nothing.",
    "Red Drive": "Red dots and penalties cost nothing.",
    "Combined Drive": "Red and yellow dots and penalties cost nothing.",
    "Jump Start": "Your first step may be a jump to a telegate.",
    "Gate Lock": "Telegates are plain dots for you.",
    "Switch Switch": "Any rolled number may be used at each circle.",
    "Auto Pilot": "One die is a 4 instead of rolled.",
    "Spy Eye": "You see cultures and ? boxes from next to them.",
    "Air Foil": "Cities cost 1 point, and you can fly between those of a planet.",
    "Mulligan Gear": "Once a turn you may roll one die again.",
  },

  // --- what the game waits for ----------------------------------------------------------------------------------------------

  status: {
    needTwo: "Waiting for players: two to six.",
    canBegin: (count) => `${count} players. Anybody seated can begin.`,
    agree: (missing) => `Do all agree? Waiting for ${missing.map(who).join(", ")}.`,
    TechSelect: (p, isMine) => (isMine ? "Your turn: what do you switch on?" : `${who(p)} chooses what to switch on.`),
    course: (p) => `${who(p)} chooses a course.`,
    flies: (p, left) => `${who(p)} flies: ${points(left)} left.`,
    firstStep: "Your turn: name your first step, then the dice show.",
    forbidden: (left) => `The dice forbid that step. Choose again: ${points(left)}.`,
    whereTo: (left) => `Where to? ${upper(points(left))} left.`,
    Mulligan: (p, isMine) => (isMine ? "Roll one die again?" : `${who(p)} may roll one die again.`),
    SelectPilotNumber: (p, isMine) => (isMine ? "With which number?" : `${who(p)} chooses a number.`),
    TradePhase: (p, isMine) => (isMine ? "Trade as you like, then end your turn." : `${who(p)} trades.`),
    AsteroidPhase: (p, isMine) => (isMine ? "There is a relic here. Take it?" : `${who(p)} finds a relic.`),
    over: "The game is over.",
    won: (p) => `${does(p, "have", "has")} won the game.`,
  },

  // --- the log --------------------------------------------------------------------------------------------------------------

  lines: {
    sitsDown: (name) => `${name} sits down.`,
    goal: (sum) => `The first with ${money(sum)} wins.`,
    begins: (names) => `— The game begins. Order: ${names.join(", ")}.`,
    turn: (p) => `— ${p.isMe ? "Your" : `${p.name}'s`} turn.`,
    switchesOn: (p, names) => `${does(p, "switch", "switches")} on ${names.join(", ")}.`,
    rolls: (p, dice, sum) => `${does(p, "roll", "rolls")} ${dice.join(" + ")} = ${sum}.`,
    goes: (p, space) => `${does(p, "go", "goes")} to ${space}.`,
    boxOpens: (contents) => `A ? box opens: ${contents}.`,
    onlyYouSee: (contents) => `Only you see: ${contents}.`,
    firstContact: (race, place) => `First contact: the ${culture(race)} live in ${system(place)}.`,
    youSaw: (race, place) => `You have seen that the ${culture(race)} live in ${system(place)}.`,
    factory: (p, race) => `${does(p, "own", "owns")} the factory of the ${culture(race)} now.`,
    wins: (p, worth) => `— ${does(p, "win", "wins")} with ${money(worth)}!`,
    trade: (p, gave, got, paid) =>
      `${does(p, "trade", "trades")} ${list(gave)} for ${list(got)}${costs(paid)}${gets(p, paid)}.`,
    picksUp: (p, got) => `${does(p, "pick up", "picks up")} ${list(got)}.`,
    buys: (p, got, paid) => `${does(p, "buy", "buys")} ${list(got)}${costs(paid)}.`,
    receives: (p, got) => `${does(p, "receive", "receives")} ${list(got)}.`,
    delivers: (p, gave, paid) => `${does(p, "deliver", "delivers")} ${list(gave)}${gets(p, paid)}.`,
    sells: (p, gave, paid) => `${does(p, "sell", "sells")} ${list(gave)}${gets(p, paid)}.`,
    givesUp: (p, gave) => `${does(p, "give", "gives")} up ${list(gave)}.`,
  },

  // Why the server will not have something.
  refuses: (text) => `The server refuses: ${told(text)}`,
  refusesThat: "The server refuses that.",
  elsewhere: "this name is connected elsewhere",
};
