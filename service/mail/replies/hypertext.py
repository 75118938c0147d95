"""HTML as the plain text of a reply: a line for each block, and `>` in front of what is quoted.

Nothing here is nested or looked for twice, so that no HTML takes longer than its length.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

_LARGEST: Final = 96 * 1024
_LONGEST_TAG: Final = 500
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


def as_text(html: str) -> str:
    """The text of the HTML."""
    page = _Page()
    for tag, text in _pieces(html[:_LARGEST]):
        if tag is None:
            page.write(text)
        else:
            page.pass_tag(tag)
    return page.text()


def _pieces(html: str) -> Iterator[tuple[str | None, str]]:
    """The tags, without their brackets, and the text between them."""
    at = 0
    while at < len(html):
        start = html.find("<", at)
        if start < 0:
            yield None, html[at:]
            return
        if start > at:
            yield None, html[at:start]
        comment = html.startswith("<!--", start)
        end = html.find("-->" if comment else ">", start)
        if end < 0:
            return
        if not comment:
            yield html[start + 1 : end], ""
        at = end + (3 if comment else 1)


class _Page:
    """The text as far as it has been read."""

    def __init__(self) -> None:
        self._lines: list[list[str]] = [[]]
        self._quoted = 0
        self._silent = ""
        self._as_it_is = False

    def write(self, text: str) -> None:
        if self._silent:
            return
        first, *others = unescape(text).split("\n") if self._as_it_is else [unescape(text)]
        self._lines[-1].append(_SPACE.sub(" ", first))
        for line in others:
            self._break()
            self._lines[-1].append(_SPACE.sub(" ", line))

    def pass_tag(self, tag: str) -> None:
        found = _TAG.match(tag.lower())
        if found is None:
            return
        name, closing = found[1], tag.startswith("/")
        if self._silent or name in _SILENT:
            self._fall_silent(name, closing)
            return
        if name == "pre":
            self._as_it_is = not closing
        if name == "blockquote":
            self._quoted = max(0, self._quoted + (-1 if closing else 1))
        if name in _BREAKS:
            self._break()
        if "=" in tag:
            self._look_at(tag[:_LONGEST_TAG])

    def _look_at(self, tag: str) -> None:
        """Find out by its attributes whether the answered letter begins here."""
        if _BELOW.search(tag):
            self._break(BELOW)
        elif _SAYS_WHO.search(tag):
            self._lines[-1].append("> ")

    def _fall_silent(self, name: str, closing: bool) -> None:
        if not self._silent and not closing:
            self._silent = name
        elif closing and name == self._silent:
            self._silent = ""

    def _break(self, line: str = "") -> None:
        if line:
            self._lines.append([line])
        begun = ["> "] if self._quoted else []
        if self._lines[-1] != begun:  # what is empty already needs no other line
            self._lines.append(begun)

    def text(self) -> str:
        return "\n".join("".join(line).strip() for line in self._lines)
