"""Talk at the table: plain text, seen by everybody who sits there."""

from typing import Final, NamedTuple

from service.models import Message
from service.office import Office

PAGE: Final = 100


class Line(NamedTuple):
    """One line of the talk."""

    id: int
    seat: int
    text: str
    at: float


def say(office: Office, game_id: str, seat: int, text: str) -> Line:
    """Add a line."""
    now = office.clock()
    with office.database.atomic():
        id_ = Message.insert(game=game_id, seat=seat, text=text, at=now).execute(office.database)
    return Line(id_, seat, text, now)


def lines(office: Office, game_id: str, after: int) -> list[Line]:
    """The next lines after the one with this id, oldest first."""
    chosen = (Message.game == game_id) & (Message.id > after)
    rows = Message.select(Message.id, Message.seat, Message.text, Message.at).where(chosen)
    return [Line(*row) for row in rows.order_by(Message.id).limit(PAGE).tuples().execute(office.database)]
