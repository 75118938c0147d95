"""One letter of every kind, as the server would have posted them around two tables."""

import json
from typing import Any

from service.identity import ask_to_sign_in, player_with
from service.lobby import Chair, cancel, decline
from service.mail.letters import KINDS, Composed, compose
from service.models import Game, Letter
from service.office import Office
from service.play import act
from service.seat_links import mail_again
from service.store import load
from service.stored import StoredGame
from service.talk import say
from tests.mail.tables import ANN, BO, letters, one_step, played, rename, started, table

WHY = "There is no square h9 on the board."


def post(office: Office, kind: str, game: StoredGame | None = None, seat: int = 0, **details: Any) -> Letter:
    """A letter of a kind that other parts of the server post."""
    now = office.clock()
    Letter.insert(
        about=f"{kind}/{Letter.select().count(office.database)}",
        kind=kind,
        game=game.id if game else None,
        seat=seat if game else None,
        turn=game.turn if game else None,
        address=game.seats[seat].address if game else ANN,
        details=json.dumps(details),
        due=now,
        created=now,
    ).execute(office.database)
    return letters(office)[-1]


def mover(game: StoredGame) -> int:
    return min(game.rules.to_act(game.state))


def ann_to_move(office: Office, game: StoredGame, turns: int = 0) -> StoredGame:
    """The game at the beginning of a turn of Ann's."""
    game = played(office, game, turns)
    while mover(game) != 0 or game.state.phase not in {"direction", "placement"}:
        game = one_step(office, game)
    return game


def every_letter(office: Office, name: str | None = None) -> dict[str, Composed]:
    """A letter of each kind; everybody and both tables have this name, where one is given."""
    written: dict[str, Composed] = {}

    def named(game: StoredGame) -> StoredGame:
        if name is not None:
            Game.update(name=name.replace("\x00", "")[:80]).where(Game.id == game.id).execute(office.database)
            for seat in range(len(game.seats)):
                rename(office, game, seat, name)
        return load(office.database, game.id)

    def write(letter: Letter) -> None:
        written[str(letter.kind)] = compose(office, letter)

    ask_to_sign_in(office, ANN)
    write(letters(office)[-1])
    write(post(office, "test"))
    for end in (_decline, _cancel):
        waiting = named(table(office))
        write(letters(office, "invitation")[-1])
        end(office, waiting)
        write(letters(office)[-1])
    write(post(office, "expired", named(table(office))))
    game = ann_to_move(office, named(started(office, Chair(email=BO, name="Bo"), Chair(bot="greedy", name="F"))), 6)
    say(office, game.id, 1, (name or "Nice rug!").replace("\x00", ""))
    write(letters(office, "talk")[-1])
    write(letters(office, "turn")[-1])
    write(post(office, "reminder", game, part="half"))
    write(post(office, "answer", game, why=name or WHY, understood=name or "h9", asked=False, subject=name or "Re"))
    mail_again(office, ANN)
    write(next(letter for letter in letters(office, "links") if letter.about.startswith(f"{game.id}/")))
    before, game = game.head, one_step(office, game)
    write(post(office, "roll", game))
    game = one_step(office, game)
    write(post(office, "time-up", game, first=before + 1, last=game.head, kept=True))
    for seat in (0, 1):
        game = act(office, game.id, seat, game.head, {"type": "resign"}, "").game
    write(letters(office, "over")[0])
    assert set(written) == set(KINDS)
    return written


def _decline(office: Office, game: StoredGame) -> None:
    decline(office, game.id, 1, player_with(office, BO).id)


def _cancel(office: Office, game: StoredGame) -> None:
    cancel(office, game.id, game.host)
