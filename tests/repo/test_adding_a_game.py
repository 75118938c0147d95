"""The page about adding a game shows code of the small game that is tested, and names every part of both protocols."""

import re
import textwrap
from pathlib import Path

import pytest

from service.engine.protocol import Rules
from service.ui.protocol import GameUi
from tests.engine.rules_contract import RulesContract

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text()
SOURCES = ("tests/engine/sealed_bids.py", "tests/ui/sealed_bids_ui.py", "tests/engine/test_sealed_bids.py")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("(")[0].split()[-1])
def test_the_code_on_the_page_is_code_of_the_small_game(block: str) -> None:
    assert any(block in (ROOT / source).read_text() for source in SOURCES), textwrap.dedent(block)


def test_the_page_shows_the_rules_the_presentation_and_a_test() -> None:
    shown = "".join(BLOCKS)
    assert all(
        name in shown for name in ("class State", "def decide", "def event_view", "def choices", "def unknowable")
    )


@pytest.mark.parametrize("protocol", [Rules, GameUi], ids=lambda protocol: protocol.__name__)
def test_the_page_names_every_part_of_the_protocols(protocol: type) -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert [name for name in vars(protocol) if not name.startswith("_") and name not in named] == []


def test_the_page_names_what_a_test_class_must_say() -> None:
    asked = [name for name in RulesContract.__annotations__ if not name.startswith("_")]
    asked += ["every_action", "resignation", "check_pieces", "unknowable"]
    assert [name for name in asked if f"`{name}`" not in PAGE] == []
