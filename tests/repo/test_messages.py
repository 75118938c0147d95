"""Every text that a player reads is in every catalogue, whole, and what the server reads is what translators wrote."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo

from service.i18n import translations_for
from service.paths import locales
from tools.messages import catalogues, compiled, extracted, read

PATHS = sorted(catalogues())
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


@pytest.fixture(scope="module")
def template() -> Catalog:
    return extracted()


def forms(texts: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [texts or ""] if texts is None or isinstance(texts, str) else list(texts)


def sound(message: Message) -> bool:
    """Whether each form of a translation has the placeholders of its text; the singular may leave the number out."""
    wanted, given = forms(message.id), forms(message.string)
    whole = set(_PLACEHOLDER.findall(wanted[-1]))
    least = set(_PLACEHOLDER.findall(wanted[0]))
    found = [set(_PLACEHOLDER.findall(text)) for text in given]
    return all(given) and all(least <= each <= whole for each in found) and found[-1] == whole


def test_there_is_french() -> None:
    assert [path.parents[1].name for path in PATHS] == ["fr"]
    assert translations_for("fr").gettext("Start a game") == "Commencer une partie"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parents[1].name)
def test_a_catalogue_has_every_text_and_no_other_and_nothing_is_unsure(path: Path, template: Catalog) -> None:
    catalog = read(path)
    wanted, there = ({str(message.id) for message in each if message.id} for each in (template, catalog))
    assert there == wanted, "run `make messages` and translate what is empty"
    assert [message.id for message in catalog if message.id and message.fuzzy] == []
    assert [message.id for message in catalog if message.id and not sound(message)] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parents[1].name)
def test_what_the_server_reads_is_what_was_written(path: Path) -> None:
    mo = path.with_suffix(".mo")
    assert mo.read_bytes() == compiled(read(path)), "run `make messages`"
    assert locales() in mo.parents
    with mo.open("rb") as file:
        assert len(read_mo(file)) == len(read(path))


@pytest.mark.parametrize(
    ("text", "translation", "good"),
    [
        ("%(name)s wins.", "%(name)s gagne.", True),
        ("%(name)s wins.", "Quelqu'un gagne.", False),
        ("%(name)s wins.", "", False),
        ("%(name)s wins.", "%(nom)s gagne.", False),
        (("One seat.", "%(num)s seats."), ("Une place.", "%(num)s places."), True),
        (("One seat.", "%(num)s seats."), ("Une place.", "Des places."), False),
    ],
)
def test_a_translation_that_lacks_something_is_found(
    text: str | tuple[str, str], translation: str | tuple[str, str], good: bool
) -> None:
    assert sound(Message(text, translation)) is good


def test_only_texts_are_taken_for_texts(template: Catalog) -> None:
    assert template.get("facing") is None
    assert template.get("Start a game") is not None
    assert template.get("You can't do that here. Ask the host of the game.") is not None
    assert template.get("%(minutes)s minute") is not None
