// How long bots think, as whoever plays with them likes it.

import { choice } from "./fields.js";
import { ask } from "./house.js";
import { lang } from "./lang.js";
import { settings } from "./store.js";

settings.add({ pace: "" });

// In milliseconds; undefined: as long as the server's bots do.
export const thought = () => ({ quick: 100, slow: 2500 })[settings.pace];

export const pace = (changed) => choice("pace", lang.botsThink, Object.entries(lang.paces), changed);

// For bots that sit at a game already, if there are any.
export const setPace = (game, place, number = 1) =>
  ask(`/bots/${game}/${number}`, "PUT", { place, pace: thought() }).catch(() => {});
