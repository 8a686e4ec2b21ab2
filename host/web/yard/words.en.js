// The words of Scotland Yard, in English.

const pawns = { X: "Mr. X", Red: "Red", Yellow: "Yellow", Green: "Green", Blue: "Blue", Black: "Black" };
const tickets = { taxi: "Taxi", bus: "Bus", underground: "Underground", black: "Black ticket" };
const withTicket = {
  taxi: "with a taxi ticket",
  bus: "with a bus ticket",
  underground: "with an underground ticket",
  black: "with a black ticket",
};
const people = (names) => names.join(names.length > 2 ? ", " : " and ");

export const words = {
  title: "Scotland Yard",
  about: "One flees through London, up to five hunt. Taxi, bus and underground give the direction away.",
  skip: "To the game",
  opening: "Unfolding the map …",
  noScript: "The page is a client of the game and needs JavaScript.",

  pawns,
  tickets,
  // What the server calls the sides.
  teams: { "Mr. X": "Mr. X", Detectives: "Detectives" },

  // --- the map --------------------------------------------------------------------------------------------------------------

  mapLabel: "Map of the stations",
  ferry: "FERRY",
  findPawn: "Find the pawn",
  seenAt: (station) => `Mr. X was seen at ${station}`,
  pawnAt: (pawn, station) => `${pawns[pawn]} at ${station}`,
  stationNumber: (station) => `Station ${station}`,

  // --- games and sides ------------------------------------------------------------------------------------------------------

  noQuotes: "A name without quotation marks",
  countPlayers: (count) => `${count} ${count === 1 ? "player" : "players"}`,
  doAt: (what, where) => `${what}: ${where}`,
  gameName: "Name of the game",
  ready: "ready ✓",
  unready: "not ready",
  full: "Full",
  beX: "Be Mr. X",
  beDetective: "Be a detective",
  aboutToBegin: (game) => `“${game}” is about to begin`,
  xAbout: "flees through London",
  detectivesAbout: "share five pawns",
  readyPressed: "Ready ✓ (press to wait)",
  iAmReady: "I am ready",
  leave: "Leave",
  backToGames: "Back to all games",

  // --- the table ------------------------------------------------------------------------------------------------------------

  pawnsTab: "Pawns",
  xTab: "Mr. X",
  cantGo: (pawn, station) => `${pawns[pawn]} can't go to ${station} in one move.`,
  yourTurnWith: (pawn) => `Your turn: ${pawns[pawn]}`,
  seatKeptTables: "All tables (your seat is kept)",
  toStation: (station) => `To ${station}`,
  withWhich: " with which ticket?",
  wouldBeCaught: (pawn) => `${pawns[pawn]} stands there: you would be caught.`,
  ticketsLeft: (count) => `${count} left`,
  notThere: "Not there",
  station: "Station",
  choose: "Choose",
  firstTo: (station, ticket) => `First to ${station} (${tickets[ticket]}). Now the second half.`,
  startOver: "Start over",
  doubleMove: (count) => `Double move: two moves in a row (${count} left)`,
  tapStation: "Tap a marked station, choose it here, or type its number.",
  stationBy: (station, by) => `${station} by ${by.map((ticket) => tickets[ticket]).join(" or ")}`,
  couldBe: "Where could he be?",
  theyKnow: "What do they know?",
  canBe: "Where can he be?",
  theStart: "The start.",
  movesOfGame: "Moves of the game",
  toStart: "To the start",
  moveBack: "One move back",
  playTogether: "Play again together",
  moveOn: "One move on",
  toEnd: "To the end",
  doubleMoves: "Double moves",
  toMove: " to move",
  youOwn: "you",
  awayMark: " (away)",
  showPawn: (pawn, station) => `Show ${pawns[pawn]} at ${station}`,
  pawnsAndTickets: "Pawns and tickets",
  pawn: "Pawn",
  at: "At",
  legend: "What the lines and signs mean ▾",
  taxiLine: "Taxi: thin line. Every station.",
  busLine: "Bus: broken line. Stations with a thick rim.",
  undergroundLine: "Underground: double line, U. Stations with corners.",
  ferryLine: "Ferry: dotted line on the river. Black tickets only.",
  signs:
    "T taxi, B bus, U underground, ★ black ticket (any line, and hides which), ×2 double move. The pawns are R, Y, G, B, K (Black) and X.",
  travelBox: (turn, isReveal, ticket, to) =>
    `Turn ${turn}${isReveal ? ", shows himself" : ""}: ${ticket ? tickets[ticket] : "not yet"}${to ? ` to ${to}` : ""}`,
  travelLog: "Mr. X's travel log",
  turnOfAll: (turn, all) => `Turn ${turn} of ${all}.`,
  showsOn: (turn) => ` ◉ He shows himself on turn ${turn}.`,
  canBeAt: (count) => `Where he can be: ${count} station${count > 1 ? "s" : ""} ▾`,
  whoHears: "Who hears it",
  toAll: "to all",
  toTeam: "to my team",
  team: "team",

  // --- the session ----------------------------------------------------------------------------------------------------------

  otherProtocol: (text) => `This server speaks another language: ${text}.`,
  noGame: (game) => `There is no game “${game}”. You can open one with that name.`,
  gameGone: (game) => `The game “${game}” is gone.`,

  // --- what happened --------------------------------------------------------------------------------------------------------

  // How a pawn went: everybody's view, and a little more for who knows more.
  move({ pawn, to, ticket, turn, seen, double }) {
    const how = withTicket[ticket];
    if (pawn !== "X") return `${pawns[pawn]} goes to ${to} ${how}.`;
    const again = double ? " again: a double move" : "";
    if (seen) return `Turn ${turn}: Mr. X shows himself at ${to}. He came ${how}${again}.`;
    return `Turn ${turn}: Mr. X moves${to ? ` to ${to}` : ""} ${how}${again}.`;
  },
  lines: {
    begins: "The game begins.",
    stuck: (pawn) => `${pawns[pawn]} can't move and is passed over.`,
    xWins: (reason) => `— Mr. X wins: ${reason}.`,
    detectivesWin: (reason) => `— The detectives win: ${reason}.`,
    said: (name, text) => `${name}: ${text}`,
    saidToTeam: (name, text) => `${name} (to the team): ${text}`,
  },
  reasons: {
    caught: (pawn, at) => `${pawns[pawn]} caught Mr. X at ${at}`,
    stuck: (at) => `all detectives are stuck and Mr. X is at ${at}`,
    escaped: (at) => `Mr. X was not caught and is at ${at}`,
  },

  // --- what is asked --------------------------------------------------------------------------------------------------------

  status: {
    alone: "Waiting for somebody else: send the link, or add a bot.",
    noX: "Nobody is Mr. X yet.",
    noDetective: "There is no detective yet.",
    waitingFor: (all) => `Waiting for ${people(all.map(({ isMe, name }) => (isMe ? "you" : name)))} to be ready.`,
    beginning: "The game begins …",
    won: "You have won! ",
    lost: "You have lost. ",
    gotAway: (reason) => `Mr. X got away: ${reason}.`,
    isCaught: (reason) => `Mr. X is caught: ${reason}.`,
    moment: "One moment …",
    yourMove: (pawn) => `Your turn: move ${pawns[pawn]}.`,
    toMove: (pawn, owner) => `${owner === pawns[pawn] ? owner : `${pawns[pawn]} (${owner})`} is to move.`,
  },

  // --- why something was refused, by a part of what the server says ------------------------------------------------------------

  refusals: {
    "name is in use": "Somebody with that name is here already. Choose another name.",
    "wrong password":
      "That name belongs to somebody who has another password. Choose another name, or give its password.",
    "too many users": "The server is full. Try again later.",
    "name is taken": "There is a game with that name already. Join it, or choose another name.",
    "no room for another": "There are as many games as there may be. Join one of them.",
    "begun without you": "The game has begun already. You are watching it.",
    "game is over": "The game is over. You are looking at how it went.",
    "game is full": "All six seats are taken. You are watching.",
    "no such game": "There is no such game any more.",
    "team is full": "That side is full.",
    "not your turn": "It is not your turn.",
    "no such ticket": "You have no such ticket left.",
    "does not lead there": "That ticket does not lead there.",
    "another detective": "Another detective stands there.",
    "no double move": "You have no double move left.",
    "no turn left": "There is no turn left for a second move.",
    "try again later": "The server is busy with names and passwords. Try again in a while.",
    "nobody is": "No bot is free just now.",
    "not now": "That is not possible just now.",
    "too long": "That is too long.",
    "no name for a game": "That is no name for a game.",
    "no name for a user": "That name is too long, or has signs that no name has.",
    "looks like another": "That name looks like another.",
    "accounts were made": "Too many accounts were made from your address.",
    "finish another": "Finish another of your games first.",
    "can be read": "Only what can be read can be said.",
  },
  serverSays: (reason) => `The server says: ${reason || "no"}.`,
};
