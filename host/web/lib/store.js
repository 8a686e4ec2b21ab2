// What the browser remembers: seats (id and password for each table), the player's name, settings. Works without storage
// too, for as long as the page is open.

const memory = new Map();

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

function write(key, value) {
  memory.set(key, value);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: `memory` has it.
  }
}

// Storage belongs to the server's address already: the table is enough.
export const seat = {
  get: (table) => read(`parlor:seat:${table}`),
  set: (table, value) => write(`parlor:seat:${table}`, value),
  clear: (table) => write(`parlor:seat:${table}`, null),
};

export const person = {
  get: () => ({ name: "", ...read("parlor:person") }),
  set: (value) => write("parlor:person", value),
};

const chosen = { ...read("parlor:settings") };

export const settings = {
  sound: false,
  keys: true,
  knock: false,
  theme: "system",
  // The browser's own, until somebody chooses.
  language: "",
  ...chosen,
  // A game's own settings, as they are until somebody chooses.
  add(defaults) {
    Object.assign(this, defaults, chosen);
  },
  change(name, value) {
    this[name] = chosen[name] = value;
    write("parlor:settings", chosen);
  },
};

// Where this person is told of a turn, by seat.
export const away = {
  get: (at) => read(`parlor:away:${at}`),
  set: (at, value) => write(`parlor:away:${at}`, value),
};

// What this browser's words are known by.
export function voice() {
  const key = read("parlor:voice") ?? Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => n.toString(36)).join("");
  write("parlor:voice", key);
  return key;
}

// A game's log, as long as the tab is open: written when the page goes, read when it comes again.
export const past = {
  get: (table) => {
    try {
      return JSON.parse(sessionStorage.getItem(`parlor:log:${table}`));
    } catch {
      return null;
    }
  },
  set: (table, value) => {
    try {
      sessionStorage.setItem(`parlor:log:${table}`, JSON.stringify(value));
    } catch {
      // It was a convenience.
    }
  },
};

// For the server's HTTP commands from another machine; forgotten when the tab is closed.
export const token = {
  get: () => memory.get("token") ?? sessionStorage.getItem("parlor:token") ?? "",
  set: (value) => {
    memory.set("token", value);
    sessionStorage.setItem("parlor:token", value);
  },
};
