"""What the server host's pages and commands say about letters: the name of each kind, and why one was not sent.

A reason is stored in English and translated when it is shown. What a mail server said stays as it is.
"""

import re
from functools import lru_cache
from typing import Final

from service.i18n import Gettext, marked

_KINDS: Final = {
    "answer": marked("answer to a reply"),
    "cancelled": marked("game cancelled"),
    "declined": marked("invitation declined"),
    "expired": marked("game expired"),
    "invitation": marked("invitation"),
    "links": marked("links to games"),
    "over": marked("game over"),
    "refusals": marked("rejected e-mails"),
    "reminder": marked("reminder"),
    "roll": marked("roll of the die"),
    "sign-in": marked("sign-in code"),
    "talk": marked("chat messages"),
    "test": marked("test e-mail"),
    "time-up": marked("time is up"),
    "turn": marked("turn to play"),
    "undeliverable": marked("invitation not delivered"),
}

BROKE_OFF: Final = marked("The mail server %(server)s closed the connection: %(words)s")
CANNOT_BE_USED: Final = marked("We can't use the mail server %(server)s: %(words)s")
LINE_BROKE: Final = marked("The connection broke while the e-mail was being sent: %(words)s")
BAD_CERTIFICATE: Final = marked("its certificate isn't valid (%(words)s)")
UNKNOWN_CHARACTERS: Final = marked("the user name or the password has characters that SMTP doesn't allow")
NO_ANSWER: Final = marked("it didn't answer in time")
CAME_BACK: Final = marked("The e-mail came back.")
NOT_WRITTEN: Final = marked("This server couldn't write the e-mail (%(fault)s). Its log has the details.")
OUTDATED: Final = marked("It's out of date: its turn is over, or its seat has another player now.")
TOO_LATE: Final = marked("It was too late to be useful.")
TURN_PLAYED: Final = marked("The turn was played before the e-mail was due.")
NOT_WANTED: Final = marked("The player has turned off e-mails of this kind.")
TOO_MANY: Final = marked("This address has had too many e-mails of this kind lately.")
REFUSED_BEFORE: Final = marked("An earlier e-mail to this address was refused: %(words)s")
NOT_ALLOWED: Final = marked("This address may not sign in here. See ALLOWED_EMAILS in the settings.")
DROPPED_BY_HAND: Final = marked("Dropped by the server host.")
CHANNEL_REMOVED: Final = marked("The player has turned these notifications off.")
CHANNEL_GONE: Final = marked("This browser no longer accepts our notifications.")
CHANNEL_UNREACHABLE: Final = marked("%(server)s could not be reached.")
CHANNEL_REFUSED: Final = marked("%(server)s refused the message: %(words)s")
HAS_LEFT: Final = marked("This player has left and gets no more e-mails.")

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
