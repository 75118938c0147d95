"""States as the text that the store keeps beside a game's head, and back.

Most snapshots that are read were written by this process a moment ago, so the newest are remembered. The text itself is
the key and a state never changes, so what is remembered is right in every process.
"""

import threading
from collections import OrderedDict
from typing import Any, Final

from pydantic_core import from_json, to_json

from service.engine.registry import GAMES

_MOST: Final = 512
_remembered: Final[OrderedDict[tuple[str, str], Any]] = OrderedDict()
_lock: Final = threading.Lock()


def write_snapshot(game: str, state: Any) -> str:
    """The state as text."""
    text = to_json(GAMES[game].states.write(state)).decode()
    _remember((game, text), state)
    return text


def read_snapshot(game: str, text: str) -> Any:
    """The state that was written so."""
    state = _remembered.get((game, text))
    if state is None:
        state = GAMES[game].states.read(from_json(text))
        _remember((game, text), state)
    return state


def _remember(key: tuple[str, str], state: Any) -> None:
    with _lock:
        _remembered[key] = state
        _remembered.move_to_end(key)
        if len(_remembered) > _MOST:
            _remembered.popitem(last=False)
