"""Which letters are worth sending: those that the player wants and that are not too late."""

from typing import Any, Final

from service.auth.login import CODE_SECONDS
from service.db import letter_texts
from service.games.players import MAIL_PREFERENCES
from service.mail.outbox import Addressee

_REQUESTED: Final = frozenset({"sign-in", "links", "test"})
"""Letters that somebody is waiting for: they are tried even if the address was refused before."""
_ABOUT_A_TURN: Final = frozenset({"turn", "reminder"})


def reason_to_drop(letter: Any, addressee: Addressee, now: float) -> str | None:
    """Why the letter should not be sent, as a sentence for the host; None if it should."""
    if _is_late(letter, addressee, now):
        return letter_texts.TOO_LATE
    if not addressee.preferences.get(MAIL_PREFERENCES.get(letter.kind, ""), True):
        return letter_texts.NOT_WANTED
    if addressee.mail_trouble and letter.kind not in _REQUESTED:
        return letter_texts.REFUSED_BEFORE % {"words": addressee.mail_trouble}
    return None


def _is_late(letter: Any, addressee: Addressee, now: float) -> bool:
    if letter.kind in _ABOUT_A_TURN:
        playing = addressee.game_status == "playing" and addressee.game_turn == letter.turn
        return not (playing and addressee.to_act)
    if letter.kind == "invitation":
        return addressee.game_status != "waiting"
    return bool(letter.kind == "sign-in" and now >= letter.created + CODE_SECONDS)
