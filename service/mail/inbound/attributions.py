"""Where the answered letter begins in a reply: "On Monday, Ann wrote:" or the letter's headers, in any language."""

import re
from collections.abc import Sequence
from typing import Final

ATTRIBUTION_LINES: Final = 4
"""Lines over which a mail program may spread its "On Monday, Ann wrote:"; our addresses are long."""
_LONGEST_ATTRIBUTION: Final = 400
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


def find_attributions(lines: Sequence[str]) -> dict[int, int]:
    """Where attributions such as "On Monday, Ann wrote:" begin, and how many lines each has."""
    signs = [_find_signs(line) for line in lines]
    found: dict[int, int] = {}
    for end, line in enumerate(lines):
        start = _find_start(lines, signs, end) if ends_in_colon(line) else None
        if start is not None:
            found.setdefault(start, end + 1 - start)
    return found


def _find_signs(line: str) -> frozenset[str]:
    """What speaks for an attribution in this line."""
    if len(line) > _LONGEST_ATTRIBUTION:
        return frozenset()
    return frozenset(name for name, pattern in _SIGNS.items() if pattern.search(line))


def _find_start(lines: Sequence[str], signs: Sequence[frozenset[str]], end: int) -> int | None:
    """Where the attribution begins that ends here: as few lines of the paragraph as make it one."""
    spans: list[tuple[int, frozenset[str]]] = []
    seen: frozenset[str] = frozenset()
    length = 0
    for start in range(end, max(end - ATTRIBUTION_LINES, -1), -1):
        length += len(lines[start])
        if not lines[start].strip() or QUOTED.match(lines[start]) or length > _LONGEST_ATTRIBUTION:
            break
        seen |= signs[start]
        spans.append((start, seen))
    complete = [start for start, seen in spans if {"address", "date"} <= seen]
    begun = [start for start, seen in spans if "verb" in seen and _FIRST_WORD.match(lines[start])]
    likely = [start for start, seen in spans if "verb" in seen and len(seen) > 1]
    shortest = next(iter([*complete, *begun, *likely]), None)
    return None if shortest is None else _with_wrapped_lines(lines, spans[-1][0], shortest)


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
