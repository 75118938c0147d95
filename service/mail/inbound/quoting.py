"""What a person has written in a reply: the text up to the first quoted line, without the signature.

If there is nothing above the quotation, it is the text below it. Mail programs announce a quotation in many languages;
the rules look for what all of them have in common: an address, a date, a colon. In doubt the text is cut, because our
letters contain the words of possible replies, and a reply that nobody wrote must not be played. Nothing here is
nested, so no input takes longer than its length.
"""

import re
from collections.abc import Sequence
from typing import Final

from service.mail.inbound.attributions import (
    QUOTED,
    attribution_length,
    begins_headers,
    ends_in_colon,
    names_sender,
)
from service.mail.inbound.footers import ends_reply, is_telephone_number

LONGEST: Final = 4000
"""More than a turn needs; one character more is kept, to show that the text was longer."""
MOST_LINES: Final = 1000
"""Lines of a text; later ones are not read."""
_LONGEST_LINE: Final = 2000

# They change the direction of the text; mail programs put them around addresses.
_INVISIBLE: Final = dict.fromkeys([0xFEFF, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def extract_reply(text: str, own_address: re.Pattern[str] | None) -> str:
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
    end = _find_end(lines, own_address)
    above = lines[:end]
    if end < len(lines) and QUOTED.match(lines[end]):
        above = _without_attribution(above)
    return [line.strip() for line in above if line.strip()], lines[end:]


def _find_end(lines: Sequence[str], own_address: re.Pattern[str] | None) -> int:
    """The number of the line at which the words of the person end."""
    length = 0
    for number, line in enumerate(lines):
        said = line.strip()
        if not said:
            continue
        if (
            length > LONGEST
            or QUOTED.match(line)
            or ends_reply(said)
            or attribution_length(lines, number)
            or begins_headers(lines, number)
            or names_sender(lines, number)
            or (own_address is not None and own_address.search(line))
            or (length and is_telephone_number(said))
        ):
            return number
        length += len(said)
    return len(lines)


def _without_attribution(lines: Sequence[str]) -> Sequence[str]:
    """Without an attribution directly above the quotation, in whatever words: it ends in a colon."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    if not end or not ends_in_colon(lines[end - 1]) or len(lines[end - 1].split()) < 2:
        return lines
    wrapped = end > 1 and lines[end - 2].rstrip().endswith(",")
    return lines[: end - 2 if wrapped else end - 1]


def _below_quotation(lines: Sequence[str]) -> Sequence[str]:
    """The lines below a quotation that begins at the first of these lines."""
    start = attribution_length(lines, 0)
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines) or not QUOTED.match(lines[start]):
        return []
    last = max(number for number, line in enumerate(lines) if QUOTED.match(line))
    while start < len(lines) and _is_quoted(lines, start, last):
        start += 1
    return lines[start:]


def _is_quoted(lines: Sequence[str], number: int, last: int) -> bool:
    """Whether the line is quoted, or the broken-off end of a quoted line that was too long for a mail program.

    Our letters list the possible answers: a `left` broken off such a line is nobody's choice.
    """
    if QUOTED.match(lines[number]) or not lines[number].strip():
        return True
    return number < last and QUOTED.match(lines[number - 1]) is not None
