// The settings of Scotland Yard, in German, by the names that the server has for them.

export const rules = {
  login_timeout: "Eine Verbindung, die sich so lange nicht anmeldet, wird geschlossen; 0: nie",
  password_pause: "So lange wird eine Verbindung nach einem falschen Passwort nicht gelesen",
  deserted: "Ein Spiel, in dem so lange niemand verbunden war, macht Platz, wenn keiner mehr ist",
  move_timeout: "Nach so langem Warten entscheidet der Server für jemanden; 0: nie",
  bots: "Mitspieler können Bots des Servers dazuholen",
};
