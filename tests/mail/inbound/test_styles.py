"""However a mail program or a provider writes a reply: what the person wrote is read, and nothing of our letter is.

The styles are in `styles/`: a line `=== name`, the text, `--- html` and the HTML, and `~~~` with lines of a signature
that stay. `{words}` is what the person wrote; the other names in braces are our letter and our address.
"""

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

import pytest

from service.context import AppContext
from service.games.store import StoredGame
from service.mail.inbound.mime import read_message
from service.mail.letters import Composed, compose
from tests.mail.inbound.post import DOMAIN
from tests.mail.tables import letters

FOLDER = Path(__file__).parent / "styles"
OWN = f"play+{'abc2345' * 6}abcdef@{DOMAIN}"
# Its lines are answers: one that is read by mistake is noticed.
TEXT = """Hi Bo,

It's your turn in "Market day".

Reply with one word:
left
Or choose here:

left
https://marrakech.example.org/t/abc?do=left

ahead
https://marrakech.example.org/t/abc?do=ahead

d5-e5
https://marrakech.example.org/t/abc?do=d5-e5

--\x20
Marrakech by Mail"""
LETTER = Composed("Your turn", TEXT, escape(TEXT).replace("\n", "<br>"), ())
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

    def reply(self, words: str, letter: Composed = LETTER) -> bytes:
        """A reply with these words to this letter."""
        parts = [_part("plain", _fill_text(self.text, words, letter.text))] if self.text else []
        if self.html:
            broken = escape(words).replace("\n", "<br>")
            parts.append(_part("html", _fill(self.html, {"words": broken, "letter": letter.html})))
        head = f'To: {OWN}\nContent-Type: multipart/alternative; boundary="b"\n\n'
        return f"{head}{''.join(parts)}--b--\n".encode()


def _part(subtype: str, body: str) -> str:
    return f"--b\nContent-Type: text/{subtype}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{body}\n"


def _fill_text(text: str, words: str, letter: str) -> str:
    marks = {"quoted": "> ", "tabbed": "\t", "barred": "| "}
    quoted = {name: "\n".join(f"{mark}{line}" for line in letter.split("\n")) for name, mark in marks.items()}
    return _fill(text, quoted | {"letter": letter, "own": OWN, "words": words})


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


def _expected(style: Style, words: str) -> str:
    return "\n".join(filter(None, [*words.split("\n"), style.rest]))


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_what_the_person_wrote_is_read_and_nothing_of_our_letter(style: Style) -> None:
    read = {words: read_message(style.reply(words), DOMAIN).words for words in ANSWERS}
    assert read == {words: _expected(style, words) for words in ANSWERS}


def test_a_letter_as_it_is_sent_is_not_read_in_any_style(ctx: AppContext, game: StoredGame) -> None:
    letter = compose(ctx, letters(ctx, "turn")[-1])
    for style in STYLES:
        for words in ("Left", ""):
            assert read_message(style.reply(words, letter), DOMAIN).words == _expected(style, words), style.name
