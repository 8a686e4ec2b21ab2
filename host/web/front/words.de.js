// The words of the front door, in German.

const values = { on: "ja", off: "nein" };

export const words = {
  about: "Brettspiele an einem Tisch mit Freunden.",
  skip: "Zu den Spielen",
  opening: "Die Tür geht auf …",
  noScript: "Die Spiele laufen als Skripte dieser Seiten: Sie brauchen JavaScript.",
  houseRulesMore: "Hausregeln ▾",
  ruleValue: (value) => values[value] ?? value,
  againstBots: "Gegen Bots",
  playAgainstBots: (game) => `${game} gegen Bots spielen`,
  withPeople: "Mit Menschen",
  playWithPeople: (game) => `${game} mit Menschen spielen`,
  stages: { filling: "wartet auf Mitspieler", playing: "läuft", over: "ist beendet" },
  nextFreeTable: "Am nächsten freien Tisch",
  goOn: "Weiterspielen",
  doAt: (what, where) => `${what}: ${where}`,
  table: (place) => `Tisch ${place}`,
  named: (place) => `„${place}“`,
  turn: (turn) => `Zug ${turn}`,
  countAway: (count) => `${count} abwesend`,
  watchers: (names) => `schauen zu: ${names.join(", ")}`,
  tablesNow: "Gerade an den Tischen",
  nobodyPlaysNow: "Gerade spielt niemand. Fang an, dann können andere dazukommen.",
  moreTables: (count) => (count === 1 ? "Und ein weiterer Tisch." : `Und ${count} weitere Tische.`),
  whoIsHere: "Wer da ist",
  friendsHere: "Hier kommen Freunde herein",
  onlyThisMachine: "Nur dieser Rechner kann diese Seite öffnen.",
  startWith: "Um Freunde hereinzulassen, beende den Server und starte ihn mit",
  nameForAll: "Dein Name, für alle Spiele",
  settingsOf: (board) => `Einstellungen von ${board}`,
};
