"""One letter of every kind, as the server would have posted them around two tables."""

import json
from typing import Any

from service.auth.login import create_login_code, find_or_create_player
from service.context import AppContext
from service.db.models import Game, Letter
from service.games.chat import post_message
from service.games.lobby import SeatRequest, cancel, decline, report_undeliverable
from service.games.play import act
from service.games.players import replace_links
from service.games.store import StoredGame, load
from service.mail.letters import KINDS, Composed, compose
from tests.mail.tables import ANN, BO, letters, one_step, played, rename, started, table

WHY = "There is no square z9 on the board."
SPAM = "554 5.7.1 spam"


def post(ctx: AppContext, kind: str, game: StoredGame | None = None, seat: int = 0, **details: Any) -> Letter:
    """A letter of a kind that other parts of the server post."""
    now = ctx.clock()
    Letter.insert(
        about=f"{kind}/{Letter.select().count(ctx.database)}",
        kind=kind,
        game=game.id if game else None,
        seat=seat if game else None,
        turn=game.turn if game else None,
        address=game.seats[seat].address if game else ANN,
        details=json.dumps(details),
        due=now,
        created=now,
    ).execute(ctx.database)
    return letters(ctx)[-1]


def mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


def ann_to_move(ctx: AppContext, game: StoredGame, turns: int = 0) -> StoredGame:
    """The game at the beginning of a turn of Ann's."""
    game = played(ctx, game, turns)
    while mover(game) != 0 or game.state.phase not in {"direction", "placement"}:
        game = one_step(ctx, game)
    return game


def every_letter(ctx: AppContext, name: str | None = None) -> dict[str, Composed]:
    """A letter of each kind; everybody and both tables have this name, where one is given."""
    written: dict[str, Composed] = {}

    def named(game: StoredGame) -> StoredGame:
        if name is not None:
            Game.update(name=name.replace("\x00", "")[:80]).where(Game.id == game.id).execute(ctx.database)
            for seat in range(len(game.seats)):
                rename(ctx, game, seat, name)
        return load(ctx.database, game.id)

    def write(letter: Letter) -> None:
        written[str(letter.kind)] = compose(ctx, letter)

    create_login_code(ctx, ANN)
    write(letters(ctx)[-1])
    write(post(ctx, "test"))
    for end in (_decline, _cancel):
        waiting = named(table(ctx))
        write(letters(ctx, "invitation")[-1])
        end(ctx, waiting)
        write(letters(ctx)[-1])
    write(post(ctx, "expired", named(table(ctx))))
    report_undeliverable(ctx, named(table(ctx)).id, 1)
    write(letters(ctx)[-1])
    game = ann_to_move(
        ctx, named(started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="F"))), 6
    )
    post_message(ctx, game.id, 1, (name or "Nice rug!").replace("\x00", ""))
    write(letters(ctx, "talk")[-1])
    write(letters(ctx, "turn")[-1])
    write(post(ctx, "reminder", game, part="half"))
    write(post(ctx, "answer", game, why=name or WHY, understood=name or "h9", asked=False, subject=name or "Re"))
    replace_links(ctx, game.id, 0, game.host)
    write(letters(ctx, "links")[-1])
    post(ctx, "turn", game)
    Letter.update(rejections=1, trouble=SPAM).where(Letter.id == letters(ctx)[-1].id).execute(ctx.database)
    write(post(ctx, "refusals"))
    before, game = game.head, one_step(ctx, game)
    write(post(ctx, "roll", game))
    game = one_step(ctx, game)
    write(post(ctx, "time-up", game, first=before + 1, last=game.head, kept=True))
    for seat in (0, 1):
        game = act(ctx, game.id, seat, game.head, {"type": "resign"}, "").game
    write(letters(ctx, "over")[0])
    assert set(written) == set(KINDS)
    return written


def _decline(ctx: AppContext, game: StoredGame) -> None:
    decline(ctx, game.id, 1, find_or_create_player(ctx, BO).id)


def _cancel(ctx: AppContext, game: StoredGame) -> None:
    cancel(ctx, game.id, game.host)
