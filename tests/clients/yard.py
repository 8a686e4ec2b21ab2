#!/usr/bin/env python3
"""Plays a whole game of Scotland Yard, knowing the protocol's text and nothing else.

    yard.py HOST PORT [SEED]

joe is Mr. X, dan and eve are the detectives, each over a connection of their own. The protocol's text has no map, so the
players learn it as they go: they try stations until the server says ok, and remember the links they found. Everything the
server says is checked against the text: forms, order of turns, tickets, what is hidden when, and the history at the end.
"""

import random
import shlex
import socket
import sys

PAWNS = ["X", "Red", "Yellow", "Green", "Blue", "Black"]
TICKETS = ["taxi", "bus", "underground"]
STATIONS = range(1, 200)
REVEALS = {3, 8, 13, 18, 24}


class Client:
    """One connection: numbered commands, answers by tag, status lines kept in order."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.count = 0
        self.heard = []

    def line(self):
        line = self.file.readline()
        assert line.endswith(b"\r\n"), f"not a line: {line!r}"
        return shlex.split(line.decode())

    def ask(self, command):
        """Sends a command; the words of its answer. Status lines that come before it are kept."""
        self.count += 1
        tag = f"#{self.count:05}"
        self.socket.sendall(f"{tag} {command}\r\n".encode())
        while True:
            words = self.line()
            if words[0] == tag:
                return words[1:]
            self.keep(words)

    def demand(self, command):
        answer = self.ask(command)
        assert answer == ["ok"], f"{command}: {answer}"

    def keep(self, words):
        assert words[0] == "*", f"neither an answer nor a status: {words}"
        self.heard.append(words[1:])

    def until(self, *last):
        """Status lines up to and with the one that begins with these words."""
        lines = []
        while True:
            if not self.heard:
                self.keep(self.line())
            lines.append(self.heard.pop(0))
            if lines[-1][: len(last)] == list(last):
                return lines


class Table:
    """What the three clients together know."""

    def __init__(self, address, chance):
        self.chance = chance
        self.x, self.dan, self.eve = (Client(address) for _ in range(3))
        self.all = [self.x, self.dan, self.eve]
        self.links = {}  # (station, ticket) -> stations known to be there
        self.missing = set()  # (station, ticket, station) known not to be there
        self.log = []  # (pawn, station, ticket) as Mr. X's player heard it
        self.turn = 1

    def sit_down(self):
        for client, name in zip(self.all, ["joe", "dan", "eve"]):
            client.demand("protocol 2.0")
            client.demand(f'login "{name}" "my password"')
        self.x.demand('newgame "my game\'s name" standard')
        assert self.dan.ask("listgames") == ["ok"]
        game = self.dan.heard[-1]
        assert game == ["gameinfo", "my game's name", "new", "standard", "1"], game
        for client in [self.dan, self.eve]:
            client.demand('join "my game\'s name"')
            client.demand('setteam "Detectives"')
        self.x.demand('setteam "Mr. X"')
        self.x.demand("listplayers")
        for client in self.all:
            client.demand("votestart True")
        self.at, self.purse, self.owner = {}, {}, {}
        for client in self.all:
            client.until("gamestart")
            for _, pawn, user, place, *purse in [client.until("pawninfo")[-1] for _ in PAWNS]:
                hidden = pawn == "X" and client is not self.x
                assert (place == "-1") == hidden, (pawn, place)
                if not hidden:
                    self.at[pawn] = int(place)
                self.purse[pawn] = [int(count) for count in purse]
                self.owner[pawn] = dict(joe=self.x, dan=self.dan, eve=self.eve)[user]
            assert client.until("turnnum")[-1] == ["turnnum", "1"]
            assert client.until("turn")[-1] == ["turn", "X"]
        self.starts = dict(self.at)

    def tries(self, pawn):
        """Moves worth trying: those known to be there first, then the unknown, all at random."""
        start = self.at[pawn]
        tickets = [t for n, t in enumerate(TICKETS) if self.purse[pawn][n] != 0]
        known = [(to, t) for t in tickets for to in self.links.get((start, t), ())]
        unknown = [(to, t) for t in tickets for to in STATIONS if to != start and (start, t, to) not in self.missing]
        unknown = [move for move in unknown if move not in known]
        self.chance.shuffle(known)
        self.chance.shuffle(unknown)
        # Now and then somebody explores, or the map would stay small.
        return unknown + known if self.chance.random() < 0.15 else known + unknown

    def move(self, pawn):
        """Moves a pawn by trial; the winner if that was the end."""
        client = self.owner[pawn]
        assert client.ask("whoseturn") == ["turn", pawn]
        assert client.ask("turnnum") == [str(self.turn)]
        for to, ticket in self.tries(pawn):
            if pawn != "X" and to in [self.at[other] for other in PAWNS[1:] if other != pawn]:
                continue
            answer = client.ask(f"move {to} {ticket}")
            start = self.at[pawn]
            if answer == ["ok"]:
                for a, b in [(start, to), (to, start)]:
                    self.links.setdefault((a, ticket), set()).add(b)
                return self.moved(pawn, to, ticket)
            assert answer[0] == "no", (to, ticket, answer)
            self.missing.update([(start, ticket, to), (to, ticket, start)])
        raise AssertionError(f"{pawn} can't move, but it is its turn")

    def moved(self, pawn, to, ticket):
        self.at[pawn] = to
        self.log.append((pawn, to, ticket))
        number = TICKETS.index(ticket)
        if self.purse[pawn][number] > 0:
            self.purse[pawn][number] -= 1
        ends = set()
        for client in self.all:
            hidden = pawn == "X" and client is not self.x and self.turn not in REVEALS
            told = client.until("move")[-1]
            assert told == ["move", pawn, "-1" if hidden else str(to), ticket], told
            ends.add(tuple(self.after(client)))
        assert len(ends) == 1, ends
        [words] = ends
        if words[0] == "gameover":
            return words[1:]
        self.next = words[-1]
        if "turnnum" in words:
            self.turn = int(words[words.index("turnnum") + 1])
        return None

    @staticmethod
    def after(client):
        """What follows a move: pawns that are stuck, a new round, whose turn it is; or the end."""
        words = []
        while True:
            if not client.heard:
                client.keep(client.line())
            line = client.heard.pop(0)
            if line[0] in ("turn", "gameover"):
                return (words + line) if line[0] == "turn" else line
            if line[0] == "stuck":
                continue
            assert line[0] == "turnnum", line
            words += line

    def check_history(self, client, shown):
        client.demand("history")
        lines = client.until("history", "end")[:-1]
        lines = [line for line in lines if line[0] == "history"]
        place = lambda pawn, turn, at: at if pawn != "X" or shown or turn in REVEALS else -1
        first = [f"{pawn} {place(pawn, 0, self.starts[pawn])}" for pawn in PAWNS]
        assert lines[0] == ["history", "0", *first], lines[0]
        rounds = []
        for pawn, to, ticket in self.log:
            if pawn == "X":
                rounds.append([])
            rounds[-1].append(f"{pawn} {place(pawn, len(rounds), to)} {ticket}")
        expected = [["history", str(n), *moves] for n, moves in enumerate(rounds, 1)]
        assert lines[1:] == expected, (lines[1:], expected)

    def come_back(self, address):
        """eve loses her connection and takes her seat again."""
        self.eve.socket.shutdown(socket.SHUT_RDWR)
        self.eve.file.close()
        self.eve.socket.close()
        for client in [self.x, self.dan]:
            assert client.until("playerleave")[-1] == ["playerleave", "eve"]
        self.eve = Client(address)
        self.eve.demand("protocol 2.0")
        self.eve.demand('login eve "my password"')
        self.eve.demand('join "my game\'s name"')
        self.eve.until("history", "end")
        self.eve.until("turn")
        for pawn, client in self.owner.items():
            if client is self.all[2]:
                self.owner[pawn] = self.eve
        self.all[2] = self.eve

    def play(self, address):
        self.next = "X"
        end = None
        while end is None:
            if len(self.log) == 20:
                self.check_history(self.dan, False)
                self.come_back(address)
            end = self.move(self.next)
        for client in self.all:
            self.check_history(client, True)
            client.demand('chatall "well played"')
            client.demand("leave")
        return end


def main():
    address = (sys.argv[1], int(sys.argv[2]))
    table = Table(address, random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1))
    table.sit_down()
    winner, reason = table.play(address)
    print(f"{winner} won after {len(table.log)} moves on turn {table.turn}: {reason}")


if __name__ == "__main__":
    main()
