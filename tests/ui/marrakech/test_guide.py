"""Each rule of Marrakech is explained when it matters for the first time, and not again."""

from gettext import NullTranslations
from typing import Any

import pytest

from service.ui.marrakech import guide

SAY = NullTranslations()
STARTED = {"type": "started", "first": 0, "assam": {"at": "d4", "facing": "north"}}
FACED = {"type": "faced", "seat": 0, "direction": "left", "facing": "west"}
LAID = {"type": "laid", "seat": 0, "rug": 1, "colour": "red", "squares": ["c4", "c5"]}
COVERING = {"type": "laid", "seat": 1, "rug": 2, "colour": "blue", "squares": ["c5", "c6"]}
PAID = {"type": "paid", "from": 1, "to": 0, "due": 2, "paid": 2, "squares": ["c4", "c5"]}


def moved(*path: str, facing: str = "west") -> dict[str, Any]:
    return {"type": "moved", "seat": 0, "path": list(path), "to": path[-1], "facing": facing}


def view(phase: str = "direction", dirhams: int = 30, rugs_left: int = 12, **more: Any) -> dict[str, Any]:
    seat = {"dirhams": dirhams, "rugs_left": rugs_left}
    return {"phase": phase, "you": 0, "to_act": [0], "seats": [seat, seat], **more}


@pytest.mark.parametrize("phase", ["direction", "placement", "rotation", "over"])
def test_every_phase_has_its_rules(phase: str) -> None:
    assert len(guide.explain_step(view(phase), SAY)) > 50


def test_while_others_play_the_payment_is_explained() -> None:
    assert guide.explain_step(view(to_act=[1]), SAY).startswith("If Assam stops on another player's rug")


@pytest.mark.parametrize(
    ("earlier", "new", "words"),
    [
        ([], [STARTED], ["Welcome!", "Choose where Assam goes"]),
        ([], [STARTED, COVERING], ["Welcome!", "Choose where Assam goes"]),
        ([STARTED, COVERING], [FACED], ["Every turn ends with"]),
        ([STARTED, FACED], [moved("c4", "b4")], []),
        ([STARTED, FACED], [moved("c4", "b4", "a4", "a5", facing="east")], ["Assam walked off the edge"]),
        ([STARTED, FACED], [LAID], ["Every turn ends with"]),
        ([STARTED, FACED, LAID], [COVERING], ["Rugs can cover other rugs"]),
        ([STARTED, FACED, LAID], [PAID], ["Assam stopped on somebody's rug"]),
        ([STARTED, FACED, LAID, PAID, COVERING], [PAID, COVERING, LAID], []),
    ],
)
def test_a_rule_is_explained_when_it_first_matters(earlier: list[Any], new: list[Any], words: list[str]) -> None:
    told = guide.explain_news(view(), earlier, new, SAY)
    assert [line[: len(word)] for line, word in zip(told, words, strict=True)] == words


def test_each_step_is_explained_when_the_player_does_it_for_the_first_time() -> None:
    placement = guide.explain_step(view("placement"), SAY)
    assert guide.explain_news(view("placement"), [STARTED], [FACED], SAY) == [placement]
    assert guide.explain_news(view("placement"), [STARTED, FACED, LAID], [FACED], SAY) == []
    rotation = guide.explain_step(view("rotation"), SAY)
    assert guide.explain_news(view("rotation"), [STARTED, LAID], [], SAY) == [rotation]


def test_a_poor_player_and_the_end_are_mentioned_while_they_matter() -> None:
    (poor,) = guide.explain_news(view(dirhams=3), [STARTED, FACED], [], SAY)
    (last,) = guide.explain_news(view(rugs_left=2), [STARTED, FACED], [], SAY)
    assert (poor[:20], last[:13]) == ("You have few dirhams", "The game ends")
    assert guide.explain_news(view("over", 3, 0, to_act=[]), [STARTED, FACED], [], SAY) == []
