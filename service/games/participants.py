"""Who is there at a table: to play with, to be asked, and whom the game waits for."""

from typing import Any

from service.games.stored import StoredGame, StoredSeat


def people(game: StoredGame, state: Any) -> list[StoredSeat]:
    """The people who are still in the game."""
    shown = game.rules.view(state, None)["seats"]
    return [seat for seat in game.seats if seat.player is not None and not shown[seat.seat].get("out", False)]


def present(game: StoredGame, state: Any) -> list[StoredSeat]:
    """Those of them who play themselves."""
    return [seat for seat in people(game, state) if not seat.played_by_stand_in]


def waited_for(game: StoredGame) -> list[StoredSeat]:
    """The people whom the game waits for."""
    waiting = game.rules.to_act(game.state)
    return [seat for seat in game.seats if seat.player is not None and seat.seat in waiting]


def is_away(seat: StoredSeat, now: float) -> bool:
    """Whether the player's clocks stand still just now."""
    return seat.away_until is not None and seat.away_until > now
