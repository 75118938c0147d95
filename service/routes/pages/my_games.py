"""The list of a player's games on the start page: the board, the players, the score or result, and the time left."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from service.context import AppContext
from service.db.models import Player
from service.games.names import player_names, with_display_names
from service.games.store import StoredGame, StoredSeat, load_all
from service.games.views import list_games, view_after
from service.i18n import Reader
from service.text import format_duration, join_names, sanitize
from service.ui.tables import Standings, name_winners

_LONGEST: Final = 60
_ORDER: Final = ("my-turn", "invited", "playing", "waiting", "finished")


class ListedPlayer(NamedTuple):
    """A seat of a listed game."""

    name: str
    """Empty for an open seat."""
    score: str
    """Empty before the start, and in a game without a score."""
    is_reader: bool
    is_to_act: bool
    is_invited: bool
    """Whether they have neither accepted nor declined yet."""


class ListedGame(NamedTuple):
    """One of the player's games, as the list shows it."""

    id: str
    name: str
    title: str
    """Which game is played."""
    where: str
    """The page of the player's seat."""
    kind: str
    """What the player can do: my-turn, invited, playing, waiting or finished."""
    players: list[ListedPlayer]
    """The reader first; in a finished game the winner."""
    result: str
    """Who won; empty until the game is over."""
    waiting_for: str
    left: str
    until: str
    is_paused: bool


class _Position(NamedTuple):
    """The state of a game."""

    scores: list[str]
    to_act: Sequence[int] = ()
    winners: Sequence[int] = ()
    ranking: Sequence[int] = ()
    """Of a finished game."""


def list_my_games(
    ctx: AppContext, player: Player, cursor: str | None, reader: Reader
) -> tuple[list[ListedGame], str | None]:
    """A page of games, those that wait for the player first, and the cursor of the next page."""
    page = list_games(ctx, player.id, None, cursor)
    ids = [listed["id"] for listed in page.games]
    games = sorted(load_all(ctx.database, ids), key=lambda game: ids.index(game.id))
    listed = [_describe(ctx, with_display_names(game, reader.translations), player, reader) for game in games]
    return sorted(listed, key=lambda game: _ORDER.index(game.kind)), page.cursor


def _describe(ctx: AppContext, game: StoredGame, player: Player, reader: Reader) -> ListedGame:
    mine = next(seat for seat in game.seats if seat.player == player.id)
    names, position = player_names(game), _read_position(ctx, game, mine.seat, reader.translations)
    order = position.ranking or sorted(range(len(game.seats)), key=lambda seat: seat != mine.seat)
    deadline = game.deadline if game.status == "playing" else None
    return ListedGame(
        id=game.id,
        name=sanitize(game.name, _LONGEST),
        title=game.ui.title,
        where=f"/s/{ctx.tokens.seat(game.id, mine.seat, mine.link_version)}",
        kind=_find_kind(game, mine, position),
        players=[_list_player(game.seats[seat], names[seat], mine.seat, position) for seat in order],
        result=_tell_result(position, names, mine.seat, reader.translations),
        waiting_for=join_names([names[seat] for seat in position.to_act], reader.translations),
        left=format_duration(max(0.0, deadline - ctx.clock()), reader.translations) if deadline else "",
        until=reader.format_short_time(deadline) if deadline else "",
        is_paused=game.paused,
    )


def _read_position(ctx: AppContext, game: StoredGame, seat: int, translations: NullTranslations) -> _Position:
    """The position as this seat may know it."""
    if game.status == "waiting":
        return _Position([""] * len(game.seats))
    view = view_after(ctx, game, None, seat)
    scores = _read_scores(game.ui.standings(view, player_names(game), translations))
    result = view["result"] or {"winners": (), "ranking": ()}
    return _Position(scores, view["to_act"], result["winners"], result["ranking"])


def _read_scores(standings: Standings) -> list[str]:
    """What decides who wins, seat by seat; empty texts if it is not one number."""
    deciding = [place for place, column in enumerate(standings.columns) if column.decides]
    rows = sorted(standings.rows, key=lambda row: row.seat)
    return [row.cells[deciding[0]] if deciding else "" for row in rows]


def _find_kind(game: StoredGame, mine: StoredSeat, position: _Position) -> str:
    if game.status == "waiting" and not mine.accepted:
        return "invited"
    return "my-turn" if mine.seat in position.to_act and not mine.played_by_stand_in else game.status


def _list_player(seat: StoredSeat, name: str, reader: int, position: _Position) -> ListedPlayer:
    is_open = seat.player is None and seat.bot is None
    return ListedPlayer(
        name="" if is_open else name,
        score=position.scores[seat.seat],
        is_reader=seat.seat == reader,
        is_to_act=seat.seat in position.to_act,
        is_invited=not seat.accepted and not is_open,
    )


def _tell_result(position: _Position, names: Sequence[str], reader: int, translations: NullTranslations) -> str:
    """Who won, in a sentence."""
    gettext, winners = translations.gettext, position.winners
    if not winners:
        return ""
    if len(winners) > 1 and reader in winners:
        others = join_names([names[seat] for seat in winners if seat != reader], translations)
        return gettext("You share the win with %(names)s.") % {"names": others}
    if len(winners) > 1:
        return name_winners(winners, names, translations)
    name, score = names[winners[0]], position.scores[winners[0]]
    if reader in winners:
        return gettext("You won with %(score)s.") % {"score": score} if score else gettext("You won.")
    words = {"name": name, "score": score}
    return (gettext("%(name)s won with %(score)s.") if score else gettext("%(name)s won.")) % words
