"""The pictures in docs/ are what the code draws today."""

from pathlib import Path

import pytest

from service.ui.marrakech.board_svg import board_svg
from tools import pictures


def test_the_committed_pictures_are_what_is_drawn_today() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in pictures.FOLDER.iterdir()}
    assert kept == pictures.draw_pictures(), "Draw them again with: make pictures"


def test_the_picture_of_a_payment_shows_one_and_places_for_a_rug() -> None:
    svg = pictures.draw_pictures()["placing.svg"]
    assert 'class="payment"' in svg
    assert svg.count('class="place"') > 5


def test_the_picture_of_a_carpet_shows_its_groups() -> None:
    assert pictures.draw_pictures()["carpet.svg"].count('class="group"') == 6


def test_the_position_is_a_lively_middle() -> None:
    view = pictures.middle_game()
    assert view["turn"] == 25
    assert {top["colour"] for top in view["board"].values()} == {"red", "blue", "yellow", "green"}
    assert len(view["last_roll"]["path"]) >= 3


def test_main_writes_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "FOLDER", tmp_path / "new")
    pictures.main()
    assert (tmp_path / "new" / "board.svg").read_text(encoding="utf-8") == board_svg(pictures.middle_game())
    assert len(list((tmp_path / "new").iterdir())) == 3
