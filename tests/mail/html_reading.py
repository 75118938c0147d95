"""A strict reader of letters' HTML: whatever a mail program might stumble over, or fetch, fails the test."""

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br"}
ALLOWED = {
    *("html", "head", "title", "style", "body", "div", "table", "tr", "td", "th", "p", "h2", "ul", "li", "b", "span"),
    *("a", *VOID),
}
INLINE_IN = {"p": {"b", "span", "a", "img", "br"}, "a": {"b", "span", "br"}, "h2": {"b", "span"}}
ATTRIBUTES = {
    *("style", "class", "role", "width", "cellpadding", "cellspacing", "border", "align", "bgcolor", "href", "src"),
    *("alt", "scope", "lang", "dir", "charset", "name", "content"),
}


class Read(HTMLParser):
    """What a letter's HTML says: its text, its links and its pictures."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tables: list[bool] = []
        self.text = ""
        self.links: list[tuple[str, str]] = []
        self.pictures: list[dict[str, str]] = []
        self.attributes: dict[str, str] = {}
        assert html.startswith("<!doctype html>\n<html ")
        # Every < that is not markup and every & that is no reference has been escaped.
        assert not re.search(r"<(?![a-z/!])|&(?!(?:[a-z]+|#\d+|#x[0-9a-f]+);)", html)
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        assert tag in ALLOWED, tag
        assert len(found) == len(attrs), f"an attribute twice in {tag}"
        assert set(found) <= ATTRIBUTES, set(found) - ATTRIBUTES
        if self.open and self.open[-1] in INLINE_IN:
            assert tag in INLINE_IN[self.open[-1]], f"{tag} in {self.open[-1]}"
        self.text += " " if tag in {"td", "th", "li", "p", "h2", "br"} else ""
        self._notice(tag, found)
        if tag not in VOID:
            self.open.append(tag)

    def _notice(self, tag: str, found: dict[str, str]) -> None:
        assert not re.search(r"url\(|expression|javascript", found.get("style", ""))
        if tag == "html":
            self.attributes = found
        if tag == "table":
            self.tables.append(found.get("role") == "presentation")
        if tag == "th":
            assert found["scope"] in {"col", "row"}
            assert not self.tables[-1], "a heading in a table that is only layout"
        if tag == "a":
            self.links.append((found["href"], ""))
        if tag == "img":
            assert found["alt"]
            self.pictures.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        if tag == "table":
            self.tables.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "title"}:
            self.text += data
        if "a" in self.open:
            link, words = self.links[-1]
            self.links[-1] = (link, words + data)

    @property
    def said(self) -> str:
        """The text as it is read, without the pictures."""
        return " ".join(self.text.split())

    @property
    def hrefs(self) -> list[str]:
        return [link for link, _ in self.links]
