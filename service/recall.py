"""What this process remembers of the games it has just written, so that the next step of a turn need not read them.

It is never trusted: whatever is done with such a game is either written by a statement that asks at the same time
whether all of it is still so, or is done again with the game as it is.
"""

import threading
from collections import OrderedDict
from typing import Final

from service.commits_on_postgres import Promised
from service.games.stored import StoredGame

_MOST: Final = 512


class Recall:
    """The games that were written last; only of databases that tell versions of rows."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, StoredGame] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, game: StoredGame) -> None:
        """Remember a game as it was written."""
        if game.versions is None or game.status != "playing":
            self.forget(game.id)
            return
        with self._lock:
            self._games[game.id] = game._replace(remembered=True)
            self._games.move_to_end(game.id)
            if len(self._games) > _MOST:
                self._games.popitem(last=False)

    def forget(self, game_id: str) -> None:
        """What was remembered is not so any more."""
        self._games.pop(game_id, None)

    def game(self, game_id: str) -> StoredGame | None:
        """The game as it was; where its version is not known yet, nothing."""
        game = self._games.get(game_id)
        if game is None or game.versions is None or not isinstance(game.versions.game, Promised):
            return game
        version = game.versions.game.kept
        return None if version is None else game._replace(versions=game.versions._replace(game=version))
