"""Where the quoted letter begins in a reply: "On Monday, Ann wrote:" or the letter's headers, in any language."""

import re
from collections.abc import Sequence
from typing import Final

_MOST_LINES: Final = 4
"""Lines over which a mail program may spread its "On Monday, Ann wrote:"; our addresses are long."""
_LONGEST_ATTRIBUTION: Final = 400
"""Characters of one of its lines."""
_MOST_HEADER_LINES: Final = 16
_WRAPPED: Final = 40
"""Characters of a line that a mail program may have wrapped."""

# Some write the initials of the sender before the mark, or a bar.
QUOTED: Final = re.compile(r"\s{0,3}(?:[>|\uFF1E]|»\s|[A-Z]{1,4}>)")
# It begins with a literal character, which a regular expression finds faster than a class of characters.
_ADDRESS: Final = re.compile(r"@(?<=\w@)\w")
_YEAR: Final = r"(?<![0-9A-Za-z])(?:1[349]|2[05])\d\d(?![0-9A-Za-z])"
_HAS_YEAR: Final = re.compile(_YEAR)
_DATE: Final = re.compile(
    rf"{_YEAR}|(?<![0-9A-Za-z])(?:\d{{1,2}}[:.h]\d\d(?![0-9A-Za-z])|\d{{1,2}}[./-] ?\d{{1,2}}[./-] ?\d\d)"
)
_VERB: Final = re.compile(
    r"wrote|writes|schrieb|écrit|escribió|scritto|schreef|geschreven|skrev|escreveu|napisa|pisze|napsal|napísal"
    r"|написа|пишет|yazd\u0131|kirjoitti|írta|έγραψε|写道|寫道|のメッセージ|のメール|작성"
)
_SIGNS: Final = {"address": _ADDRESS, "date": _DATE, "verb": _VERB}
_FIRST_WORD: Final = re.compile(r"\s*(?:On|At|Am|Le|El|Il|Op|Den|Em|W dniu|Dnia|Dne|Dňa|在)\b")
_SENDER: Final = re.compile(r"[^<>]{0,150}<[^<>\s@]{1,100}@[^<>\s@]{1,150}>\s*")
_HEADER: Final = re.compile(r"\s*\*?([^\W\d_][^:\uFF1A<>@\d*]{0,30})\*?\s?[:\uFF1A]\*?(?!//).*")
_FROM: Final = re.compile(r"From|Von|De", re.IGNORECASE)


def ends_in_colon(line: str) -> bool:
    """Whether the line announces what follows."""
    return line.rstrip("* \t\u00a0").endswith((":", "\uff1a"))


def attribution_length(lines: Sequence[str], number: int) -> int:
    """How many lines from here on are an attribution such as "On Monday, Ann wrote:"; 0 if none."""
    for end in range(number, min(number + _MOST_LINES, len(lines))):
        if not _may_be_attribution(lines[end]):
            return 0
        if ends_in_colon(lines[end]) and _find_start(lines, end) == number:
            return end + 1 - number
    return 0


def _may_be_attribution(line: str) -> bool:
    return 0 < len(line.strip()) <= _LONGEST_ATTRIBUTION and not QUOTED.match(line)


def _find_start(lines: Sequence[str], end: int) -> int | None:
    """Where the attribution begins that ends here: as few lines of the paragraph as make it one."""
    first = end
    while first and end - first < _MOST_LINES - 1 and _may_be_attribution(lines[first - 1]):
        first -= 1
    signs: set[str] = set()
    complete, begun, likely = [], [], []
    for start in range(end, first - 1, -1):
        signs |= {name for name, pattern in _SIGNS.items() if pattern.search(lines[start])}
        if {"address", "date"} <= signs:
            complete.append(start)
        if "verb" in signs and _FIRST_WORD.match(lines[start]):
            begun.append(start)
        if "verb" in signs and len(signs) > 1:
            likely.append(start)
    shortest = next(iter([*complete, *begun, *likely]), None)
    return None if shortest is None else _with_wrapped_lines(lines, first, shortest)


def _with_wrapped_lines(lines: Sequence[str], first: int, start: int) -> int:
    """Where the attribution begins if lines above belong to it, because a mail program has wrapped it early."""
    while start > first:
        above = lines[start - 1].rstrip()
        begins = _FIRST_WORD.match(above) and (len(above) >= _WRAPPED or above.endswith(","))
        if not begins and not above.endswith(("<", "(")):
            break
        start -= 1
    return start


def begins_headers(lines: Sequence[str], number: int) -> bool:
    """Whether the original message follows with its headers, as Outlook does: lines such as `From: Ann <a@b.example>`.

    An empty line may stand between them, though not below what a person might have written.
    """
    count = 0
    addressed = dated = known = sure = False
    for line in lines[number : number + _MOST_HEADER_LINES]:
        header = _HEADER.fullmatch(line)
        has_address, has_year = _ADDRESS.search(line) is not None, _HAS_YEAR.search(line) is not None
        if header is not None:
            count += 1
            sure = has_address or has_year
            known = known or _FROM.fullmatch(header[1].strip()) is not None
        elif not count or (not has_address if line.strip() else not sure):
            break
        addressed, dated = addressed or has_address, dated or has_year
    return (addressed and (known or count > 1)) or (count > 2 and (dated or known))


def names_sender(lines: Sequence[str], number: int) -> bool:
    """Whether the line is a sender's name and address, with a date before or below it."""
    if not _SENDER.fullmatch(lines[number]):
        return False
    return any(_DATE.search(line) for line in lines[number : number + 2])
