"""HTML as plain text, with the marks that mail programs put on the quoted letter and on the signature.

Nothing here is nested or read twice, so no input takes longer than its length.
"""

import re
from html import unescape
from typing import Final, NamedTuple

from service.mail.inbound.quoting import MOST_LINES

_LARGEST_HTML: Final = 96 * 1024
_LONGEST_TAG: Final = 500
_LONGEST_NAME: Final = 20
_HIDDEN: Final = {"head", "style", "script", "title", "template"}
_BREAKS: Final = frozenset(
    ("br", "p", "div", "tr", "li", "ul", "ol", "table", "hr", "blockquote", "body", "pre", "h1", "h2", "h3")
)
# Comments, tags and the text between them; a comment or tag that never ends takes the rest, and nothing is tried twice.
_PIECES: Final = re.compile(r"<!(?=--)(?:.*?-->|.*)|<([^>]*)>?|([^<]+)", re.DOTALL)
_TAG: Final = re.compile(r"/?([a-z][a-z0-9]{0,15})")
_SPACE: Final = re.compile(r"\s+")
_NAMES: Final = re.compile(r"""\b(?:id|class|name|type|data-marker)\s*=\s*("[^"]*|'[^']*|[^\s"'>]*)""", re.IGNORECASE)
# The element in which a mail program puts the original message, without quoting each line.
_ORIGINAL: Final = re.compile(
    r"divRplyFwdMsg|appendonsend|OutlookMessageHeader|stopSpelling|reference-message"  # Outlook
    r"|yahoo_quoted|protonmail_quote|tutanota_quote|zmail_extra|zwchr|__DIVIDER__|messageReplySection"
    r"|isReplyContent|quoted-content|(?<![\w-])quote(?![\w-])",  # 163, GMX and web.de
    re.IGNORECASE,
)
_OUTLOOK_RULE: Final = re.compile(r"border-top:\s*solid\s+#(?:E1E1E1|B5C4DF|E5E5E5)", re.IGNORECASE)
_ATTRIBUTION: Final = re.compile("gmail_attr|moz-cite-prefix|reply-intro|airmail_on", re.IGNORECASE)
_CITATION: Final = re.compile("cite|gmail_quote|isReplyContent|protonmail_quote", re.IGNORECASE)
_SIGNATURE: Final = re.compile("signature", re.IGNORECASE)

_ORIGINAL_LINE: Final = "-----Original Message-----"
_SIGNATURE_LINE: Final = "-- "
_QUOTE_MARK: Final = "> "


class HtmlText(NamedTuple):
    """The text of an HTML part."""

    text: str
    marks_quotation: bool
    """Whether the mail program says where the quoted letter is."""


class _Tag(NamedTuple):
    """A tag that matters for plain text."""

    name: str
    closing: bool
    mark: str
    """The line, or the beginning of one, that says in plain text what the tag says of the lines that follow."""
    cites: bool
    """Whether it says where the quoted letter is."""


def html_to_text(html: str) -> HtmlText:
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
    return HtmlText(page.text(), page.marks_quotation)


def _read_tag(tag: str) -> _Tag | None:
    found = _TAG.match(tag[:_LONGEST_NAME].lower())
    if found is None:
        return None
    name, closing = found[1], tag.startswith("/")
    attributes = tag[:_LONGEST_TAG] if "=" in tag else ""
    if name == "blockquote":
        return _Tag(name, closing, "", cites=_CITATION.search(_names(attributes)) is not None)
    mark = _mark(attributes)
    if not mark and name not in _HIDDEN and name not in _BREAKS:
        return None
    return _Tag(name, closing, mark, cites=mark in {_ORIGINAL_LINE, _QUOTE_MARK})


def _names(attributes: str) -> str:
    """The values of the attributes that name an element."""
    return " ".join(_NAMES.findall(attributes))


def _mark(attributes: str) -> str:
    names = _names(attributes)
    if _ORIGINAL.search(names) or _OUTLOOK_RULE.search(attributes):
        return _ORIGINAL_LINE
    if _ATTRIBUTION.search(names):
        return _QUOTE_MARK
    return _SIGNATURE_LINE if _SIGNATURE.search(names) else ""


class _Page:
    """The plain text as far as the HTML has been read."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._quoted = 0
        self._hidden = ""
        self._preformatted = False
        self._has_words = False
        self.marks_quotation = False

    @property
    def full(self) -> bool:
        return len(self._lines) > MOST_LINES

    def write(self, text: str) -> None:
        if self._hidden:
            return
        said = unescape(text) if "&" in text else text
        self._has_words = self._has_words or bool(said.strip())
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
        if tag.mark and not self._quoted:
            self._add_mark(tag.mark)
        self.marks_quotation = self.marks_quotation or tag.cites

    def _add_mark(self, mark: str) -> None:
        if mark == _SIGNATURE_LINE and not self._has_words:
            return  # some people write their reply where their mail program expects the signature
        self._lines.append([mark])
        if mark != _QUOTE_MARK:
            self._break()

    def _hide(self, name: str, closing: bool) -> None:
        if not self._hidden and not closing:
            self._hidden = name
        elif closing and name == self._hidden:
            self._hidden = ""

    def _break(self) -> None:
        begun = [_QUOTE_MARK] if self._quoted else []
        if self._lines[-1] != begun:  # an empty line needs no other
            self._lines.append(begun)

    def text(self) -> str:
        return "\n".join(_SPACE.sub(" ", "".join(line)).strip() for line in self._lines)
