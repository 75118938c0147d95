"""What a person has written in a reply: the text up to the first quoted line, without the signature.

If there is nothing above the quotation, it is the text below it. HTML becomes plain text first. Nothing here is nested
or read twice, so no input takes longer than its length.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import Final, NamedTuple

LONGEST: Final = 4000
"""More than a turn needs; one character more is kept, to show that the text was longer."""
MOST_LINES: Final = 1000
"""Lines of a text; later ones are not read."""
_LONGEST_LINE: Final = 1000
_ATTRIBUTION_LINES: Final = 4
"""Lines over which a mail program may spread its "On Monday, Ann wrote:"; our addresses are long."""
_LONGEST_ATTRIBUTION: Final = 400

_QUOTED: Final = re.compile(r"\s{0,3}>")
_ATTRIBUTION: Final = re.compile(
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
_DEVICE_SIGNATURE: Final = re.compile(
    r"\s*(?:(?:Sent|Get|Sent\s+securely)\s+(?:from|via|with|by|Outlook\s+for)\b.{0,80}"
    r"|(?:Von|Gesendet|Diese\s+Nachricht\s+wurde)\s+(?:von\s+|mit\s+|meinem\s+).{0,80}(?:gesendet)?.{0,3}"
    r"|Outlook\s+(?:für|pour)\s+\w+.{0,40}|Holen\s+Sie\s+sich\s+Outlook.{0,60}"
    r"|(?:Envoyé|Télécharger\s+Outlook|Obtenir\s+Outlook)\s+(?:de(?:puis)?|à\s+partir|avec|pour|via)\b.{0,80})\s*",
    re.IGNORECASE,
)


_LARGEST_HTML: Final = 96 * 1024
_LONGEST_TAG: Final = 500
_LONGEST_NAME: Final = 20
_HIDDEN: Final = {"head", "style", "script", "title", "template"}
_BREAKS: Final = {
    "br",
    "p",
    "div",
    "tr",
    "li",
    "ul",
    "ol",
    "table",
    "hr",
    "blockquote",
    "body",
    "pre",
    "h1",
    "h2",
    "h3",
}
# Comments, tags and the text between them; a comment or tag that never ends takes the rest, and nothing is tried twice.
_PIECES: Final = re.compile(r"<!(?=--)(?:.*?-->|.*)|<([^>]*)>?|([^<]+)", re.DOTALL)
_TAG: Final = re.compile(r"/?([a-z][a-z0-9]{0,15})")
_SPACE: Final = re.compile(r"\s+")
# The element in which Outlook, Yahoo and Proton put the original message, without marking it as a quotation.
_ORIGINAL_CLASS: Final = re.compile(
    r"""(?:id|class)\s*=\s*["']?[^"'>]{0,80}(?:divRplyFwdMsg|appendonsend|OutlookMessageHeader|yahoo_quoted"""
    r"""|protonmail_quote|ms-outlook-mobile-reference-message)|border-top:\s*solid\s+#(?:E1E1E1|B5C4DF)""",
    re.IGNORECASE,
)
_ATTRIBUTION_CLASS: Final = re.compile(r"class\s*=\s*[\"']?[^\"'>]{0,80}(?:gmail_attr|moz-cite-prefix)", re.IGNORECASE)
ORIGINAL: Final = "-----Original Message-----"
_QUOTE_MARK: Final = "> "


def extract_reply(text: str) -> str:
    """The lines that the person wrote; empty if there are none."""
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()[:MOST_LINES]]
    above, rest = _up_to_quotation(lines)
    if not above:
        above, _ = _up_to_quotation(_below_quotation(rest))
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


def _up_to_quotation(lines: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """The non-empty lines before a quotation or signature, and the lines from there on."""
    words: list[str] = []
    for number, line in enumerate(lines):
        if _QUOTED.match(line):
            return _without_attribution(words), lines[number:]
        if _ends_words(lines, number):
            return words, lines[number:]
        if line.strip():
            words.append(line.strip())
    return words, []


def _ends_words(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    if _SIGNATURE.fullmatch(line) or _DEVICE_SIGNATURE.fullmatch(line):
        return True
    return _RULE.fullmatch(line) is not None or _begins_heading(lines, number) or _attribution_length(lines, number) > 0


def _begins_heading(lines: Sequence[str], number: int) -> bool:
    """Whether the original message follows with its headers, as Outlook does."""
    if not _FIRST_HEADING.fullmatch(lines[number]):
        return False
    return sum(_NEXT_HEADING.fullmatch(line) is not None for line in lines[number + 1 : number + 7]) >= 2


def _attribution_length(lines: Sequence[str], number: int) -> int:
    """How many lines from here on are an attribution such as "On Monday, Ann wrote:"; 0 if none."""
    for count in range(1, _ATTRIBUTION_LINES + 1):
        together = " ".join(lines[number : number + count])
        if len(together) > _LONGEST_ATTRIBUTION or number + count > len(lines):
            return 0
        if _ATTRIBUTION.fullmatch(together):
            return count
    return 0


def _without_attribution(words: list[str]) -> list[str]:
    """Without an attribution before the quotation, in whatever language: a line that ends with a colon."""
    if not words or not words[-1].endswith(":"):
        return words
    if len(words) > 1 and ("@" in words[-2] or words[-2].endswith(",")) and "@" not in words[-1]:
        return words[:-2]
    return words[:-1]


def _below_quotation(lines: Sequence[str]) -> Sequence[str]:
    """The lines below a quotation that begins at the first of these lines."""
    start = _attribution_length(lines, 0) if lines else 0
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


class _Tag(NamedTuple):
    """A tag that matters for plain text."""

    name: str
    closing: bool
    mark: str
    """What its attributes say of the answered letter: that it begins here, or whose it is."""


def html_to_text(html: str) -> str:
    """The HTML as plain text: a line for each block, and `>` in front of quoted lines."""
    page = _Page()
    known: dict[str, _Tag | None] = {"": None}
    for tag, text in _PIECES.findall(html[:_LARGEST_HTML]):
        if text:
            page.write(text)
            continue
        if tag not in known:  # hostile HTML repeats the same short tags over and over
            known[tag] = _read_tag(tag)
        if (read := known[tag]) is not None:
            page.apply(read)
            if page.full:
                break
    return page.text()


def _read_tag(tag: str) -> _Tag | None:
    found = _TAG.match(tag[:_LONGEST_NAME].lower())
    mark = _mark(tag[:_LONGEST_TAG]) if "=" in tag else ""
    if found is None or not (mark or found[1] in _HIDDEN or found[1] in _BREAKS):
        return None
    return _Tag(found[1], tag.startswith("/"), mark)


def _mark(tag: str) -> str:
    if _ORIGINAL_CLASS.search(tag):
        return ORIGINAL
    return _QUOTE_MARK if _ATTRIBUTION_CLASS.search(tag) else ""


class _Page:
    """The plain text as far as the HTML has been read."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._quoted = 0
        self._hidden = ""
        self._preformatted = False

    @property
    def full(self) -> bool:
        return len(self._lines) > MOST_LINES

    def write(self, text: str) -> None:
        if self._hidden:
            return
        said = unescape(text) if "&" in text else text
        first, *others = said.split("\n") if self._preformatted else (said,)
        self._lines[-1].append(first)
        for line in others:
            self._break()
            self._lines[-1].append(line)

    def apply(self, tag: _Tag) -> None:
        if self._hidden or tag.name in _HIDDEN:
            self._hide(tag.name, tag.closing)
            return
        if tag.name == "pre":
            self._preformatted = not tag.closing
        if tag.name == "blockquote":
            self._quoted = max(0, self._quoted + (-1 if tag.closing else 1))
        if tag.name in _BREAKS:
            self._break()
        if tag.name == "blockquote" and not self._quoted:
            self._lines.append([])  # what follows is not part of the quotation
        if tag.mark == ORIGINAL:
            self._break(ORIGINAL)
        elif tag.mark:
            self._lines[-1].append(tag.mark)

    def _hide(self, name: str, closing: bool) -> None:
        if not self._hidden and not closing:
            self._hidden = name
        elif closing and name == self._hidden:
            self._hidden = ""

    def _break(self, line: str = "") -> None:
        if line:
            self._lines.append([line])
        begun = [_QUOTE_MARK] if self._quoted else []
        if self._lines[-1] != begun:  # an empty line needs no other
            self._lines.append(begun)

    def text(self) -> str:
        return "\n".join(_SPACE.sub(" ", "".join(line)).strip() for line in self._lines)
