// The settings of Merchant of Venus, in German, by the names that the server has for them.

export const rules = {
  login_timeout: "Eine Verbindung, die sich so lange nicht anmeldet, wird geschlossen; 0: nie",
  password_pause: "So lange wird eine Verbindung nach einem falschen Passwort nicht gelesen",
  deserted: "Ein Spiel, in dessen Raum so lange niemand war, macht Platz, wenn keiner mehr ist",
  patience: "Für jemanden, der nicht im Raum ist und so lange warten lässt, spielt der Server; 0: nie",
  move_timeout: "Nach so langem Warten entscheidet der Server für jemanden; 0: nie",
  weapons: "Laser und Novabälle der Kampfregeln sind in der Schachtel und tun nichts",
  pocket: "Gespielt wird auf einem kleinen Brett mit drei Kulturen, das bald zu Ende ist",
  storage: "Spiele können unter einem Namen gespeichert werden: Der Server hat Platz für Dateien",
  bots: "Es gibt Bots für alle, die einen wollen",
  gui: "Das Verzeichnis, in dem der erste Client seine Fenster und Bilder findet",
};
