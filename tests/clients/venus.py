#!/usr/bin/env python3
"""Plays a whole game of Merchant of Venus, knowing the protocol's text and the printed board and nothing else.

    venus.py HOST PORT PLAYERS SEED

Two or three players sit down, agree on a win at 1000, and play until somebody has it: they explore, trade, deliver fares, buy
ships, equipment and deeds. Now and then one of them loses the connection, logs in again and enters the room; what the
refresh tells must be what the events had added up to. Everything the server says is checked against the text: names and
counts of fields, who is told what, that what is announced is accepted, and that the steps offered are ways of the board.
"""

import collections
import copy
import csv
import os
import random
import socket
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "venus")


def table(name):
    with open(os.path.join(DATA, name), newline="") as file:
        return list(csv.DictReader(file))


EVENTS = {row["event"]: len([f for f in row["fields"].split("|") if f]) for row in table("events.csv")}
SPACES = {row["space"]: row for row in table("spaces.csv")}
WAYS = collections.defaultdict(dict)  # space -> neighbour -> (kind, numbers)
for row in table("ways.csv"):
    WAYS[row["space"]][row["to"]] = (row["kind"], row["numbers"])
PORT_SPACES = {row["orbit_port"]: space for space, row in SPACES.items() if row["orbit_port"]}
RACES = "1a 1b 2 3 4a 4b 5 6 7a 7b 8 9a 9b 10 base".split()
# Only to whoever's turn it is, or to whoever knows.
PRIVATE = {"SWITCHABLES", "DESTINATION", "PILOTNUMBERCHOICE", "MOVERROR", "LEGALACTION", "IAM"}


class Token:
    """A token by the fields of the text."""

    def __init__(self, text):
        fields = text.split("|")
        assert len(fields) == 18 and fields[17] in ("old", "new"), text
        self.text, self.name, self.kind = text, fields[0], fields[1]
        self.buy, self.sell = int(fields[2]), int(fields[3])
        self.unlimited = fields[7] == "unlimited"
        self.buyers = [race for race in fields[8].split("?") if race]
        self.source, self.deed = fields[9], fields[10]
        self.holds = int(fields[16])

    def halves(self):
        return {"good": 2, "fare": 1, "drive": 1}.get(self.kind, 0)


def escape(field):
    return field.replace("%", "%%").replace(",", "%C")


def unescape(field):
    parts = field.split("%%")
    return "%".join(part.replace("%C", ",") for part in parts)


class Client:
    """One connection of one user, and what its user knows of the game."""

    def __init__(self, address, user, password):
        self.address, self.user, self.password = address, user, password
        self.count = 0
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(self.address, timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.reset()
        assert self.line()[0] == "CONNECTSTRING"

    def reset(self):
        self.seat, self.state, self.legal = None, None, set()
        self.names, self.money, self.race, self.at = {}, {}, {}, {}
        self.hold = collections.defaultdict(collections.Counter)  # seat -> tokens
        self.stock = collections.defaultdict(collections.Counter)  # race -> tokens
        self.home, self.boxes = {}, {}
        self.system_secrecy, self.box_secrecy = {}, {}
        self.factories, self.order, self.current, self.win = {}, "", None, None
        self.left = (0, 0)
        self.steps, self.numbers, self.dice, self.switchables = [], "", "", ""
        self.winner, self.errors = None, []

    def send(self, *fields):
        self.socket.sendall((",".join(escape(field) for field in fields) + "\n").encode())

    def line(self):
        line = self.file.readline()
        assert line.endswith(b"\n"), f"{self.user}: not a line: {line!r}"
        fields = line[:-1].decode().split(",")
        name = fields[0]
        assert name in EVENTS, f"no event: {line!r}"
        assert len(fields) - 1 == EVENTS[name], f"fields of {line!r}"
        if name == "ERROR":
            assert "%" not in fields[1] and fields[1], line
        return [name] + [unescape(field) for field in fields[1:]]

    def login(self, again=False):
        """Exactly one line answers LOGIN. `again`: another link still has the name."""
        self.send("LOGIN", self.user, self.password)
        answer = self.line()
        if again:
            assert answer == ["ALREADYLOGGEDIN"], answer
            self.send("LOGOUTOTHER", self.user, self.password)
            self.send("LOGIN", self.user, self.password)
            answer = self.line()
        assert answer == ["WELCOME"], answer
        lines = self.sync()
        kinds = [line[0] for line in lines]
        assert kinds[:4] == ["NEWGUI", "GAMES", "SAVEGAMES", "GUIIAM"], kinds
        assert lines[3][1] == self.user
        assert ["INHABITANT", self.user, "Great Hall"] in lines

    def sync(self):
        """All lines up to now: what one says to oneself comes after everything that was said before."""
        self.count += 1
        mark = f"mark {self.count}, 100 %"
        self.send("PLAYERTALK", self.user, mark)
        lines = []
        while True:
            line = self.line()
            if line == ["MESSAGE", f"({self.user}) {mark}"]:
                return lines
            lines.append(line)
            self.hear(line)

    def hear(self, line):
        name, *fields = line
        handler = getattr(self, "on_" + name.lower(), None)
        if handler:
            handler(*fields)

    # The events of the game.
    def on_reset(self, game):
        assert game == "MerchantOfVenus"
        self.reset()

    def on_iam(self, seat):
        self.seat = seat

    def on_player(self, user, seat):
        self.names[seat] = user

    def on_options(self, win):
        self.win = int(win)

    def on_newstate(self, state, description):
        assert description
        self.state, self.legal = state, set()

    def on_legalaction(self, action):
        assert not self.legal or action > max(self.legal), "not in alphabetical order"
        self.legal.add(action)

    def on_moverror(self, text):
        self.errors.append(text)

    def on_error(self, text):
        self.errors.append("ERROR " + text)

    def on_turnorder(self, order):
        assert sorted(order) == sorted(self.names), order
        self.order = order

    def on_curplayer(self, seat):
        assert seat in self.names
        self.current = seat

    def on_playermoney(self, seat, cash, barter, worth):
        assert int(cash) >= 0 and int(barter) >= 0
        deeds = sum(Token(t).buy * n for t, n in self.hold[seat].items() if Token(t).kind == "deed")
        # A deed that was just bought is told before the money, in a refresh the money before the deeds.
        assert self.state is None or int(worth) == int(cash) + deeds, (seat, cash, worth, deeds)
        self.money[seat] = (int(cash), int(barter), int(worth))

    def on_playerrace(self, seat, race):
        assert race in ("3", "4a", "4b", "7b", "8", "10")
        self.race[seat] = race

    def on_playerlocation(self, seat, space):
        assert space in SPACES, space
        self.at[seat] = space

    def on_remainingtranscount(self, seat, buys, sells):
        self.left = (int(buys), int(sells))

    def on_addtoplayer(self, seat, token):
        self.hold[seat][Token(token).text] += 1

    def on_subtractfromplayer(self, seat, token):
        assert self.hold[seat][token] > 0, f"{seat} has no {token}"
        self.hold[seat][token] -= 1

    def on_ageplayer(self, seat):
        old = collections.Counter()
        for token, count in self.hold[seat].items():
            old[token.replace("|new", "|old")] += count
        self.hold[seat] = old

    def on_addtotradebase(self, race, token, from_cup):
        assert race in RACES and Token(token).text.endswith("|old")
        self.stock[race][token] += 1

    def on_subtractfromtradebase(self, race, token):
        assert self.stock[race][token] > 0, f"{race} has no {token}"
        self.stock[race][token] -= 1

    def on_solarsystemprivacy(self, system, secrecy):
        self.system_secrecy[system] = secrecy

    def on_baselocation(self, system, race):
        assert race in self.stock and system in self.system_secrecy, "the first client would stop"
        self.home[system] = race

    def on_qboxprivacy(self, space, secrecy):
        self.box_secrecy[space] = secrecy

    def on_qboxcontents(self, space, contents):
        self.boxes[space] = contents

    def on_factoryowner(self, race, seat):
        self.factories[race] = seat

    def on_switchables(self, text):
        self.switchables = text

    def on_dice(self, dice):
        self.dice = dice

    def on_pilotnumberchoice(self, numbers):
        self.numbers = numbers

    def on_destination(self, penalty, first, steps):
        self.steps = []
        here = self.at.get(self.seat)
        for step in [step for step in steps.split("/") if step]:
            space, how, cost, *numbers = step.split("!")
            assert space in SPACES and how in ("walk", "jump"), step
            if how == "walk" and here:
                kind, pilots = WAYS[here].get(space, (None, None))
                assert kind, f"no way from {here} to {space}"
                assert set("".join(numbers)) <= set(pilots or "123456"), step
            self.steps.append((space, how, int(cost), "".join(numbers)))

    def on_playerwins(self, seat):
        self.winner = seat

    def public(self):
        """What everybody must agree on, and what this player alone knows."""
        # What nobody knows is told in a refresh alone.
        secrets = lambda secrecy: {key: who for key, who in secrecy.items() if who}
        tokens = lambda held: {key: +count for key, count in held.items() if +count}
        known = {
            "state": self.state, "legal": self.legal, "names": self.names, "money": self.money, "race": self.race,
            "at": self.at, "hold": tokens(self.hold), "stock": tokens(self.stock), "home": self.home,
            "systems": secrets(self.system_secrecy), "boxes": self.boxes, "box secrecy": secrets(self.box_secrecy),
            "factories": self.factories, "order": self.order, "current": self.current, "win": self.win,
        }
        return copy.deepcopy(known)


class Game:
    def __init__(self, address, players, chance):
        self.address, self.chance = address, chance
        self.users = ["ann, the first", "bob", "cat 100 %"][:players]
        self.clients = [Client(address, user, f" pass,word%{user} ") for user in self.users]
        self.seen, self.done = collections.Counter(), collections.Counter()
        self.turns = self.cuts = 0

    def sync(self, actor):
        """Everybody hears all: the actor first, whose action is done by then."""
        heard = {client: client.sync() for client in [actor] + [c for c in self.clients if c is not actor]}
        for lines in heard.values():
            self.seen.update(line[0] for line in lines)
        return heard

    def act(self, client, *action):
        """What is announced is accepted, or refused with a reason."""
        assert action[0] in client.legal, f"{action} is not announced: {client.legal}"
        client.errors.clear()
        client.send(*action)
        heard = self.sync(client)
        self.done[action[0]] += 1
        mine = heard[client]
        was_taken = any(line[0] == "NEWSTATE" for line in mine)
        if not was_taken:
            assert len(client.errors) == 2 and client.errors[1].startswith("ERROR"), (action, client.errors)
        for other, lines in heard.items():
            told = [line for line in lines if line[0] not in PRIVATE]
            if other is not client:
                assert not [line for line in lines if line[0] in PRIVATE - {"LEGALACTION", "IAM"} and other.seat != other.current]
                if not was_taken:
                    assert not told, told
        return was_taken

    def sit_down(self):
        for client in self.clients:
            client.login()
        first = self.clients[0]
        first.send("NEWROOM", "the den, 2nd")
        for client in self.clients:
            client.sync()
            client.send("CHANGEROOM", "the den, 2nd")
            client.sync()
        first.send("NEWGAME", "MerchantOfVenus")
        self.sync(first)
        for client in self.clients:
            self.act(client, "JOIN")
        self.act(first, "OPTIONS", "1000")
        self.act(first, "VALIDATESETUP")
        self.act(self.clients[1], "DONTLIKEOPTIONS")
        self.act(first, "VALIDATESETUP")
        for client in self.clients:
            self.act(client, "LIKEOPTIONS")
        assert first.win == 1000 and all(client.names == dict(zip("012", self.users)) for client in self.clients)
        assert all(cash == 20 * len(self.clients) for cash, _, _ in first.money.values())

    def cut(self):
        """Somebody is gone and comes back; the refresh tells what the events had added up to."""
        client = self.chance.choice(self.clients)
        before = client.public()
        old = client.socket
        is_thief = self.chance.random() < 0.5
        if not is_thief:
            old.close()
            client.file.close()
            for other in self.clients:
                if other is not client:
                    while ["DROPINHABITANT", client.user] not in other.sync():
                        pass
        client.connect()
        client.login(again=is_thief)
        client.send("CHANGEROOM", "the den, 2nd")
        lines = client.sync()
        self.seen.update(line[0] for line in lines)
        if is_thief:
            assert self.drained(old), "the other link is still there"
            old.close()
        after = client.public()
        for key, value in before.items():
            assert after[key] == value, f"{client.user}'s {key}: {value} became {after[key]}"
        self.sync(client)
        self.cuts += 1

    def save(self):
        """Keeps the game by name; only the room is told, and everybody there."""
        client = self.chance.choice(self.clients)
        client.send("SAVEGAME", "evening_1")
        heard = self.sync(client)
        if any(error.startswith("ERROR") for error in client.errors):
            return False  # there may be no place to keep it
        assert all(["SAVEGAMES", "evening_1"] in lines for lines in heard.values()), heard
        self.kept = [client.public() for client in self.clients]
        return True

    def load(self):
        """Everybody is told the game as it was."""
        client = self.chance.choice(self.clients)
        client.send("LOADGAME", "evening_1")
        heard = self.sync(client)
        assert all(["RESET", "MerchantOfVenus"] in lines for lines in heard.values())
        for client, kept in zip(self.clients, self.kept):
            assert client.public() == kept, f"{client.user} was told another game"

    def drained(self, old):
        while data := old.recv(4096):
            del data
        return True

    def play(self):
        self.sit_down()
        for client in self.clients:
            client.errors.clear()
        saved_at = None
        while self.clients[0].winner is None:
            client = self.clients[int(self.clients[0].current)]
            assert client.seat == client.current and client.legal, (client.seat, client.state)
            assert all(not other.legal for other in self.clients if other is not client)
            self.turn_step(client)
            if self.chance.random() < 0.02:
                self.cut()
            if saved_at is None and self.turns == 12 and self.clients[0].winner is None:
                saved_at = self.turns if self.save() else -1
            if saved_at and self.turns == saved_at + 5:
                self.load()
                saved_at = -1
            assert self.turns < 2000, "nobody wins"
        winner = self.clients[0].winner
        assert self.clients[0].money[winner][2] >= 1000
        assert all(client.state == "TerminalState" and not client.legal for client in self.clients)
        print(f"{self.users[int(winner)]} won after {self.turns} turns and {self.cuts} cuts; {dict(self.done)}")

    def turn_step(self, client):
        getattr(self, "in_" + client.state.lower())(client)

    def in_techselect(self, client):
        self.act(client, "SELECTSWITCHABLES", "-" if self.chance.random() < 0.3 else client.switchables)

    def in_mulligan(self, client):
        if self.chance.random() < 0.5:
            self.act(client, "MULLIGAN", self.chance.choice(client.dice))
        else:
            self.act(client, "NOMULLIGAN")

    def in_selectpilotnumber(self, client):
        self.act(client, "SELECTPILOTNUMBER", self.chance.choice(client.numbers))

    def in_asteroidphase(self, client):
        self.act(client, "GETRELIC" if self.chance.random() < 0.9 else "LEAVERELIC")

    def trader(self, client, space):
        """The race that trades on a space, if this player knows it."""
        if SPACES[space]["type"] in ("city", "spacecity") or client.boxes.get(space, "").startswith("Station"):
            return client.home.get(SPACES[space]["region"])
        return None

    def places(self, client, races):
        return [space for space in SPACES if self.trader(client, space) in races]

    def target(self, client):
        """Where to go: to whoever buys what is aboard, else to where something worth carrying is, else into the unknown."""
        hold = [Token(text) for text in +client.hold[client.seat]]
        wanted = {race for token in hold if token.kind in ("good", "fare") for race in token.buyers}
        goals = self.places(client, wanted)
        known = set(client.home.values())
        if not goals and known:
            cash = client.money[client.seat][0]
            worth = lambda t: t.kind == "good" and t.buy <= cash and any(b in known for b in t.buyers)
            sellers = {race for race in known for text in +client.stock[race] if worth(Token(text))}
            goals = self.places(client, sellers - {self.trader(client, client.at[client.seat])})
        unknown = [s for s, row in SPACES.items() if row["type"] in ("city", "spacecity") and row["region"] not in client.home]
        if (not goals or (self.chance.random() < 0.2 and not wanted)) and unknown:
            goals = unknown
        return goals or self.places(client, known)

    def distances(self, goals):
        far = {space: 0 for space in goals}
        queue = collections.deque(goals)
        while queue:
            space = queue.popleft()
            for other, (kind, _) in WAYS[space].items():
                if kind == "walk" and other not in far:
                    far[other] = far[space] + 1
                    queue.append(other)
        return far

    def in_selectmove(self, client):
        here = client.at[client.seat]
        if not getattr(client, "goals", None) or "?" in client.dice:
            client.goals = self.target(client)
        far = self.distances(client.goals)
        if "ENDMOVE" in client.legal and (far.get(here) == 0 or not client.steps):
            return self.act(client, "ENDMOVE")
        best = min(far.get(space, 99) for space, *_ in client.steps)
        if "ENDMOVE" in client.legal and best > far.get(here, 99) and self.chance.random() < 0.7:
            return self.act(client, "ENDMOVE")
        near = [step for step in client.steps if far.get(step[0], 99) == best]
        space, how, _, _ = self.chance.choice(near if self.chance.random() < 0.9 else client.steps)
        return self.act(client, "SELECTDESTINATION", space, "1" if how == "jump" else "0")

    def room(self, client):
        hold = {Token(text): count for text, count in (+client.hold[client.seat]).items()}
        ship = next(token for token in hold if token.kind == "ship")
        used = sum(token.halves() * count for token, count in hold.items())
        names = collections.Counter()
        for token, count in hold.items():
            if token.kind == "equip":
                names[token.name] += count
        return ship.holds - used - sum(count - 1 for count in names.values()), ship

    def in_tradephase(self, client):
        race = self.trader(client, client.at[client.seat])
        assert race, "trade with somebody who is not known"
        assert not [line for line in client.errors if "ERROR" in line]
        for _ in range(20):
            action = self.deal(client, race)
            if not action or not self.act(client, *action) or client.state != "TradePhase":
                break
        if client.state == "TradePhase":
            self.turns += 1
            self.act(client, "ENDTURN")

    def deal(self, client, race):
        """The next thing to do at a base, or nothing."""
        hold = [Token(text) for text in +client.hold[client.seat]]
        stock = [Token(text) for text in +client.stock[race]]
        cash, barter, _ = client.money[client.seat]
        room, ship = self.room(client)
        if "REDEEMIOU" in client.legal and any(t.unlimited for t in stock):
            return ["REDEEMIOU"]
        for token in hold:
            if token.kind == "fare" and race in token.buyers:
                return ["DROPOFF", token.text]
            if token.kind == "good" and race in token.buyers and "SELL" in client.legal:
                return ["SELL", token.text]
        spare = [t for t in hold if t.kind in ("good", "fare") and t.text.endswith("old")]
        if spare and room == 0 and self.chance.random() < 0.05:
            return ["JETTISON", self.chance.choice(spare).text]
        if client.left[0] == 0:
            return None
        funds = cash + barter
        bigger = [t for t in stock if t.kind == "ship" and t.holds > ship.holds and t.buy <= funds + ship.sell - 150]
        if bigger and "TRADEINSHIP" in client.legal:
            return ["TRADEINSHIP", max(bigger, key=lambda t: t.holds).text]
        for token in stock:
            if token.kind == "fare" and room >= 1:
                return ["PICKUP", token.text]
        deeds = [t for t in stock if t.kind == "deed" and t.buy + 200 <= cash]
        if deeds and "BUY" in client.legal and self.chance.random() < 0.5:
            return ["BUY", self.chance.choice(deeds).text]
        gear = [t for t in stock if t.kind in ("drive", "equip") and t.buy + 200 <= funds and room >= 1]
        if gear and "BUY" in client.legal and self.chance.random() < 0.1:
            return ["BUY", self.chance.choice(gear).text]
        goods = [t for t in stock if t.kind == "good" and t.buy <= funds and room >= 2]
        if goods and "BUY" in client.legal:
            return ["BUY", max(goods, key=lambda t: t.sell - t.buy).text]
        return None


def main():
    host, port, players, seed = sys.argv[1:5]
    game = Game((host, int(port)), int(players), random.Random(int(seed)))
    game.play()
    print(f"events: {dict(game.seen)}")


if __name__ == "__main__":
    main()
