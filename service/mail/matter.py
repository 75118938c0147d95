"""What a letter about a table is about, and what every such letter needs to know of it."""

import json
from typing import Any, NamedTuple, TypeAlias

from service.engine.reading import Json
from service.mail.readers import Reader
from service.mail.wording import named, player_names, table_name
from service.office import Office
from service.store import load
from service.stored import StoredGame

Context: TypeAlias = dict[str, Any]


class Outdated(Exception):
    """The moment of the letter is over: its turn is played, or its seat belongs to somebody else by now."""


class Matter(NamedTuple):
    """What a letter about a table is about."""

    office: Office
    reader: Reader
    game: StoredGame
    seat: int
    turn: int
    created: float
    moment: float
    """When it is told: now or, where it is only looked at again, when it was sent."""
    details: Json
    again: bool
    """Whether the letter is only looked at again, so that it does not matter that its moment is over."""

    @property
    def base(self) -> str:
        """What every link begins with."""
        return self.office.settings.base_url

    def only_if(self, holds: bool) -> None:
        """Give the letter up where what it is about no longer holds."""
        if not holds and not self.again:
            raise Outdated

    @property
    def seat_link(self) -> str:
        """The link that opens the reader's seat."""
        version = self.game.seats[self.seat].link_version
        return f"{self.base}/s/{self.office.links.seat(self.game.id, self.seat, version)}"

    def turn_link(self, turn: int) -> str:
        """The link that plays a turn of the reader's seat."""
        version = self.game.seats[self.seat].link_version
        return f"{self.base}/t/{self.office.links.turn(self.game.id, self.seat, turn, version)}"


def matter_of(office: Office, letter: Any, reader: Reader, again: bool) -> Matter:
    """The letter's matter; raises `Outdated` where its seat is not its reader's any more."""
    game = named(load(office.database, letter.game_id), reader.translations)
    if game.seats[letter.seat].address != letter.address:
        raise Outdated
    moment = (letter.sent or letter.due) if again else office.clock()
    details = json.loads(letter.details)
    return Matter(office, reader, game, letter.seat, letter.turn or 0, letter.created, moment, details, again)


def about_table(matter: Matter) -> Context:
    """What every letter about a table needs."""
    game, names = matter.game, player_names(matter.game)
    return {
        "table": table_name(game),
        "you": names[matter.seat],
        "host": names[0],
        "seat_link": matter.seat_link,
        "game_link": f"{matter.base}/g/{game.id}",
        "may_answer": bool(matter.office.settings.inbound_domain),
    }
