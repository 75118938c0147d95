"""HTML as the plain text of a reply: a line for each block, and `>` in front of what is quoted.

Nothing here is nested or read twice, so that no HTML takes longer than its length.
"""

import re
from html import unescape
from typing import Final, NamedTuple

from service.mail.inbound.quoting import MOST_LINES

_LARGEST: Final = 96 * 1024
_LONGEST_TAG: Final = 500
_LONGEST_NAME: Final = 20
_SILENT: Final = {"head", "style", "script", "title", "template"}
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
# Where Outlook, Yahoo and Proton put the letter that is answered, without a quotation mark of any kind.
_BELOW: Final = re.compile(
    r"""(?:id|class)\s*=\s*["']?[^"'>]{0,80}(?:divRplyFwdMsg|appendonsend|OutlookMessageHeader|yahoo_quoted"""
    r"""|protonmail_quote|ms-outlook-mobile-reference-message)|border-top:\s*solid\s+#(?:E1E1E1|B5C4DF)""",
    re.IGNORECASE,
)
_SAYS_WHO: Final = re.compile(r"class\s*=\s*[\"']?[^\"'>]{0,80}(?:gmail_attr|moz-cite-prefix)", re.IGNORECASE)
BELOW: Final = "-----Original Message-----"
_QUOTED: Final = "> "


class _Tag(NamedTuple):
    """What there is to a tag; one that says nothing to a reader of plain text is None."""

    name: str
    closing: bool
    mark: str
    """What its attributes say of the answered letter: that it begins here, or whose it is."""


def as_text(html: str) -> str:
    """The text of the HTML, as far as anybody reads on."""
    page = _Page()
    known: dict[str, _Tag | None] = {"": None}
    for tag, text in _PIECES.findall(html[:_LARGEST]):
        if text:
            page.write(text)
            continue
        if tag not in known:  # a page has few of them, and a hostile one has the same short ones over and over
            known[tag] = _read_tag(tag)
        if (read := known[tag]) is not None:
            page.obey(read)
            if page.full:
                break
    return page.text()


def _read_tag(tag: str) -> _Tag | None:
    found = _TAG.match(tag[:_LONGEST_NAME].lower())
    mark = _mark(tag[:_LONGEST_TAG]) if "=" in tag else ""
    if found is None or not (mark or found[1] in _SILENT or found[1] in _BREAKS):
        return None
    return _Tag(found[1], tag.startswith("/"), mark)


def _mark(tag: str) -> str:
    if _BELOW.search(tag):
        return BELOW
    return _QUOTED if _SAYS_WHO.search(tag) else ""


class _Page:
    """The text as far as it has been read."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._quoted = 0
        self._silent = ""
        self._as_it_is = False

    @property
    def full(self) -> bool:
        return len(self._lines) > MOST_LINES

    def write(self, text: str) -> None:
        if self._silent:
            return
        said = unescape(text) if "&" in text else text
        first, *others = said.split("\n") if self._as_it_is else (said,)
        self._lines[-1].append(first)
        for line in others:
            self._break()
            self._lines[-1].append(line)

    def obey(self, tag: _Tag) -> None:
        if self._silent or tag.name in _SILENT:
            self._fall_silent(tag.name, tag.closing)
            return
        if tag.name == "pre":
            self._as_it_is = not tag.closing
        if tag.name == "blockquote":
            self._quoted = max(0, self._quoted + (-1 if tag.closing else 1))
        if tag.name in _BREAKS:
            self._break()
        if tag.name == "blockquote" and not self._quoted:
            self._lines.append([])  # what comes now is clearly no part of the quotation
        if tag.mark == BELOW:
            self._break(BELOW)
        elif tag.mark:
            self._lines[-1].append(tag.mark)

    def _fall_silent(self, name: str, closing: bool) -> None:
        if not self._silent and not closing:
            self._silent = name
        elif closing and name == self._silent:
            self._silent = ""

    def _break(self, line: str = "") -> None:
        if line:
            self._lines.append([line])
        begun = [_QUOTED] if self._quoted else []
        if self._lines[-1] != begun:  # what is empty already needs no other line
            self._lines.append(begun)

    def text(self) -> str:
        return "\n".join(_SPACE.sub(" ", "".join(line)).strip() for line in self._lines)
