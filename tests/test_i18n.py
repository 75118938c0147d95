"""Languages and time zones: catalogues, dates and times, and letters in the language of each reader."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from service import paths
from service.context import AppContext
from service.db.models import Player
from service.i18n import Reader, locale_for, spoken, translations_for
from service.mail.letters import compose
from service.text import format_duration
from tests.mail.correspondence import ann_to_move, post
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, started
from tests.mail.test_every_letter import check

FRENCH = {
    'It\'s your turn in "%(table)s".': "C'est à toi de jouer dans %(table)s.",
    "Game: %(table)s": "Partie : %(table)s",
    "Left, facing %(facing)s": "À gauche, face %(facing)s",
    "west": "à l'ouest",
    "red": "rouge",
    "Standings": "Le classement",
    "Dirhams": "Dirhams en caisse",
    "Assam is on %(at)s, facing %(facing)s.": "Assam est en %(at)s, face %(facing)s.",
}


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A little French, and nothing else."""
    catalogue = Catalog("fr")
    for english, french in FRENCH.items():
        catalogue.add(english, french)
    catalogue.add(("%(hours)s hour", "%(hours)s hours"), ("%(hours)s heure", "%(hours)s heures"))
    folder = tmp_path / "locale" / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "messages.mo").open("wb") as file:
        write_mo(file, catalogue)
    monkeypatch.setattr(paths, "locales", lambda: tmp_path / "locale")
    return tmp_path / "locale"


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("zone", "moment", "said"),
    [
        ("UTC", "2026-09-22 14:13", "Tuesday, 22 September 2026, 14:13 (UTC)"),
        ("Europe/Paris", "2026-09-22 14:13", "Tuesday, 22 September 2026, 16:13 (Central European Summer Time)"),
        # The night in which the clocks go back: the same hour comes twice, and the letter says which one it is.
        ("Europe/Paris", "2026-10-25 00:30", "Sunday, 25 October 2026, 02:30 (Central European Summer Time)"),
        ("Europe/Paris", "2026-10-25 01:30", "Sunday, 25 October 2026, 02:30 (Central European Standard Time)"),
        # The night in which an hour is left out.
        ("America/New_York", "2027-03-14 06:59", "Sunday, 14 March 2027, 01:59 (Eastern Standard Time)"),
        ("America/New_York", "2027-03-14 07:00", "Sunday, 14 March 2027, 03:00 (Eastern Daylight Time)"),
        # Another day, and a zone that has no name in English.
        ("Asia/Tokyo", "2026-09-22 15:13", "Wednesday, 23 September 2026, 00:13 (Japan Standard Time)"),
        ("Africa/Casablanca", "2026-09-22 14:13", "Tuesday, 22 September 2026, 15:13 (Africa/Casablanca, GMT+01:00)"),
        ("Not/A_Zone", "2026-09-22 14:13", "Tuesday, 22 September 2026, 14:13 (UTC)"),
    ],
)
def test_a_time_is_on_the_readers_clock_with_the_zone_named(zone: str, moment: str, said: str) -> None:
    assert Reader("en", zone).format_time(at(moment)) == said


def test_days_and_numbers_are_written_as_the_reader_expects_them() -> None:
    moment = 1_790_116_200.0  # late on 22 September 2026 in UTC
    assert (Reader().format_day(moment), Reader("fr", "Asia/Tokyo").format_day(moment)) == (
        "22 Sept 2026",
        "23 sept. 2026",
    )
    assert (Reader().format_number(27), Reader("fr").format_number(3.25)) == ("27.0", "3,2")


def test_a_deadline_is_told_on_the_readers_clock(ctx: AppContext) -> None:
    game = started(ctx, first=0)
    Player.update(time_zone="America/New_York").where(Player.email == ANN).execute(ctx.database)
    letter = compose(ctx, post(ctx, "turn", game))
    told = "until Tuesday, 22 September 2026, 10:13 (Eastern Daylight Time)."
    assert told in " ".join(letter.text.split())
    assert told in Read(letter.html).said


@pytest.mark.parametrize(
    ("language", "found"), [("fr", "fr"), ("fr-CA", "fr"), ("de", "en"), ("en", "en"), ("../fr", "en"), ("", "en")]
)
def test_the_nearest_catalogue_is_taken_and_english_where_there_is_none(
    catalogues: Path, language: str, found: str
) -> None:
    assert spoken(language) == found
    translated = translations_for(language).gettext("red")
    assert translated == ("rouge" if found == "fr" else "red")
    assert str(locale_for(language)) == ("fr" if found == "fr" else "en_GB")


def test_a_letter_comes_in_the_readers_language(ctx: AppContext, catalogues: Path) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    Player.update(language="fr-CA", time_zone="Europe/Paris").where(Player.email == ANN).execute(ctx.database)
    letter = compose(ctx, post(ctx, "turn", game))
    check(letter)
    assert letter.subject == "Partie : Market day"
    assert "C'est à toi de jouer dans Market day." in letter.text
    assert "mardi 22 septembre 2026, 16:13 (heure d\u2019été d\u2019Europe centrale)" in " ".join(letter.text.split())
    assert "À gauche, face à l'ouest:\n" in letter.text
    assert " Dirhams en caisse " in letter.text  # a longer heading is not cut, and no line is too wide (see check)
    read = Read(letter.html)
    assert read.attributes["lang"] == "fr"
    assert "Le classement" in read.said
    assert read.pictures[0]["alt"].startswith("Assam est en d4, face north.")
    assert "Hi Ann," in letter.text  # what has no translation yet stays English


def test_others_at_the_same_table_read_their_own_language(ctx: AppContext, catalogues: Path) -> None:
    game = ann_to_move(ctx, started(ctx, first=0))
    Player.update(language="fr").where(Player.email != ANN).execute(ctx.database)
    assert compose(ctx, post(ctx, "turn", game)).subject == "Game: Market day"


def test_a_plural_is_translated(catalogues: Path) -> None:
    assert format_duration(5 * 3600, translations_for("fr")) == "5 heures"
