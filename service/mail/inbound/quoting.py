"""What a person has written in a reply: the text up to the first quoted line, without the signature.

If there is nothing above the quotation, it is the text below it. Mail programs announce a quotation in many languages;
the rules look for what all of them have in common: an address, a date, a colon. In doubt the text is cut, because our
letters contain the words of possible answers, and an answer that nobody gave must not be played. Nothing here is
nested, so no input takes longer than its length.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from service.mail.inbound.footers import ends_reply, is_telephone_number

LONGEST: Final = 4000
"""More than a turn needs; one character more is kept, to show that the text was longer."""
MOST_LINES: Final = 1000
"""Lines of a text; later ones are not read."""
_LONGEST_LINE: Final = 1000
_ATTRIBUTION_LINES: Final = 4
"""Lines over which a mail program may spread its "On Monday, Ann wrote:"; our addresses are long."""
_LONGEST_ATTRIBUTION: Final = 400
_HEADER_LINES: Final = 8
_WRAPPED: Final = 40
"""Characters of a line that a mail program may have wrapped."""

# Some write the initials of the sender before the mark, or a bar.
_QUOTED: Final = re.compile(r"\s{0,3}(?:[>|\uFF1E]|[A-Z]{1,4}>)")
_ADDRESS: Final = re.compile(r"\w@\w")
_YEAR: Final = r"(?<![0-9A-Za-z])(?:1[349]|2[05])\d\d(?![0-9A-Za-z])"
_HAS_YEAR: Final = re.compile(_YEAR)
_DATE: Final = re.compile(
    rf"{_YEAR}|(?<![0-9A-Za-z])(?:\d{{1,2}}[:.h]\d\d(?![0-9A-Za-z])|\d{{1,2}}[./-] ?\d{{1,2}}[./-] ?\d\d)"
)
_VERB: Final = re.compile(
    r"wrote|writes|schrieb|écrit|escribió|scritto|schreef|geschreven|skrev|escreveu|napisa|pisze|napsal|napísal"
    r"|написа|пишет|yazd\u0131|kirjoitti|írta|έγραψε|写道|寫道|のメッセージ|のメール|작성",
    re.IGNORECASE,
)
_FIRST_WORD: Final = re.compile(r"\s*(?:On|At|Am|Le|El|Il|Op|Den|Em|W dniu|Dnia|Dne|Dňa|在)\b")
_SENDER: Final = re.compile(r"[^<>]{0,150}<[^<>\s@]{1,100}@[^<>\s@]{1,150}>\s*")
_HEADER: Final = re.compile(r"\s*\*?([^\W\d_][^:\uFF1A<>@\d*]{0,30})\*?\s?[:\uFF1A]\*?(?!//).*")
_FROM: Final = re.compile(r"From|Von|De", re.IGNORECASE)
# They change the direction of the text; mail programs put them around addresses.
_INVISIBLE: Final = dict.fromkeys([0xFEFF, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def extract_reply(text: str, own_address: re.Pattern[str] | None = None) -> str:
    """The lines that the person wrote; empty if there are none. A line with our address is not theirs."""
    lines = [line[:_LONGEST_LINE] for line in text.translate(_INVISIBLE).splitlines()[:MOST_LINES]]
    lines = _mark_indented(lines)
    above, rest = _split(lines, own_address)
    if not above:
        above, _ = _split(_below_quotation(rest), own_address)
    return "\n".join(above)[: LONGEST + 1]


def unflow(text: str, delete_space: bool) -> str:
    """Text that was sent as `format=flowed` (RFC 3676), with each paragraph on one line."""
    lines: list[str] = []
    open_depth = -1
    for line in text.splitlines()[:MOST_LINES]:
        marks = line[: len(line) - len(line.lstrip(">"))]
        said = line[len(marks) :].removeprefix(" ")  # RFC 3676 space-stuffing
        flows = said.endswith(" ") and said != "-- "
        kept = said[:-1] if flows and delete_space else said
        if open_depth == len(marks) and said != "-- ":
            lines[-1] += kept
        else:
            lines.append(f"{marks} {kept}" if marks else kept)
        open_depth = len(marks) if flows else -1
    return "\n".join(lines)


def _mark_indented(lines: list[str]) -> list[str]:
    """The lines, with a mark on those that are quoted by a tab; a single line may be indented by its writer."""
    indented = [line.startswith("\t") and bool(line.strip()) for line in lines]
    if sum(indented) < 2:
        return lines
    return [f"> {line}" if quoted else line for line, quoted in zip(lines, indented, strict=True)]


def _split(lines: Sequence[str], own_address: re.Pattern[str] | None) -> tuple[list[str], Sequence[str]]:
    """The non-empty lines before a quotation or signature, and the lines from there on."""
    end = next(_ends(lines, own_address), len(lines))
    above = lines[:end]
    if end < len(lines) and _QUOTED.match(lines[end]):
        above = _without_attribution(above)
    return [line.strip() for line in above if line.strip()], lines[end:]


def _ends(lines: Sequence[str], own_address: re.Pattern[str] | None) -> Iterator[int]:
    """The numbers of the lines at which the words of the person end."""
    attributions = _find_attributions(lines)
    begun = False
    for number, line in enumerate(lines):
        if (
            number in attributions
            or _QUOTED.match(line)
            or ends_reply(line)
            or _begins_headers(lines, number)
            or _names_sender(lines, number)
            or (own_address is not None and own_address.search(line))
            or (begun and is_telephone_number(line))
        ):
            yield number
        begun = begun or bool(line.strip())


def _begins_headers(lines: Sequence[str], number: int) -> bool:
    """Whether the original message follows with its headers, as Outlook does: lines such as `From: Ann <a@b.example>`.

    An empty line may stand between them, though not below what a person might have written.
    """
    count = 0
    addressed = dated = known = sure = False
    for line in lines[number : number + 2 * _HEADER_LINES]:
        header = _HEADER.fullmatch(line)
        has_address, has_year = _ADDRESS.search(line) is not None, _HAS_YEAR.search(line) is not None
        if header is not None:
            count += 1
            sure = has_address or has_year
            known = known or _FROM.fullmatch(header[1].strip()) is not None
        elif not count or (not has_address if line.strip() else not sure):
            break
        addressed, dated = addressed or has_address, dated or has_year
    return (count > 1 and addressed) or (count > 2 and (dated or known))


def _names_sender(lines: Sequence[str], number: int) -> bool:
    """Whether the line is a sender's name and address, with a date before or below it."""
    if not _SENDER.fullmatch(lines[number]):
        return False
    return any(_DATE.search(line) for line in lines[number : number + 2])


def _find_attributions(lines: Sequence[str]) -> dict[int, int]:
    """Where attributions such as "On Monday, Ann wrote:" begin, and how many lines each has."""
    found: dict[int, int] = {}
    for end, line in enumerate(lines):
        if _ends_in_colon(line):
            start = _find_start(lines, end)
            if start is not None:
                found[start] = end + 1 - start
    return found


def _find_start(lines: Sequence[str], end: int) -> int | None:
    """Where the attribution begins that ends here: as few lines of the paragraph as make it one."""
    first = end
    while first > 0 and end - first < _ATTRIBUTION_LINES - 1 and lines[first - 1].strip():
        first -= 1
    spans = [(start, " ".join(lines[start : end + 1])) for start in range(end, first - 1, -1)]
    spans = [(start, text) for start, text in spans if len(text) <= _LONGEST_ATTRIBUTION]
    for is_attribution in (_has_address_and_date, _begins_and_says, _says):
        for start, text in spans:
            if is_attribution(text):
                return _with_wrapped_lines(lines, first, start)
    return None


def _ends_in_colon(line: str) -> bool:
    return line.rstrip("* \t\u00a0").endswith((":", "\uff1a"))


def _has_address_and_date(text: str) -> bool:
    return _ADDRESS.search(text) is not None and _DATE.search(text) is not None


def _begins_and_says(text: str) -> bool:
    return _FIRST_WORD.match(text) is not None and _says(text)


def _says(text: str) -> bool:
    return _VERB.search(text) is not None and (_ADDRESS.search(text) is not None or _DATE.search(text) is not None)


def _with_wrapped_lines(lines: Sequence[str], first: int, start: int) -> int:
    """Where the attribution begins if lines above belong to it, because a mail program has wrapped it early."""
    while start > first:
        above = lines[start - 1].rstrip()
        begins = _FIRST_WORD.match(above) and (len(above) >= _WRAPPED or above.endswith(","))
        if not begins and not above.endswith(("<", "(")):
            break
        start -= 1
    return start


def _without_attribution(lines: Sequence[str]) -> Sequence[str]:
    """Without an attribution directly above the quotation, in whatever words: its last line ends in a colon."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    if not end or not _ends_in_colon(lines[end - 1]) or len(lines[end - 1].split()) < 2:
        return lines
    start = end - 1
    while start and lines[start - 1].strip():
        start -= 1
    if any(line.strip() for line in lines[:start]) and end - start <= _ATTRIBUTION_LINES:
        return lines[:start]
    wrapped = end > 1 and lines[end - 2].rstrip().endswith(",")
    return lines[: end - 2 if wrapped else end - 1]


def _below_quotation(lines: Sequence[str]) -> Sequence[str]:
    """The lines below a quotation that begins at the first of these lines."""
    start = _find_attributions(lines).get(0, 0)
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines) or not _QUOTED.match(lines[start]):
        return []
    last = max(number for number, line in enumerate(lines) if _QUOTED.match(line))
    while start < len(lines) and _is_quoted(lines, start, last):
        start += 1
    return lines[start:]


def _is_quoted(lines: Sequence[str], number: int, last: int) -> bool:
    """Whether the line is quoted, or the broken-off end of a quoted line that was too long for a mail program.

    Our letters list the possible answers: a `left` broken off such a line is nobody's choice.
    """
    if _QUOTED.match(lines[number]) or not lines[number].strip():
        return True
    return number < last and _QUOTED.match(lines[number - 1]) is not None
