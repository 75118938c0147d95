"""What the host's pages and commands say about letters: the name of each kind, and why one was not sent.

A reason is stored in English and translated when it is shown. What a mail server said stays as it is.
"""

import re
from functools import lru_cache
from typing import Final

from service.i18n import Gettext, marked

_KINDS: Final = {
    "answer": marked("answer to a reply"),
    "cancelled": marked("table called off"),
    "declined": marked("seat given back"),
    "expired": marked("table expired"),
    "invitation": marked("invitation"),
    "links": marked("links once more"),
    "over": marked("game over"),
    "refusals": marked("letters that are refused"),
    "reminder": marked("reminder"),
    "roll": marked("roll of the die"),
    "sign-in": marked("sign-in code"),
    "talk": marked("talk at the table"),
    "test": marked("test letter"),
    "time-up": marked("time is up"),
    "turn": marked("turn to play"),
    "undeliverable": marked("invitation that did not arrive"),
}

BROKE_OFF: Final = marked("The mail server %(server)s broke off: %(words)s")
CANNOT_BE_USED: Final = marked("The mail server %(server)s cannot be used: %(words)s")
LINE_BROKE: Final = marked("The line broke while the letter was being handed over: %(words)s")
BAD_CERTIFICATE: Final = marked("its certificate is not good (%(words)s)")
UNKNOWN_CHARACTERS: Final = marked("the user or the password has characters that SMTP does not know")
NO_ANSWER: Final = marked("it did not answer in time")
CAME_BACK: Final = marked("The letter came back.")
NOT_WRITTEN: Final = marked("This server could not write the letter (%(fault)s); its log says where it failed.")
OUTDATED: Final = marked("What it tells is over, or its seat is somebody else's by now.")
TOO_LATE: Final = marked("It came too late to be of use.")
TURN_PLAYED: Final = marked("The turn was played before the letter was due.")
NOT_WANTED: Final = marked("The player wants no such letters.")
TOO_MANY: Final = marked("This address has had too many such letters lately.")
REFUSED_BEFORE: Final = marked("An earlier letter to this address was refused: %(words)s")
NOT_ALLOWED: Final = marked("This address may not sign in here; see ALLOWED_EMAILS in the settings.")
DROPPED_BY_HAND: Final = marked("Dropped by the host.")
CHANNEL_REMOVED: Final = marked("The player has turned these notifications off.")
CHANNEL_GONE: Final = marked("This browser no longer accepts notifications from us.")
CHANNEL_UNREACHABLE: Final = marked("%(server)s could not be reached.")
CHANNEL_REFUSED: Final = marked("%(server)s refused the message: %(words)s")
HAS_LEFT: Final = marked("This player has left and gets no letters.")

_REASONS: Final = (
    *(BROKE_OFF, CANNOT_BE_USED, LINE_BROKE, BAD_CERTIFICATE, UNKNOWN_CHARACTERS, NO_ANSWER, CAME_BACK, NOT_WRITTEN),
    *(OUTDATED, TOO_LATE, TURN_PLAYED, NOT_WANTED, TOO_MANY, REFUSED_BEFORE, NOT_ALLOWED, DROPPED_BY_HAND, HAS_LEFT),
    *(CHANNEL_REMOVED, CHANNEL_GONE, CHANNEL_UNREACHABLE, CHANNEL_REFUSED),
)
_PLACEHOLDER: Final = re.compile(r"%\\\((\w+)\\\)s")


def letter_kind_name(kind: str, say: Gettext) -> str:
    """The name of a kind of letter in the reader's language."""
    return say(_KINDS.get(kind, kind))


def translate_delivery_error(error: str, say: Gettext) -> str:
    """A stored reason in the reader's language, as far as the words are ours."""
    for sentence in _REASONS:
        found = _pattern(sentence).fullmatch(error)
        if found:
            words = {name: translate_delivery_error(text, say) for name, text in found.groupdict().items()}
            return say(sentence) % words
    return error


@lru_cache(maxsize=len(_REASONS))
def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>.*?)", re.escape(sentence)), re.DOTALL)
