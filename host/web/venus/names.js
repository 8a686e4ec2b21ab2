// What the cultures call themselves: names, the same in every language.

export const cultureNames = {
  "1a": "Nillis",
  "1b": "Volois",
  2: "Graw",
  3: "Niks",
  "4a": "Dell",
  "4b": "Humans",
  5: "Shenna",
  6: "Yxklyx",
  "7a": "Zum",
  "7b": "EeepEeep",
  8: "Whynoms",
  "9a": "Cholos",
  "9b": "Wollow",
  10: "Qossuth",
  base: "Galactic Base",
};
