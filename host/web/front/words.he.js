// The words of the front door, in Hebrew.

const values = { on: "כן", off: "לא" };

export const words = {
  about: "משחקי לוח ליד שולחן עם חברים.",
  skip: "אל המשחקים",
  opening: "הדלת נפתחת …",
  noScript: "המשחקים פועלים כסקריפטים של הדפים האלה: הם צריכים JavaScript.",
  houseRulesMore: "חוקי הבית ▾",
  ruleValue: (value) => values[value] ?? value.replace(/ s$/, " שנ׳"),
  againstBots: "נגד בוטים",
  playAgainstBots: (game) => `לשחק ${game} נגד בוטים`,
  withPeople: "עם אנשים",
  playWithPeople: (game) => `לשחק ${game} עם אנשים`,
  stages: { filling: "ממתין לשחקנים", playing: "משוחק עכשיו", over: "הסתיים" },
  nextFreeTable: "בשולחן הפנוי הבא",
  goOn: "להמשיך",
  doAt: (what, where) => `${what}: ${where}`,
  table: (place) => `שולחן ${place}`,
  named: (place) => `„${place}”`,
  turn: (turn) => `תור ${turn}`,
  countAway: (count) => `${count} לא נמצאים`,
  watchers: (names) => `צופים: ${names.join(", ")}`,
  tablesNow: "ליד השולחנות עכשיו",
  nobodyPlaysNow: "אף אחד לא משחק כרגע. התחל, ואחרים יוכלו להצטרף.",
  moreTables: (count) => (count === 1 ? "ועוד שולחן אחד." : `ועוד ${count} שולחנות.`),
  whoIsHere: "מי כאן",
  friendsHere: "חברים נכנסים כאן",
  onlyThisMachine: "רק המחשב הזה יכול לפתוח את הדף הזה.",
  startWith: "כדי להכניס חברים, עצור את השרת והפעל אותו עם",
  nameForAll: "השם שלך, לכל המשחקים",
  settingsOf: (board) => `ההגדרות של ${board}`,
};
