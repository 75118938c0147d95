"""What the outside may see of a game: the whole view, and the record with nothing in it that is still secret."""

from collections.abc import Iterable
from typing import Any

from service.engine.json_reader import Json
from service.engine.records import Entry, Heading, Record


def whole_view(heading: Heading, state: Any, head: int, seat: int | None, deadline: str | None = None) -> Json:
    """The view of a game that has started: what its rules show to this seat, and what every game has."""
    game = heading.rules.view(state, seat)
    over = heading.rules.result(state) is not None
    result = game.pop("result")
    seats = [
        {"seat": place, "name": sitter.name, **game["seats"][place], "bot": sitter.bot}
        for place, sitter in enumerate(heading.seats)
    ]
    return {
        "id": heading.id,
        "game": heading.game,
        "name": heading.name,
        "status": "finished" if over else "playing",
        "head": head,
        "deadline": deadline,
        **game,
        "seats": seats,
        "dice": {"commitment": heading.commitment, "seed": heading.seed if over else None},
        "result": result,
    }


def shown_record(heading: Heading, state: Any, entries: Iterable[Entry]) -> Record:
    """The record as it may be shown while the game stands so."""
    rules = heading.rules
    if rules.result(state) is not None:
        return Record(heading, tuple(entries))
    seats = len(heading.seats)
    shown = (
        entry._replace(event=rules.events.read(rules.event_view(state, entry.event, None), seats)) for entry in entries
    )
    return Record(heading._replace(seed=None), tuple(shown))
