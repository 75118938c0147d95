"""What happened in a turn is told in one sentence: to the player, to the others, in English and in French."""

from gettext import NullTranslations
from typing import Any

import pytest

from service.engine.marrakech.actions import Face
from service.engine.marrakech.game import MARRAKECH
from service.i18n import translations_for
from service.ui.marrakech.game_ui import MARRAKECH_UI
from tests.engine.positions import play, position

ENGLISH = NullTranslations()
FRENCH = translations_for("fr")
NAMES = ["Ann", "Bo", "Salma"]
FACED = {"type": "faced", "seat": 0, "direction": "right", "facing": "east"}
AHEAD = {"type": "faced", "seat": 0, "direction": "ahead", "facing": "north"}
ROLLED = {"type": "rolled", "seat": 0, "die": 3, "roll": 0, "salt": ""}
MOVED = {"type": "moved", "seat": 0, "path": ["e4", "f4", "g4"], "to": "g4", "facing": "east"}
AROUND = {"type": "moved", "seat": 0, "path": ["g6", "g5", "f5"], "to": "f5", "facing": "west"}
PAID = {"type": "paid", "from": 0, "to": 1, "due": 2, "paid": 2, "squares": ["g4", "g3"]}
PAID_ONE = {**PAID, "due": 1, "paid": 1}
SHORT = {**PAID, "due": 7, "paid": 4}
OUT = {"type": "eliminated", "seat": 0}
LAID = {"type": "laid", "seat": 0, "rug": 1, "colour": "yellow", "squares": ["g5", "g6"]}
TURNED = {"type": "turned", "seat": 0, "direction": "left", "facing": "west"}
RESIGNED = {"type": "resigned", "seat": 0}
STARTED = {"type": "started", "first": 0, "assam": {"at": "d4", "facing": "north"}}
WALK = [FACED, ROLLED, MOVED]


def tell(events: list[dict[str, Any]], you: int | None = None, translations: NullTranslations = ENGLISH) -> str:
    return MARRAKECH_UI.narrate(events, NAMES, translations, you)


@pytest.mark.parametrize(
    ("events", "other", "own"),
    [
        (
            [STARTED],
            "Ann goes first. Assam starts on d4, facing north.",
            "You go first. Assam starts on d4, facing north.",
        ),
        ([FACED], "Ann turned Assam east.", "You turned Assam east."),
        ([FACED, ROLLED], "Ann turned Assam east and rolled 3.", "You turned Assam east and rolled 3."),
        (WALK, "Ann turned Assam east, rolled 3 and reached g4.", "You turned Assam east, rolled 3 and reached g4."),
        (
            [*WALK, LAID],
            "Ann turned Assam east, rolled 3, reached g4 and laid a yellow rug on g5-g6.",
            "You turned Assam east, rolled 3, reached g4 and laid a yellow rug on g5-g6.",
        ),
        (
            [*WALK, PAID, LAID],
            "Ann turned Assam east, rolled 3 and reached g4, paid Bo 2 dirhams and laid a yellow rug on g5-g6.",
            "You turned Assam east, rolled 3 and reached g4, paid Bo 2 dirhams and laid a yellow rug on g5-g6.",
        ),
        (
            [AHEAD, ROLLED, AROUND, PAID_ONE],
            "Ann sent Assam straight on, rolled 3, looped around the edge to f5 and paid Bo 1 dirham.",
            "You sent Assam straight on, rolled 3, looped around the edge to f5 and paid Bo 1 dirham.",
        ),
        (
            [*WALK, SHORT, OUT],
            "Ann turned Assam east, rolled 3 and reached g4, could only pay Bo 4 of 7 dirhams and is out.",
            "You turned Assam east, rolled 3 and reached g4, could only pay Bo 4 of 7 dirhams and are out.",
        ),
        (
            [ROLLED, MOVED, LAID, TURNED],
            "Ann rolled 3 and reached g4, laid a yellow rug on g5-g6 and turned Assam west.",
            "You rolled 3 and reached g4, laid a yellow rug on g5-g6 and turned Assam west.",
        ),
        ([LAID], "Ann laid a yellow rug on g5-g6.", "You laid a yellow rug on g5-g6."),
        (
            [LAID, TURNED],
            "Ann laid a yellow rug on g5-g6 and turned Assam west.",
            "You laid a yellow rug on g5-g6 and turned Assam west.",
        ),
        ([RESIGNED], "Ann resigned.", "You resigned."),
    ],
)
def test_a_turn_is_one_sentence(events: list[dict[str, Any]], other: str, own: str) -> None:
    assert tell(events) == tell(events, 2) == other
    assert tell(events, 0) == own


def test_the_player_who_is_paid_is_called_you() -> None:
    assert tell([*WALK, PAID, LAID], 1) == (
        "Ann turned Assam east, rolled 3 and reached g4, paid you 2 dirhams and laid a yellow rug on g5-g6."
    )
    assert tell([*WALK, SHORT, OUT], 1).endswith(", could only pay you 4 of 7 dirhams and is out.")


@pytest.mark.parametrize(
    ("you", "walk", "rest"),
    [
        (None, "Ann a tourné Assam vers l'est, a obtenu 3 au dé et a atteint g4", "a payé 2 dirhams à Bo et a posé"),
        (1, "Ann a tourné Assam vers l'est, a obtenu 3 au dé et a atteint g4", "vous a payé 2 dirhams et a posé"),
        (
            0,
            "Vous avez tourné Assam vers l'est, avez obtenu 3 au dé et avez atteint g4",
            "avez payé 2 dirhams à Bo et avez posé",
        ),
    ],
)
def test_french_has_other_verbs_for_the_reader(you: int | None, walk: str, rest: str) -> None:
    told = tell([*WALK, PAID, LAID], you, FRENCH).replace("\u2019", "'")
    assert told == f"{walk}, {rest} un tapis jaune en g5-g6."


def test_only_a_walk_over_the_edge_goes_around_it() -> None:
    for assam, path in (
        ("g6 east", "looped around the edge to f5"),
        ("d6 east", "reached f6"),
        ("a6 east", "reached c6"),
    ):
        played = play(position(assam=assam), Face("ahead"), 2)
        events = [MARRAKECH.events.write(event) for event in played.events]
        assert tell(events) == f"Ann sent Assam straight on, rolled 2 and {path}."
