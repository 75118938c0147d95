"""What each kind of letter is called where letters are listed."""

from typing import Final

from service.i18n import marked
from service.ui.marrakech.alt_text import Say

_NAMES: Final = {
    "answer": marked("answer to a reply"),
    "cancelled": marked("table called off"),
    "declined": marked("seat given back"),
    "expired": marked("table expired"),
    "invitation": marked("invitation"),
    "links": marked("link once more"),
    "over": marked("game over"),
    "reminder": marked("reminder"),
    "roll": marked("roll of the die"),
    "sign-in": marked("sign-in code"),
    "talk": marked("talk at the table"),
    "test": marked("test letter"),
    "time-up": marked("time is up"),
    "turn": marked("turn to play"),
}


def kind_called(kind: str, say: Say) -> str:
    """The kind in the reader's language."""
    return say(_NAMES.get(kind, kind))
