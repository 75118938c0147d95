"""Tables to write letters about: made in the lobby and played by the game's own players through `play.act`."""

from typing import Any

from service.engine.dice import Chance
from service.identity import player_with
from service.lobby import Chair, Wish, accept, create
from service.models import Letter, Seat
from service.office import Office
from service.play import act
from service.store import load
from service.stored import StoredGame

ANN, BO = "ann@example.org", "bo@example.org"
DAY = 24 * 3600
HOSTILE = (
    "Eve\r\nBcc: all@example.org",
    "<script>alert(1)</script><b>&amp;",
    "\u202egro.live\u2066\u200f\x00\x1b[31m",
    "x" * 200,
    "絨毯" * 100,
    "http://evil.example/t/x",
    "100% %s %(you)s {{ code }} {% raw %}",
    "\n\n\n",
)


def table(office: Office, *chairs: Chair, name: str = "Market day", **options: Any) -> StoredGame:
    """A table of Ann's with a day for each turn."""
    chairs = chairs or (Chair(email=BO, name="Bo"),)
    wish = Wish("marrakech", name, chairs, options, DAY)
    host = player_with(office, ANN)
    host.name = "Ann"
    return create(office, host, wish)


def started(office: Office, *chairs: Chair, name: str = "Market day", **options: Any) -> StoredGame:
    """The same with everybody seated."""
    game = table(office, *chairs, name=name, **options)
    for seat in game.seats:
        if seat.player is not None and not seat.accepted:
            game = accept(office, game.id, seat.seat, seat.player)
    assert game.status == "playing"
    return game


def one_step(office: Office, game: StoredGame) -> StoredGame:
    """The game after one action of whoever is to act."""
    rules, seat = game.rules, min(game.rules.to_act(game.state))
    action = rules.bots["greedy"](rules.view(game.state, seat), Chance(b"steps", str(game.head)))
    return act(office, game.id, seat, game.head, action, "salt").game


def played(office: Office, game: StoredGame, turns: int = 1000) -> StoredGame:
    """The game when so many turns are over, or at its end."""
    while game.status == "playing" and game.turn <= turns:
        game = one_step(office, game)
    return game


def rename(office: Office, game: StoredGame, seat: int, name: str) -> StoredGame:
    """Put a name into the database that the API would never have let in."""
    # PostgreSQL keeps to the length of its column and takes no zero bytes, whoever writes.
    kept = name.replace("\x00", "")[:80]
    Seat.update(name=kept).where((Seat.game == game.id) & (Seat.seat == seat)).execute(office.database)
    return load(office.database, game.id)


def letters(office: Office, kind: str | None = None) -> list[Letter]:
    """The outbox, the oldest letter first."""
    chosen = Letter.select().order_by(Letter.id)
    if kind:
        chosen = chosen.where(Letter.kind == kind)
    return list(chosen.execute(office.database))
