"""Every letter in French: well formed, with the same links, and nothing of it left in English."""

import re
from html import unescape

from service.identity import player_with
from service.mail.letters import KINDS
from service.models import Player
from service.office import Office
from tests.mail.correspondence import every_letter
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, BO

ENGLISH = re.compile(r"\b(the|your|you|and|with|until|lays|rolls|pays|is)\b", re.IGNORECASE)
NAMES = re.compile(r"https?://\S+|marrakech-cli[^\n]*|Marrakech with \w+|There is no square h9 on the board\.")
"""What is no text of a letter: links, a command, what a host has called a table, what the rules say of a move."""


def test_every_letter_comes_in_french(office: Office) -> None:
    for address in (ANN, BO):
        player_with(office, address)
    Player.update(language="fr").execute(office.database)
    written = every_letter(office)
    assert set(written) == set(KINDS)
    for kind, composed in written.items():
        read = Read(composed.html)
        assert '<html lang="fr"' in composed.html, kind
        assert set(read.hrefs) == set(composed.links), kind
        assert not [line for line in composed.text.split("\n") if len(line) > 72 and line not in composed.links], kind
        assert composed.text.endswith("\n\n-- \nMarrakech par courrier\n"), kind
        for part in (composed.subject, composed.text, unescape(read.said)):
            assert "%(" not in part, kind
            assert not ENGLISH.search(NAMES.sub("", part)), (kind, ENGLISH.search(NAMES.sub("", part)), part)
