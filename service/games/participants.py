"""Which people are still playing, and which of them the game is waiting for."""

from typing import Any

from service.games.stored import StoredGame, StoredSeat


def people(game: StoredGame, state: Any) -> list[StoredSeat]:
    """The seats of people who are still in the game."""
    return [seat for seat in game.seats if seat.player is not None and game.rules.is_active(state, seat.seat)]


def present(game: StoredGame, state: Any) -> list[StoredSeat]:
    """Those of them who play themselves."""
    return [seat for seat in people(game, state) if not seat.played_by_stand_in]


def waited_for(game: StoredGame) -> list[StoredSeat]:
    """The seats of people whom the game is waiting for."""
    waiting = game.rules.to_act(game.state)
    return [seat for seat in game.seats if seat.player is not None and seat.seat in waiting]


def is_away(seat: StoredSeat, now: float) -> bool:
    """Whether the player is away, so that their clock is stopped."""
    return seat.away_until is not None and seat.away_until > now
