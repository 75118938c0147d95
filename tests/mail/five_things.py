"""The five things that a letter about a table says, and how somebody finds each who reads only its text or its HTML."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from service.mail.letters import Composed
from tests.mail.html_reading import Read

BASE = "http://127.0.0.1:8000/"
FOOTER = tuple(f"{BASE}{path}" for path in ("rules", "me", "u/"))
"""How the links in a footer begin."""
ROW = re.compile(r"^.{3}[1-7] [|].*[|] [1-7] .*\n", re.MULTILINE)
"""A row of squares on a board in characters."""


class Says(NamedTuple):
    """What one letter has to say."""

    happened: tuple[str, ...]
    time: str
    choices: list[str]
    """What stands behind `?do=` in its links, in their order."""
    board: bool = True
    """Whether there is a board to show, and with it standings."""
    link: bool = True
    """Whether there is anywhere to go."""


def missing(letter: Composed, says: Says) -> set[str]:
    """Which of the five things the letter does not say, and in which part."""
    return {*_missing_in_text(letter.text, says), *_missing_in_html(letter.html, says)}


def _missing_in_text(text: str, says: Says) -> Iterator[str]:
    body = text.partition("\n-- \n")[0]
    flat, links = " ".join(body.split()), [line for line in body.splitlines() if line.startswith(BASE)]
    if not all(words in flat for words in says.happened):
        yield "happened in text"
    if len(ROW.findall(text)) != (7 if says.board else 0):
        yield "board in text"
    if says.board and not re.search(r"\n +Name .*Dirhams .*Total.*\n(?:[> ] (?:Ann|Bo|F) .* \d+ .*\n){2,}", text):
        yield "standings in text"
    if says.time not in flat:
        yield "time in text"
    if _chosen(links) != says.choices or bool(links) != says.link:
        yield "choices in text"


def _missing_in_html(html: str, says: Says) -> Iterator[str]:
    read = Read(html)
    if not all(words in read.said for words in says.happened):
        yield "happened in html"
    # As wide as the screen, up to 568 pixels, and in words where no picture is shown.
    wide = [each for each in read.pictures if "width:100%" in each["style"] and "Assam is on" in each["alt"]]
    if (len(wide) == 1) != says.board:
        yield "board in html"
    if says.board and not re.search(r"Player Dirhams Squares Total .*(?:Ann|Bo|F) .*?(?:\d+ ){4,}", read.said):
        yield "standings in html"
    if says.time not in read.said.replace(_preview(html), "", 1):
        yield "time in html"
    links = [link for link in read.hrefs if not link.startswith(FOOTER)]
    if _chosen(links) != says.choices or bool(links) != says.link:
        yield "choices in html"


def _chosen(links: list[str]) -> list[str]:
    return [do for _, _, do in (link.partition("?do=") for link in links) if do]


def _preview(html: str) -> str:
    """What a list of letters shows of it and the letter itself does not."""
    found = re.search(r'<div style="display:none[^>]*>(.*?)</div>', html)
    assert found
    return found[1]


def without_words(letter: Composed, words: str) -> Iterator[Composed]:
    """The letter without some words, once in its text and once in its HTML."""
    gone = r"\s+".join(map(re.escape, words.split()))
    assert re.search(gone, letter.text)
    in_html = gone.replace("'", "&\\#39;").replace('"', "&\\#34;")
    assert re.search(in_html, letter.html)
    yield letter._replace(text=re.sub(gone, "", letter.text))
    yield letter._replace(html=re.sub(in_html, "", letter.html))


def _without_board(letter: Composed, _: Says) -> Iterator[Composed]:
    yield letter._replace(text=ROW.sub("", letter.text, count=1))
    yield letter._replace(html=re.sub(r"<img [^>]*>", "", letter.html))


def _without_choice(letter: Composed, says: Says) -> Iterator[Composed]:
    first = re.escape(f"?do={says.choices[0]}") if says.choices else f"(?:{re.escape(BASE)})"
    yield letter._replace(text=re.sub(first, "", letter.text))
    yield letter._replace(html=re.sub(f'<a href="[^"]*{first}[^"]*"[^>]*>(.*?)</a>', r"\1", letter.html))


WITHOUT: dict[str, Callable[[Composed, Says], Iterator[Composed]]] = {
    "happened": lambda letter, says: without_words(letter, says.happened[-1]),
    "board": _without_board,
    "standings": lambda letter, _: without_words(letter, "Dirhams"),
    "time": lambda letter, says: without_words(letter, says.time),
    "choices": _without_choice,
}
"""How each thing is taken out of a letter: once out of its text, once out of its HTML."""
