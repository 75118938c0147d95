"""Why a letter did not go out: noted in English when it happens, and said to the host in the language of his page.

What a mail server says stays as it was said.
"""

import re
from functools import lru_cache
from typing import Final

from service.i18n import marked
from service.ui.marrakech.alt_text import Say

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
NOT_WANTED: Final = marked("The player wants no such letters.")
REFUSED_BEFORE: Final = marked("An earlier letter to this address was refused: %(words)s")
DROPPED_BY_HAND: Final = marked("Dropped by the host.")
HAS_LEFT: Final = marked("This player has left and gets no letters.")

_SENTENCES: Final = (
    *(BROKE_OFF, CANNOT_BE_USED, LINE_BROKE, BAD_CERTIFICATE, UNKNOWN_CHARACTERS, NO_ANSWER, CAME_BACK, NOT_WRITTEN),
    *(OUTDATED, TOO_LATE, NOT_WANTED, REFUSED_BEFORE, DROPPED_BY_HAND, HAS_LEFT),
)
_PLACEHOLDER: Final = re.compile(r"%\\\((\w+)\\\)s")


def trouble_told(trouble: str, say: Say) -> str:
    """What was noted, in the reader's language as far as the words are ours."""
    for sentence in _SENTENCES:
        found = _pattern(sentence).fullmatch(trouble)
        if found:
            return say(sentence) % {name: trouble_told(words, say) for name, words in found.groupdict().items()}
    return trouble


@lru_cache(maxsize=len(_SENTENCES))
def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>.*?)", re.escape(sentence)), re.DOTALL)
