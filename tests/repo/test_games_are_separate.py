"""No module, template or script outside a game's own folders knows the game: not its name and not its fields."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.parent.name for path in (ROOT / "service" / "engine").glob("*/__init__.py"))
"""The games by their folders: one that is being written isn't registered yet."""
REGISTRIES = {"service/engine/registry.py", "service/ui/registry.py"}
# `verify` checks a record without the server, so it has to know the dice; `move`, `place` and `turn` are the
# client's commands for one game; an old migration rewrites snapshots that only Marrakech had.
EXEMPT = {
    *("cli/dice.py", "cli/records.py", "cli/commands/turn.py", "cli/commands/lobby.py"),
    "service/db/migrations/0007_short_snapshots.py",
}
FIELDS = (
    "assam",
    "dirhams",
    "next_rug",
    "rugs_left",
    "last_roll",
    "colours",
    "phase",
    "out",
    "board",
    "variant",
    "pile",
)
"""What Marrakech's views, events and options have and another game's need not have."""
READS_A_FIELD = re.compile(rf"""\[["'](?:{"|".join(FIELDS)})["']\]|\bget\(["'](?:{"|".join(FIELDS)})["']"""
    rf"""|\b(?:view|each|seat|options|event)\.(?:{"|".join(FIELDS)})\b""")  # fmt: skip
NAMES_A_PIECE = re.compile(r"\bassam\b|\bdirhams?\b|next_rug|rugs_left|last_roll", re.IGNORECASE)


def files() -> Iterator[tuple[str, str]]:
    """The sources outside the games' own folders."""
    for folder, kinds in (("service", "py"), ("cli", "py"), ("templates", "html jinja txt js css")):
        for kind in kinds.split():
            for path in sorted((ROOT / folder).rglob(f"*.{kind}")):
                name = path.relative_to(ROOT).as_posix()
                if not set(path.parent.parts) & set(GAMES) and name not in REGISTRIES | EXEMPT:
                    yield name, path.read_text()


def knowledge(text: str) -> list[str]:
    """What a source says about one particular game."""
    games = "|".join(map(re.escape, GAMES))
    imports = re.findall(rf"service\.(?:engine|ui)\.(?:{games})\b", text)
    names = re.findall(rf"""(?:game|rules|Wish)\b[^\n]{{0,12}}["'](?:{games})["']""", text)
    return imports + names + NAMES_A_PIECE.findall(text) + READS_A_FIELD.findall(text)


@pytest.mark.parametrize(("name", "text"), [pytest.param(name, text, id=name) for name, text in files()])
def test_a_source_outside_the_games_folders_knows_no_game(name: str, text: str) -> None:
    assert knowledge(text) == []


def test_all_sources_are_looked_at() -> None:
    names = {name for name, _ in files()}
    assert {"service/mail/game_section.py", "templates/pages/game.html", "templates/static/play.js"} <= names


@pytest.mark.parametrize(
    "text",
    [
        "from service.engine.marrakech.board import TURNED",
        'if game == "marrakech":',
        'not view["seats"][seat]["out"]',
        "{% if view.phase == 'rotation' %}",
        "where Assam stands",
        'shown.get("next_rug")',
    ],
)
def test_knowledge_of_a_game_is_found(text: str) -> None:
    assert knowledge(text)
