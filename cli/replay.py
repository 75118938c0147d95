"""A game as it stood after so many events: the events folded into a view, without asking the server again."""

from collections.abc import Callable, Sequence
from typing import Any, Final

View = dict[str, Any]
Event = dict[str, Any]

PURSE: Final = 30
RUGS_EACH: Final = {2: 24, 3: 15, 4: 12}
_BEGINS_STEP: Final = frozenset({"started", "faced", "laid", "turned", "resigned", "finished"})


def view_after(view: View, events: Sequence[Event], count: int) -> View:
    """The view of an onlooker after the first so many of all the game's events."""
    fold = _Fold(view)
    for event in events[:count]:
        fold.take(event)
    past = fold.view(view, count)
    for seat in past["seats"]:
        seat["next_rug"] = _next_rug(seat, view, events, count)
    return past


def steps_of(events: Sequence[Event]) -> list[list[Event]]:
    """The events in steps, each an action and what came of it."""
    steps: list[list[Event]] = []
    before = ""
    for event in events:
        if event["type"] in _BEGINS_STEP or (event["type"] == "rolled" and before != "faced") or not steps:
            steps.append([])
        steps[-1].append(event)
        before = event["type"]
    return steps


def _next_rug(seat: View, view: View, events: Sequence[Event], count: int) -> str | None:
    """What lay on top of the seat's pile then: the piles tell it, or the rug that was laid next, or the present."""
    left = seat["rugs_left"]
    if not left:
        return None
    if len(seat["colours"]) == 1:
        colour: str = seat["colours"][0]
        return colour
    piles = events[0].get("piles") if events else None
    if piles:
        top: str = piles[seat["seat"]][-left]
        return top
    if count == 0:
        return None
    later = (event["colour"] for event in events[count:] if event["type"] == "laid" and event["seat"] == seat["seat"])
    present: str | None = view["seats"][seat["seat"]]["next_rug"]
    return next(later, present)


class _Fold:
    """The table while the events are taken one after the other."""

    def __init__(self, view: View) -> None:
        seats = len(view["seats"])
        self._seats, self._rotates = seats, view["options"].get("variant") == "rotate-after"
        self._owner = {colour: seat["seat"] for seat in view["seats"] for colour in seat["colours"]}
        self.dirhams, self.rugs = [PURSE] * seats, [RUGS_EACH[seats]] * seats
        self.out: list[int] = []
        self.board: dict[str, View] = {}
        self.assam = {"at": "d4", "facing": "north"}
        self.turn, self.mover, self.phase = 1, 0, "direction"
        self.roll: View | None = None
        self.result: View | None = None
        self._takes: dict[str, Callable[[Event], None]] = {
            "started": self._started,
            "faced": self._faced,
            "rolled": self._rolled,
            "moved": self._moved,
            "paid": self._paid,
            "laid": self._laid,
            "turned": self._turned,
            "eliminated": self._went_out,
            "resigned": self._went_out,
            "finished": self._finished,
        }

    def take(self, event: Event) -> None:
        take = self._takes.get(event["type"])
        if take:  # what a newer server has invented is passed over
            take(event)

    def view(self, view: View, count: int) -> View:
        over = self.result is not None
        return {
            **view,
            "status": "finished" if over else "playing" if count else "waiting",
            "head": count,
            "turn": self.turn if count else 0,
            "phase": self.phase,
            "to_act": [] if over or not count else [self.mover],
            "deadline": None,
            "assam": self.assam,
            "seats": [self._seat(seat) for seat in view["seats"]],
            "board": self.board,
            "legal": [],
            "last_roll": self.roll,
            "dice": {**view["dice"], "seed": view["dice"]["seed"] if over else None},
            "result": self.result,
        }

    def _seat(self, seat: View) -> View:
        number = seat["seat"]
        visible = sum(rug["seat"] == number and not rug["neutral"] for rug in self.board.values())
        return {
            **seat,
            "dirhams": self.dirhams[number],
            "rugs_left": self.rugs[number],
            "visible": visible,
            "total": self.dirhams[number] + visible,
            "out": number in self.out,
        }

    def _started(self, event: Event) -> None:
        self.mover, self.assam = event["first"], dict(event["assam"])

    def _faced(self, event: Event) -> None:
        self.assam = {**self.assam, "facing": event["facing"]}

    def _rolled(self, event: Event) -> None:
        self.roll = {"die": event["die"], "roll": event["roll"], "path": []}

    def _moved(self, event: Event) -> None:
        self.assam = {"at": event["path"][-1], "facing": event["facing"]}
        self.phase = "placement"
        if self.roll:
            self.roll = {**self.roll, "path": event["path"]}

    def _paid(self, event: Event) -> None:
        self.dirhams[event["from"]] -= event["paid"]
        self.dirhams[event["to"]] += event["paid"]

    def _laid(self, event: Event) -> None:
        owner = self._owner[event["colour"]]
        for square in event["squares"]:
            self.board[square] = {
                "rug": event["rug"],
                "colour": event["colour"],
                "seat": owner,
                "neutral": owner in self.out,
            }
        self.rugs[event["seat"]] -= 1
        if self._rotates:
            self.phase = "rotation"
        else:
            self._pass_on()

    def _turned(self, event: Event) -> None:
        self._faced(event)
        self._pass_on()

    def _went_out(self, event: Event) -> None:
        seat = event["seat"]
        self.rugs[seat] = 0
        self.out.append(seat)
        self.board = {
            square: {**rug, "neutral": True} if rug["seat"] == seat else rug for square, rug in self.board.items()
        }
        if seat == self.mover and len(self.out) < self._seats - 1:
            self._pass_on()

    def _finished(self, event: Event) -> None:
        self.phase, self.result = "over", event["result"]

    def _pass_on(self) -> None:
        """The turn goes to the next seat that has a rug to lay."""
        for step in range(1, self._seats + 1):
            seat = (self.mover + step) % self._seats
            if self.rugs[seat]:
                self.mover, self.turn, self.phase = seat, self.turn + 1, "direction"
                return
