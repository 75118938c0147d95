"""However a mail program or a provider writes a reply: what the person wrote is read, and nothing of our letter is.

The styles are in `styles/`: a line `=== name`, the text, `--- html` and the HTML, and `~~~` with lines of a signature
that stay. `{words}` is what the person wrote; the other names in braces are our letter and our address.
"""

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

import pytest

from service.mail.inbound.mime import read_message
from tests.mail.inbound.post import DOMAIN

FOLDER = Path(__file__).parent / "styles"
OWN = f"play+{'abc2345' * 6}abcdef@{DOMAIN}"
# Its lines are answers: one that is read by mistake is noticed.
LETTER = """Hello Bo,

it is your turn in Market day.

left
https://marrakech.example.org/t/abc?do=left

ahead
https://marrakech.example.org/t/abc?do=ahead

d5-e5
https://marrakech.example.org/t/abc?do=d5-e5

Or simply answer this letter with one line, such as
left.

--\x20
Marrakech by Mail"""
ANSWERS = [
    "left",
    "Left",
    "1.",
    "On d5-e5",
    "Option 2",
    "Lege d4-d5",
    "Am d5-e5",
    "Il left",
    "El 3",
    "W lewo",
    "Left\nd5-e5",
    "Left, please!\n\nThanks",
    "",
]


class Style(NamedTuple):
    name: str
    text: str
    html: str
    rest: str
    """What stays beside the person's words."""

    def message(self, words: str) -> bytes:
        parts = [_part("plain", _fill_text(self.text, words))] if self.text else []
        if self.html:
            parts.append(_part("html", _fill_html(self.html, words)))
        head = f'To: {OWN}\nContent-Type: multipart/alternative; boundary="b"\n\n'
        return f"{head}{''.join(parts)}--b--\n".encode()


def _part(subtype: str, body: str) -> str:
    return f"--b\nContent-Type: text/{subtype}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{body}\n"


def _fill_text(text: str, words: str) -> str:
    marks = {"quoted": "> ", "tabbed": "\t", "barred": "| "}
    letters = {name: "\n".join(f"{mark}{line}" for line in LETTER.split("\n")) for name, mark in marks.items()}
    return _fill(text, letters | {"letter": LETTER, "own": OWN, "words": words})


def _fill_html(html: str, words: str) -> str:
    broken = {name: escape(text).replace("\n", "<br>") for name, text in (("letter", LETTER), ("words", words))}
    return _fill(html, broken)


def _fill(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text)


def _read_style(section: str) -> Style:
    name, _, body = section.partition("\n")
    body, _, rest = body.partition("\n~~~ ")
    text, _, html = f"\n{body}".partition("\n--- html\n")
    return Style(name, text.strip("\n"), html.strip("\n"), rest.strip())


def _read_styles(path: Path) -> list[Style]:
    sections = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [_read_style(section) for section in sections[1:]]


STYLES = [style for path in sorted(FOLDER.glob("*.txt")) for style in _read_styles(path)]


def test_the_styles_have_names_of_their_own() -> None:
    assert len({style.name for style in STYLES}) == len(STYLES) > 180


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_what_the_person_wrote_is_read_and_nothing_of_our_letter(style: Style) -> None:
    read = {words: read_message(style.message(words), DOMAIN).words for words in ANSWERS}
    assert read == {words: "\n".join(filter(None, [*words.split("\n"), style.rest])) for words in ANSWERS}
