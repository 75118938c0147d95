"""Styles lie by logical properties, so that a page turns round for languages that are written from the right."""

import re
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "templates" / "static").rglob("*.css"))
PHYSICAL = re.compile(
    r"(?:margin|padding|border|inset)-(?:left|right)\b|(?<![\w.-])(?:left|right)\s*:(?!:)"
    r"|(?:text-align|float|clear)\s*:\s*(?:left|right)\b"
)
FOUR = re.compile(r"(?<![\w-])(?:margin|padding)\s*:\s*([\w.]+) ([\w.]+) ([\w.]+) ([\w.]+)\s*[;}]")


def one_sided(styles: str) -> list[str]:
    """What says left or right where it should say where a line begins or ends."""
    bare = re.sub(r"/\*.*?\*/", "", styles, flags=re.DOTALL)
    sided = [four[0] for four in FOUR.finditer(bare) if four[2] != four[4]]
    return [found[0] for found in PHYSICAL.finditer(bare)] + sided


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_style_is_for_one_side_only(file: Path) -> None:
    assert one_sided(file.read_text()) == []


@pytest.mark.parametrize(
    "styles",
    ["a { margin-left: 1rem; }", "a { left: 0; }", "a { text-align: right }", "a { padding: 0 1rem 0 0; }"],
)
def test_a_style_for_one_side_is_found(styles: str) -> None:
    assert len(one_sided(styles)) == 1


def test_there_are_styles() -> None:
    assert [file.name for file in FILES] == [
        *("analysis.css", "group.css", "table.css", "table.css", "pages.css", "play.css", "replay.css")
    ]
