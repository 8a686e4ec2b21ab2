// Things that are bought, sold, carried and drawn. A token travels as 18 fields; what is the same but for its age is the
// same kind of thing.

const FIELDS = [
  "name",
  "kind",
  "buy",
  "sell",
  "pays",
  "goesTo",
  "factory",
  "supply",
  "buyers",
  "source",
  "deed",
  "shield",
  "attack",
  "use",
  "colours",
  "dice",
  "holds",
  "age",
];
const NUMBERS = ["buy", "sell", "shield", "attack", "dice", "holds"];

const known = new Map();

// One object for each text: tokens can be compared.
export function token(text) {
  let found = known.get(text);
  if (!found) {
    const values = text.split("|");
    found = Object.fromEntries(FIELDS.map((field, n) => [field, values[n] ?? ""]));
    for (const field of NUMBERS) found[field] = Number(found[field]) || 0;
    found.buyers = found.buyers ? found.buyers.split("?") : [];
    found.isFactoryGood = found.factory === "fg";
    found.isNew = found.age === "new";
    found.text = text;
    found.sort = values.slice(0, 17).join("|");
    known.set(text, found);
  }
  return found;
}

// The same thing at the age at which a base has it.
export const aged = (it) => token(`${it.sort}|old`);

// Half-holds that these things need in a ship: the first of each equipment is free.
export function load(things) {
  const free = new Set();
  let sum = 0;
  for (const it of things) {
    if (it.kind === "good") sum += 2;
    else if (it.kind === "fare" || it.kind === "drive") sum += 1;
    else if (it.kind === "equip") {
      if (free.has(it.name)) sum += 1;
      free.add(it.name);
    }
  }
  return sum;
}
