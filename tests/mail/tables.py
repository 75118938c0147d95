"""Tables to write letters about: made in the lobby and played by the game's own players through `play.act`."""

from typing import Any

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Letter, Seat
from service.engine.dice import Chance
from service.games.lobby import NewGameRequest, SeatRequest, accept, create_game
from service.games.play import act
from service.games.store import StoredGame, load
from service.mail.letters import Composed

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
    "=?l1?b?DQpSZXBseS1Ubzp4QGV2aWwudGs=?=",
    "=?utf-8?q?=0D=0ABcc:_all=40example.org?=",
)


def links_in(letter: Composed) -> tuple[str, ...]:
    """Our own links in the text of a letter above its footer, each on a line of its own."""
    return _links(letter.text.partition("\n-- \n")[0])


def footer_links_in(letter: Composed) -> tuple[str, ...]:
    """The links in the footer of a letter's text."""
    return _links(letter.text.partition("\n-- \n")[2])


def _links(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.splitlines() if line.startswith("http://127.0.0.1:8000/"))


def table(
    ctx: AppContext, *chairs: SeatRequest, name: str = "Market day", game: str = "marrakech", **options: Any
) -> StoredGame:
    """A table of Ann's with a day for each turn."""
    chairs = chairs or (SeatRequest(email=BO, name="Bo"),)
    wish = NewGameRequest(game, name, chairs, options, DAY)
    host = find_or_create_player(ctx, ANN)
    host.name = "Ann"
    return create_game(ctx, host, wish)


def started(ctx: AppContext, *chairs: SeatRequest, **wishes: Any) -> StoredGame:
    """The same with everybody seated."""
    made = table(ctx, *chairs, **wishes)
    for seat in made.seats:
        if seat.player is not None and not seat.accepted:
            made = accept(ctx, made.id, seat.seat, seat.player)
    assert made.status == "playing"
    return made


def one_step(ctx: AppContext, game: StoredGame) -> StoredGame:
    """The game after one action of whoever is to act."""
    rules, seat = game.rules, min(game.rules.to_act(game.state))
    action = rules.bots["medium"](rules.view(game.state, seat), Chance(b"steps", str(game.head)))
    return act(ctx, game.id, seat, game.head, action, "salt").game


def played(ctx: AppContext, game: StoredGame, turns: int = 1000) -> StoredGame:
    """The game when so many turns are over, or at its end."""
    while game.status == "playing" and game.turn <= turns:
        game = one_step(ctx, game)
    return game


def rename(ctx: AppContext, game: StoredGame, seat: int, name: str) -> StoredGame:
    """Put a name into the database that the API would never have let in."""
    # PostgreSQL keeps to the length of its column and takes no zero bytes, whoever writes.
    kept = name.replace("\x00", "")[:80]
    Seat.update(name=kept).where((Seat.game == game.id) & (Seat.seat == seat)).execute(ctx.database)
    return load(ctx.database, game.id)


def letters(ctx: AppContext, kind: str | None = None) -> list[Letter]:
    """The outbox, the oldest letter first."""
    chosen = Letter.select().order_by(Letter.id)
    if kind:
        chosen = chosen.where(Letter.kind == kind)
    return list(chosen.execute(ctx.database))
