"""The pictures in docs/ are what the code draws today."""

from pathlib import Path

import pytest

from service.render import pictures
from service.render.svg import board_svg


def test_the_committed_picture_is_what_is_drawn_today() -> None:
    drawn = board_svg(pictures.middle_game())
    assert pictures.BOARD.read_text(encoding="utf-8") == drawn, "Draw it again with: make pictures"


def test_the_position_is_a_lively_middle() -> None:
    view = pictures.middle_game()
    assert view["turn"] == 25
    assert {top["colour"] for top in view["board"].values()} == {"red", "blue", "yellow", "green"}
    assert len(view["last_roll"]["path"]) >= 3


def test_main_writes_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new" / "board.svg"
    monkeypatch.setattr(pictures, "BOARD", target)
    pictures.main()
    assert target.read_text(encoding="utf-8") == board_svg(pictures.middle_game())
