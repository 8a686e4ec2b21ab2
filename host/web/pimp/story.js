// How a game went, for its end: everybody's worth when a turn began, the rents that each took, and the dice that each had.
// Plain data: it outlives a reload.

const MOST = 600;

export class Story {
  // At each turn, [id, all that somebody owned].
  worths = [];
  // By id.
  names = {};
  rents = {};
  throws = {};

  take(t, m) {
    switch (m.type) {
      case "START_OF_TURN":
        this.worths.push(t.players.map(({ id }) => [id, t.total(id)]));
        // Long games are told in longer steps.
        if (this.worths.length > MOST) this.worths = this.worths.filter((_, n) => n % 2 === 0);
        for (const { id, name } of t.players) this.names[id] = name;
        break;
      case "PLAYER_CLAIMED_RENT":
        this.rents[m.creditor] = (this.rents[m.creditor] ?? 0) + m.rent;
        break;
      case "DICE_ROLLED": {
        const [count, sum] = this.throws[m.player] ?? [0, 0];
        this.throws[m.player] = [count + 1, sum + m.die1 + m.die2];
      }
    }
  }

  // Who played, the winner first, then by how long they held out: { id, name, worth, rents, luck }.
  standings(t) {
    const lasted = (id) => this.worths.findLastIndex((row) => row.some(([other]) => other === id));
    const row = ([key, name]) => {
      const id = Number(key);
      const [count, sum] = this.throws[id] ?? [0, 0];
      const isIn = t.users.get(id)?.playing;
      return { id, name, worth: isIn ? t.total(id) : 0, rents: this.rents[id] ?? 0, luck: count && sum / count };
    };
    const rows = Object.entries(this.names).map(row);
    return rows.sort((a, b) => b.worth - a.worth || lasted(b.id) - lasted(a.id));
  }
}
