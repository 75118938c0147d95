"""What a person has written in a reply: the words up to the first quoted line, without signature and the like.

Where nothing stands above the quotation, as with who answers below it, it is the words under it.
"""

import re
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 4000
"""More than anybody has to write for one turn; of longer words one character more is kept, to show that they are."""
MOST_LINES: Final = 1000
"""Of a text; what comes after them is not read."""
_LONGEST_LINE: Final = 1000
_SAYING_WHO: Final = 4
"""Over how many lines a mail program may spread its "On Monday, Ann wrote:"; our addresses are long."""
_LONGEST_SAYING_WHO: Final = 400

_QUOTED: Final = re.compile(r"\s{0,3}>")
_SAYS_WHO: Final = re.compile(
    r"\s*(?:On|Am|Le|El|Il|Op|Den|Em|\d{1,4}[./-]).{0,300}"
    r"\b(?:wrote|schrieb|a\s+écrit|escribió|ha\s+scritto|schreef|skrev|escreveu|geschrieben)\b.{0,300}:\s*",
    re.DOTALL,
)
_RULE: Final = re.compile(
    r"\s*(?:_{10,}|-{2,}\s*[^\s-][^\n]{2,80}[^\s-]\s*-{2,}"
    r"|(?:Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-Mail)"
    r"|Début du message (?:réexpédié|transféré))\s*:)\s*",
    re.IGNORECASE,
)
_HEADING: Final = r"\s*\*?(?:{})\s?:\*?\s?.*"
_FIRST_HEADING: Final = re.compile(
    # GMX and web.de begin with the date.
    _HEADING.format("From|Von|De|Expéditeur|Absender|Sent|Date|Gesendet|Datum|Envoyé"),
    re.IGNORECASE,
)
_NEXT_HEADING: Final = re.compile(
    _HEADING.format("From|Von|De|Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|A|Objet|Destinataire"),
    re.IGNORECASE,
)
_SIGNATURE: Final = re.compile(r"--\s?|[-_]{2,9}\s*|—\s*")
_OF_A_DEVICE: Final = re.compile(
    r"\s*(?:(?:Sent|Get|Sent\s+securely)\s+(?:from|via|with|by|Outlook\s+for)\b.{0,80}"
    r"|(?:Von|Gesendet|Diese\s+Nachricht\s+wurde)\s+(?:von\s+|mit\s+|meinem\s+).{0,80}(?:gesendet)?.{0,3}"
    r"|Outlook\s+(?:für|pour)\s+\w+.{0,40}|Holen\s+Sie\s+sich\s+Outlook.{0,60}"
    r"|(?:Envoyé|Télécharger\s+Outlook|Obtenir\s+Outlook)\s+(?:de(?:puis)?|à\s+partir|avec|pour|via)\b.{0,80})\s*",
    re.IGNORECASE,
)


def words_of(text: str) -> str:
    """The words, in lines; nothing where there are none."""
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()[:MOST_LINES]]
    above, rest = _up_to_quotation(lines)
    if not above:
        above, _ = _up_to_quotation(_below_quotation(rest))
    return "\n".join(above)[: LONGEST + 1]


def unflowed(text: str, delete_space: bool) -> str:
    """Text that was sent as `format=flowed`, with its paragraphs on one line each."""
    lines: list[str] = []
    open_depth = -1
    for line in text.splitlines()[:MOST_LINES]:
        marks = line[: len(line) - len(line.lstrip(">"))]
        said = line[len(marks) :].removeprefix(" ")  # a space was put before what could be taken for something else
        flows = said.endswith(" ") and said != "-- "
        kept = said[:-1] if flows and delete_space else said
        if open_depth == len(marks) and said != "-- ":
            lines[-1] += kept
        else:
            lines.append(f"{marks} {kept}" if marks else kept)
        open_depth = len(marks) if flows else -1
    return "\n".join(lines)


def _up_to_quotation(lines: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """The lines with words in them before a quotation or signature, and the lines from there on."""
    words: list[str] = []
    for number, line in enumerate(lines):
        if _QUOTED.match(line):
            return _without_saying_who(words), lines[number:]
        if _ends_words(lines, number):
            return words, lines[number:]
        if line.strip():
            words.append(line.strip())
    return words, []


def _ends_words(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    if _SIGNATURE.fullmatch(line) or _OF_A_DEVICE.fullmatch(line):
        return True
    return _RULE.fullmatch(line) is not None or _begins_heading(lines, number) or _says_who(lines, number) > 0


def _begins_heading(lines: Sequence[str], number: int) -> bool:
    """Whether a letter is copied here with its headers, as Outlook does."""
    if not _FIRST_HEADING.fullmatch(lines[number]):
        return False
    return sum(_NEXT_HEADING.fullmatch(line) is not None for line in lines[number + 1 : number + 7]) >= 2


def _says_who(lines: Sequence[str], number: int) -> int:
    """Over how many lines from here on it is said who wrote what is quoted next; 0 where it is not."""
    for count in range(1, _SAYING_WHO + 1):
        together = " ".join(lines[number : number + count])
        if len(together) > _LONGEST_SAYING_WHO or number + count > len(lines):
            return 0
        if _SAYS_WHO.fullmatch(together):
            return count
    return 0


def _without_saying_who(words: list[str]) -> list[str]:
    """Without the line before a quotation that says whose it is, in whatever language that is said."""
    if not words or not words[-1].endswith(":"):
        return words
    if len(words) > 1 and ("@" in words[-2] or words[-2].endswith(",")) and "@" not in words[-1]:
        return words[:-2]
    return words[:-1]


def _below_quotation(lines: Sequence[str]) -> Sequence[str]:
    """What stands under a quotation that begins at the first of these lines."""
    start = _says_who(lines, 0) if lines else 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines) or not _QUOTED.match(lines[start]):
        return []
    last = max(number for number, line in enumerate(lines) if _QUOTED.match(line))
    while start < len(lines) and _is_of_quotation(lines, start, last):
        start += 1
    return lines[start:]


def _is_of_quotation(lines: Sequence[str], number: int, last: int) -> bool:
    """Whether the line is quoted, or the end of a quoted line that was too long for some mail program.

    Our letters say what can be answered, and nobody has chosen the `left` that was broken off such a line.
    """
    if _QUOTED.match(lines[number]) or not lines[number].strip():
        return True
    return number < last and _QUOTED.match(lines[number - 1]) is not None
