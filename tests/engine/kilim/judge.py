"""A judge of whole games: the specification once more, without a line of the engine.

It follows a game event by event. Before each event it says whom the game waits for, what each seat can do and what must
happen by itself; it refuses an event that can't come now. Everything is a plain dict or list, as in the record, and
every list is computed anew each time it is asked for.
"""

import copy
from typing import Any, Final, TypeAlias

from tests.engine.kilim import naive

Value: TypeAlias = dict[str, Any]
MOTIFS: Final = {"B": "bird", "E": "eye", "H": "horn", "S": "star", "T": "tree"}
SHOWS: Final = {**MOTIFS, "X": "torn", "O": "blank"}
TOKENS: Final = ["perfect", "turn", "remove", "move"]
COLOURS: Final = ["red", "blue", "green", "yellow", "purple"]
SCORES: Final = ("rectangle", "motifs", "groups", "largest", "torn")


class Refused(Exception):
    """An event that can't come now."""


class Judge:
    """One game, after some of its events."""

    def __init__(self, seats: int, weaving: str) -> None:
        self.weaving = weaving
        self.size = 10 if seats == 2 else 15
        self.phase, self.turn, self.round, self.day = "choose", 1, 0, 0
        self.piles: list[list[str]] | None = None
        self.offer: list[str] = []
        self.bag = list(MOTIFS.values())
        self.taken: dict[int, list[str]] = {1: [], 2: [], 3: []}  # the tokens of each day that are not on the board
        self.perfect = 0
        self.shown: list[Any] | None = None
        self.auction: Value | None = None
        self.is_settled = False
        self.last: Value | None = None
        self.out: list[int] = []
        self.result: Value | None = None
        self.seats: list[Value] = [
            {
                "gold": list(range(1, self.size + 1)),
                "specials": ["spy", "bag", "artisan"],
                "card": None,
                "bid": None,
                "weave": [],
                "keep": False,
                "take": 0,  # the day whose token the seat has won
                "scraps": [],
                "perfect": [],
                "token": None,  # [token, whether it is used, its day]
                "pieces": [],
                "passed": False,
            }
            for _ in range(seats)
        ]

    def copy(self) -> "Judge":
        return copy.deepcopy(self)

    @property
    def active(self) -> list[int]:
        return [seat for seat in range(len(self.seats)) if seat not in self.out]

    @property
    def is_last_of_day(self) -> bool:
        return self.round % self.size == 0

    @property
    def is_last_round(self) -> bool:
        return self.round == 3 * self.size

    # What the game waits for, and what is possible

    def owes(self, seat: int) -> bool:
        own = self.seats[seat]
        return bool(own["weave"] or own["keep"] or own["take"])

    def must_bid(self, seat: int) -> bool:
        own, card = self.seats[seat], self.shown[seat] if self.shown else None
        cards = {"spy": ["spy"], "pay": ["bag", "artisan"]}.get(self.phase, [])
        return own["bid"] is None and card in cards and seat in self.active

    def waits_for(self) -> list[int]:
        if self.phase == "over":
            return []
        return [seat for seat in self.active if self._waits_for(seat)]

    def _waits_for(self, seat: int) -> bool:
        own = self.seats[seat]
        match self.phase:
            case "choose":
                return own["card"] is None
            case "spy" | "pay":
                return self.must_bid(seat)
            case "weave":
                return self.owes(seat)
        if self.owes(seat):
            return True
        if own["passed"]:
            return False
        uses = bool(self._reworks(seat))
        if self.is_last_round:
            uses = uses or bool(own["perfect"]) or bool(own["scraps"] and list(naive.patches(own["pieces"])))
        return uses

    def playable(self, seat: int) -> list[Any]:
        own = self.seats[seat]
        cards = list(own["gold"])
        for special in own["specials"]:
            if special == "bag" and len(self.bag) <= sum(each["keep"] for each in self.seats):
                continue
            owed = sum(each["take"] == self.day for each in self.seats)
            if special == "artisan" and 4 - len(self.taken[self.day]) <= owed:
                continue
            cards.append(special)
        return cards

    def fitting(self, seat: int) -> list[int]:
        assert self.shown is not None
        assert self.auction is not None
        gold, winner = self.seats[seat]["gold"], self.auction["winner"]
        if winner is None:
            return list(gold)
        price = self.auction["gold"][winner]
        if self.shown[seat] == "bag":
            return [card for card in gold if card > price]
        return [card for card in gold if card < price]

    def biddable(self, seat: int) -> list[int]:
        if self.phase == "spy":
            return list(self.seats[seat]["gold"])
        return self.fitting(seat) or list(self.seats[seat]["gold"])

    def takeable(self, seat: int) -> list[str]:
        day = self.seats[seat]["take"]
        return [token for token in TOKENS if token not in self.taken[day]]

    def _weaves(self, seat: int, dominoes: list[str]) -> list[Value]:
        pieces = self.seats[seat]["pieces"]
        return [
            {"type": "weave", "domino": domino, "squares": words.split("-")}
            for domino in dominoes
            for words in naive.weaves(pieces, domino)
        ]

    def _reworks(self, seat: int) -> list[Value]:
        own = self.seats[seat]
        if own["token"] is None or own["token"][1] or own["token"][0] == "perfect":
            return []
        found = []
        for words in naive.reworks(own["pieces"], own["token"][0]):
            piece, *where = words.split()
            squares = where[0].split("-") if where else []
            found.append({"type": "rework", "token": own["token"][0], "piece": piece, "squares": squares})
        return found

    def required(self, seat: int) -> list[Value]:
        """What the seat owes, or the card or gold that the game waits for."""
        if self.phase == "over" or seat not in self.active or self.seats[seat]["passed"]:
            return []
        own = self.seats[seat]
        found = self._weaves(seat, own["weave"])
        if own["keep"]:
            found += [{"type": "keep", "scrap": scrap} for scrap in self.bag]
        if own["take"]:
            found += [{"type": "take", "token": token} for token in self.takeable(seat)]
        if self.phase == "choose" and own["card"] is None and not self.owes(seat):
            found += [{"type": "play", "card": card} for card in self.playable(seat)]
        if self.must_bid(seat):
            found += [{"type": "bid", "gold": gold} for gold in self.biddable(seat)]
        return found

    def possible(self, seat: int) -> list[Value]:
        """What the seat may do at any time, and passing."""
        if self.phase == "over" or seat not in self.active or self.seats[seat]["passed"]:
            return []
        own = self.seats[seat]
        found = self._weaves(seat, own["perfect"])
        for scrap in own["scraps"]:
            found += [{"type": "patch", "scrap": scrap, "square": square} for square in naive.patches(own["pieces"])]
        found += self._reworks(seat)
        if self.phase == "evening" and not self.owes(seat) and self._waits_for(seat):
            found.append({"type": "pass"})
        return found

    # What must happen by itself

    def by_itself(self) -> Value | None:
        """The event that must come next, unless a seat has a choice first."""
        if self.phase == "over":
            return None
        if self.round == 0:
            return self._revealed()
        if len(self.active) == 1:
            return {"type": "finished", "result": self._result("last_standing")}
        for seat in self.active:
            action = self._automatic(seat)
            if action is not None:
                return action
        return self._next_phase()

    def _automatic(self, seat: int) -> Value | None:
        own = self.seats[seat]
        if own["weave"] and not own["pieces"]:
            return {"type": "woven", "seat": seat, "domino": own["weave"][0], "squares": ["m13", "n13"]}
        if own["keep"] and len(self.bag) == 1:
            return {"type": "kept", "seat": seat, "scrap": self.bag[0]}
        if own["take"] and len(self.takeable(seat)) == 1:
            return self._took(seat, self.takeable(seat)[0])
        if self.phase == "choose" and own["card"] is None and not self.owes(seat) and len(self.playable(seat)) == 1:
            return {"type": "played", "seat": seat, "round": self.round, "card": self.playable(seat)[0]}
        if self.must_bid(seat) and len(self.biddable(seat)) == 1:
            return {"type": "bid", "seat": seat, "round": self.round, "gold": self.biddable(seat)[0]}
        return None

    def _took(self, seat: int, token: str) -> Value:
        domino = f"OO{self.perfect + 1}" if token == "perfect" else None  # noqa: S105 - an artisan's token
        return {"type": "took", "seat": seat, "token": token, "domino": domino}

    def _next_phase(self) -> Value | None:
        match self.phase:
            case "choose" | "spy" | "pay" if self.waits_for():
                return None
            case "choose" if self.shown is None:
                cards = [self.seats[seat]["card"] if seat in self.active else None for seat in range(len(self.seats))]
                return {"type": "shown", "round": self.round, "cards": cards}
            case "choose" | "spy" if self.auction is None:
                return self._auctioned()
            case "pay" if not self.is_settled:
                return self._settled()
            case "choose" | "spy" | "pay":  # relaxed: the round is over
                return {"type": "evening", "day": self.day} if self.is_last_round else self._revealed()
            case "weave" if self.is_last_of_day:
                return {"type": "evening", "day": self.day}
        if self.waits_for():
            return None
        if self.phase == "evening" and self.is_last_round:
            return {"type": "finished", "result": self._result("days_over")}
        return self._revealed()

    def _revealed(self) -> Value:
        assert self.piles is not None
        day, place = divmod(self.round, self.size)
        domino = self.piles[day][place]
        return {
            "type": "revealed",
            "round": self.round + 1,
            "day": day + 1,
            "domino": domino,
            "offer": [*self.offer, domino],
        }

    def _auctioned(self) -> Value:
        gold: list[int | None] = []
        for seat, own in enumerate(self.seats):
            card = self.shown[seat] if self.shown and seat in self.active else None
            gold.append(own["bid"] if card == "spy" else card if isinstance(card, int) else None)
        alone = [amount for amount in gold if amount is not None and gold.count(amount) == 1]
        winner = gold.index(max(alone)) if alone else None
        fate = "won" if alone else "lost" if self.is_last_of_day else "carried"
        return {
            "type": "auctioned",
            "round": self.round,
            "gold": gold,
            "winner": winner,
            "dominoes": self.offer,
            "fate": fate,
        }

    def _settled(self) -> Value:
        assert self.shown is not None
        payers = [seat for seat in self.active if self.shown[seat] in ("bag", "artisan")]
        gold = [own["bid"] if seat in payers else None for seat, own in enumerate(self.seats)]
        short = [seat for seat in payers if not self.fitting(seat)]
        won: dict[str, int | None] = {"bag": None, "artisan": None}
        for card, sign in (("bag", 1), ("artisan", -1)):
            rivals = sorted(
                [(sign * gold[seat], seat) for seat in payers if self.shown[seat] == card and seat not in short],  # type: ignore[operator]
                reverse=True,
            )
            if len(rivals) == 1 or (rivals and rivals[0][0] != rivals[1][0]):
                won[card] = rivals[0][1]
        return {"type": "settled", "round": self.round, "gold": gold, "short": short, **won}

    # Following the game

    def follow(self, event: Value) -> None:
        """Check an event (without `seq`, `at` and `stand_in`) and apply it; raises `Refused`."""
        if event["type"] == "started":
            self.piles = event["piles"]
            return
        forced = self.by_itself()
        if forced is not None:
            if event != forced:
                raise Refused(f"{event} came, but {forced} had to")
        elif not self._is_allowed(event):
            raise Refused(f"{event} can't come in the phase {self.phase} of round {self.round}")
        self._apply(event)

    def _is_allowed(self, event: Value) -> bool:
        if event.get("seat") not in self.active or self.phase == "over":
            return False
        seat = event["seat"]
        if event["type"] == "resigned":
            return event == {"type": "resigned", "seat": seat}
        allowed = self.required(seat) + self.possible(seat)
        return any(event == self.event_of(seat, action) for action in allowed)

    def event_of(self, seat: int, action: Value) -> Value:
        """The event that an action causes first."""
        match action["type"]:
            case "take":
                return self._took(seat, action["token"])
            case "play" | "bid":
                kind = {"play": "played", "bid": "bid"}[action["type"]]
                return {**action, "type": kind, "seat": seat, "round": self.round}
        past = {"weave": "woven", "keep": "kept", "patch": "patched", "rework": "reworked", "pass": "passed"}
        return {**action, "type": past.get(action["type"], "resigned"), "seat": seat}

    def _apply(self, event: Value) -> None:
        own = self.seats[event["seat"]] if "seat" in event else {}
        getattr(self, f"_{event['type']}_then")(event, own)

    def _revealed_then(self, event: Value, _: Value) -> None:
        if event["day"] != self.day:
            for own in self.seats:
                own["gold"], own["specials"] = list(range(1, self.size + 1)), ["spy", "bag", "artisan"]
                own["passed"] = False
                if own["token"] and (own["token"][1] or self.weaving == "strict"):
                    own["token"] = None
        if self.round:
            self.turn += 1
        self.phase, self.round, self.day, self.offer = "choose", event["round"], event["day"], event["offer"]
        self.shown, self.auction, self.is_settled = None, None, False
        for own in self.seats:
            own["card"] = own["bid"] = None

    def _played_then(self, event: Value, own: Value) -> None:
        own["card"] = event["card"]
        if own["token"] and own["token"][2] < self.day:
            own["token"] = None

    def _bid_then(self, event: Value, own: Value) -> None:
        own["bid"] = event["gold"]

    def _shown_then(self, event: Value, _: Value) -> None:
        self.shown = event["cards"]
        self._spend(event["cards"])
        if "spy" in event["cards"]:
            self._begin("spy")

    def _auctioned_then(self, event: Value, _: Value) -> None:
        self.auction = event
        self._spend(event["gold"])
        self.offer = event["dominoes"] if event["fate"] == "carried" else []
        if event["winner"] is not None:
            self.seats[event["winner"]]["weave"] += event["dominoes"]
        assert self.shown is not None
        if any(self.shown[seat] in ("bag", "artisan") for seat in self.active):
            self._begin("pay")
        else:
            nobody = [None] * len(self.seats)
            self._end_bidding({"gold": nobody, "short": [], "bag": None, "artisan": None})

    def _settled_then(self, event: Value, _: Value) -> None:
        self.is_settled = True
        self._spend(event["gold"])
        if event["bag"] is not None:
            self.seats[event["bag"]]["keep"] = True
        if event["artisan"] is not None:
            self.seats[event["artisan"]]["take"] = self.day
        self._end_bidding(event)

    def _kept_then(self, event: Value, own: Value) -> None:
        own["keep"] = False
        own["scraps"].append(event["scrap"])
        self.bag.remove(event["scrap"])

    def _took_then(self, event: Value, own: Value) -> None:
        day, own["take"] = own["take"], 0
        self.taken[day].append(event["token"])
        own["token"] = [event["token"], event["domino"] is not None, day]
        if event["domino"]:
            self.perfect += 1
            own["perfect"].append(event["domino"])
            if day < self.day:
                own["token"] = None

    def _woven_then(self, event: Value, own: Value) -> None:
        own["perfect" if event["domino"] in own["perfect"] else "weave"].remove(event["domino"])
        own["pieces"].append((event["domino"], tuple(at(square) for square in event["squares"])))

    def _patched_then(self, event: Value, own: Value) -> None:
        own["scraps"].remove(event["scrap"])
        own["pieces"].append((event["scrap"], (at(event["square"]),)))

    def _reworked_then(self, event: Value, own: Value) -> None:
        (old,) = (piece for piece in own["pieces"] if piece[0] == event["piece"])
        rest = naive.without(own["pieces"], old)
        if event["squares"]:
            squares = tuple(at(square) for square in event["squares"])
            moved = dict(zip(old[1], squares, strict=True))
            carried = [piece for piece in own["pieces"] if piece not in rest and piece != old]
            rest += [(old[0], squares), *((name, (moved[under[0]],)) for name, under in carried)]
        own["pieces"] = rest
        own["token"] = None if own["token"][2] < self.day else [own["token"][0], True, own["token"][2]]

    def _evening_then(self, event: Value, _: Value) -> None:
        self._begin("evening")

    def _passed_then(self, event: Value, own: Value) -> None:
        own["passed"] = True

    def _resigned_then(self, event: Value, own: Value) -> None:
        self.out.append(event["seat"])
        if own["token"] and not own["token"][1]:
            if own["token"][2] == self.day:
                self.taken[self.day].remove(own["token"][0])
            own["token"] = None
        own.update(card=None, bid=None, weave=[], keep=False, take=0, scraps=[], perfect=[])

    def _finished_then(self, event: Value, _: Value) -> None:
        self.phase, self.result = "over", event["result"]

    def _begin(self, phase: str) -> None:
        self.phase = phase
        self.turn += 1

    def _spend(self, cards: list[Any]) -> None:
        for own, card in zip(self.seats, cards, strict=True):
            for hand in (own["gold"], own["specials"]):
                if card in hand:
                    hand.remove(card)

    def _end_bidding(self, paid: Value) -> None:
        assert self.auction is not None
        self.last = {name: self.auction[name] for name in ("round", "gold", "winner", "dominoes", "fate")}
        self.last |= {"cards": self.shown, "paid": paid["gold"]}
        self.last |= {name: paid[name] for name in ("short", "bag", "artisan")}
        if self.weaving == "strict":
            self._begin("weave")

    # Points

    def _scores(self) -> list[Value]:
        shows = [{} if seat in self.out else shown(own["pieces"]) for seat, own in enumerate(self.seats)]
        groups = [sizes_of_groups(squares) for squares in shows]
        scores = []
        for seat, squares in enumerate(shows):
            columns, rows = {column for column, _ in squares}, {row for _, row in squares}
            is_full = bool(squares) and all(
                (column, row) in squares
                for column in range(min(columns), max(columns) + 1)
                for row in range(min(rows), max(rows) + 1)
            )
            kinds = len({letter for letter in squares.values() if letter in MOTIFS})
            best = {letter: max(sizes, default=0) for letter, sizes in groups[seat].items()}
            others = [groups[other] for other in range(len(shows)) if other != seat]
            score = {
                "rectangle": 10 if is_full else 0,
                "motifs": 10 if kinds == 3 else 5 if kinds == 5 else 0,
                "groups": sum(size - 1 for sizes in groups[seat].values() for size in sizes),
                "largest": sum(
                    5
                    for letter, size in best.items()
                    if size > max((size for other in others for size in other[letter]), default=0)
                ),
                "torn": -3 * list(squares.values()).count("X"),
            }
            scores.append({**score, "total": sum(score.values()), "squares": len(squares)})
        return scores

    def _result(self, reason: str) -> Value:
        scores = self._scores()
        ranking = sorted(self.active, key=lambda seat: (-scores[seat]["total"], -scores[seat]["squares"], seat))
        best = scores[ranking[0]]
        winners = [
            seat
            for seat in ranking
            if (scores[seat]["total"], scores[seat]["squares"]) == (best["total"], best["squares"])
        ]
        return {
            "winners": winners,
            "ranking": ranking + self.out[::-1],
            "scores": [{"seat": seat, **score, "out": seat in self.out} for seat, score in enumerate(scores)],
            "reason": reason,
        }

    # The view

    def view(self, seat: int | None) -> Value:
        """What this seat sees, except `legal`, whose order is free in part."""
        own = {} if seat is None else self.seats[seat]
        mine = {
            "card": own.get("card"),
            "bid": own.get("bid"),
            "scraps": own.get("scraps"),
            "bag": self.bag if own.get("keep") else None,
        }
        return {
            "turn": self.turn,
            "phase": self.phase,
            "day": self.day,
            "round": self.round,
            "rounds": 3 * self.size,
            "to_act": self.waits_for(),
            "you": seat,
            "options": {"weaving": self.weaving},
            "offer": self.offer,
            "pile_left": self.day * self.size - self.round,
            "bag_left": len(self.bag),
            "tokens": [token for token in TOKENS if token not in self.taken[self.day]],
            "shown": self.shown,
            "seats": [self._seat_view(number, score) for number, score in enumerate(self._scores())],
            "mine": None if seat is None else mine,
            "last": self.last,
            "result": self.result,
        }

    def _seat_view(self, seat: int, points: Value) -> Value:
        own = self.seats[seat]
        letters, scraps = shown(own["pieces"]), {squares[0] for _, squares in own["pieces"] if len(squares) == 1}
        below = {square: name for name, squares in own["pieces"] if len(squares) == 2 for square in squares}
        return {
            "colours": [COLOURS[seat]],
            "out": seat in self.out,
            "gold": own["gold"],
            "specials": own["specials"],
            "owes": {"weave": own["weave"], "keep": own["keep"], "take": bool(own["take"])},
            "scraps": len(own["scraps"]),
            "perfect": own["perfect"],
            "token": {"token": own["token"][0], "used": own["token"][1]} if own["token"] else None,
            "carpet": {
                naive.name_of((square,)): {
                    "shows": SHOWS[letter],
                    "domino": below.get(square),
                    "scrap": square in scraps,
                }
                for square, letter in letters.items()
            },
            "points": points,
        }


def at(square: str) -> naive.At:
    """The column and row of a square."""
    return ord(square[0]) - ord("a"), int(square[1:]) - 1


def shown(pieces: list[naive.Piece]) -> dict[naive.At, str]:
    """The letter that shows on each square."""
    letters: dict[naive.At, str] = {}
    for name, squares in sorted(pieces, key=lambda piece: -len(piece[1])):
        if len(squares) == 2:
            letters[squares[0]], letters[squares[1]] = name[0], name[1]
        else:
            letters[squares[0]] = name[0].upper()
    return letters


def sizes_of_groups(letters: dict[naive.At, str]) -> dict[str, list[int]]:
    """The sizes of the groups of two or more squares, by motif."""
    found: dict[str, list[int]] = {letter: [] for letter in MOTIFS}
    for letter, sizes in found.items():
        left = {square for square in letters if letters[square] == letter}
        while left:
            group = {left.pop()}
            while near := {square for square in left if any(naive.touch(square, other) for other in group)}:
                group |= near
                left -= near
            if len(group) > 1:
                sizes.append(len(group))
    return found
