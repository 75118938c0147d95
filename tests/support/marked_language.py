"""A language in which every translated text is marked with ⟦ and ⟧, so that tests find text that isn't translated.

Values that are put into a text are outside of its marks and must have marks of their own.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from unittest.mock import patch

from babel import Locale
from babel.messages.catalog import Catalog

from service import paths
from tools.messages import catalogues, compiled, read

LANGUAGE: Final = "fi"
"""Nobody has translated anything into Finnish yet, and its days and months are not English ones."""
_PLACEHOLDER: Final = re.compile(r"(%\(\w+\)[sd])")
_MARKED: Final = re.compile(r"⟦[^⟦⟧]*(?:⟧|\.\.|…|$)")
"""A text that had to be cut short has lost its second mark."""
_CODES: Final = re.compile(
    r"https?://[^\s⟦⟧]+|[^\s⟦⟧]+@[\w.-]+|\b[0-9a-f]{64}\b|\b[a-y](?:2[0-5]|1\d|[1-9])\b|\b[BEHSTO][BEHSTXO][1-3]?\b|\bv?[RBYGrbyg][0-9]+\b|\bUTC\b"
    r"|marrakech-cli verify(?: [^\s⟦⟧]+)?|[A-Za-z0-9]*\.json\b|\b[B-Z2-9]{8}\b"
)
"""Addresses, marks of a seed, squares, rugs, dominoes, what is typed in a terminal, files, sign-in codes."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_TELLING: Final = frozenset({"alt", "title", "aria-label", "placeholder", "label", "data-done"})
_TYPED: Final = frozenset({"text", "email", "submit", "button", "reset"})
"""Fields that show their value."""
_UNSEEN: Final = frozenset({"script", "style"})
_AS_THE_WORLD_HAS_IT: Final = frozenset({"language", "time_zone"})
"""Languages are listed by the names that their own speakers give them, zones by those of their cities."""
_VOID: Final = frozenset({"meta", "link", "input", "img", "br"})


@contextmanager
def speaking_in_marks(folder: Path) -> Iterator[None]:
    """Add the marked language to the server; its catalogue is written to the folder."""
    write_catalogue(folder, LANGUAGE, _in_marks)
    with patch.object(paths, "locales", lambda: folder):
        yield


def write_catalogue(folder: Path, language: str, change: Callable[[str], str]) -> None:
    """Write a catalogue of every text that there is, in which each text between placeholders is changed."""

    def translate(text: str) -> str:
        parts = _PLACEHOLDER.split(text)
        return "".join(part if place % 2 or not part else change(part) for place, part in enumerate(parts))

    (path,) = (path for path in catalogues() if path.parents[1].name == "fr")
    catalogue = Catalog(language)
    for message in read(path):
        if message.id:
            texts = message.id
            translated = translate(texts) if isinstance(texts, str) else tuple(map(translate, texts))
            catalogue.add(texts, translated, context=message.context)
    place = folder / language / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "messages.mo").write_bytes(compiled(catalogue))


def _in_marks(text: str) -> str:
    return f"⟦{text}⟧"


def raw_words(text: str, given: Iterable[str] = ()) -> list[str]:
    """The words of a text that came out of no catalogue, and that nobody has given."""
    text = _CODES.sub(" ", " ".join(text.split()))  # a given name may be wrapped
    for words in sorted(given, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", " ", text)
    while (less := _MARKED.sub(" ", text)) != text:
        text = less
    return [word for word in _WORD.findall(text) if word.lower() not in _dates()]


@cache
def _dates() -> frozenset[str]:
    """The words of which the dates of this language are made."""
    locale = Locale.parse(LANGUAGE)
    names = [
        name
        for kind in (locale.days, locale.months)
        for use in kind.values()
        for width in use.values()
        for name in width.values()
    ]
    return frozenset(word for name in names for word in _WORD.findall(name.lower()))


class Shown(HTMLParser):
    """All that a page or a drawing shows or says: its texts, and the attributes that are shown or read aloud."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if self._is_shown():
            self.texts += [found[name] for name in found if name in _TELLING or name.startswith("data-say-")]
            if tag == "meta" and found.get("name") == "description":
                self.texts.append(found["content"])
            if tag == "input" and found.get("type", "text") in _TYPED:
                self.texts.append(found.get("value", ""))
        if tag not in _VOID:
            self._open.append((tag, found.get("id", "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._is_shown():
            self.texts.append(data)

    def _is_shown(self) -> bool:
        return not any(tag in _UNSEEN or (tag == "select" and id_ in _AS_THE_WORLD_HAS_IT) for tag, id_ in self._open)


def raw_in(html: str, given: Iterable[str] = ()) -> list[str]:
    """The texts of a page or a drawing that have raw words in them; a page without any marks is raw as a whole."""
    shown = Shown(html).texts
    assert any("⟦" in text for text in shown), html
    return [" ".join(text.split()) for text in shown if raw_words(text, given)]
