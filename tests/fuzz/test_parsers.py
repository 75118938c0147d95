"""Every parser of outside data accepts it or raises its own error, and what it accepts is valid."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.admin.simulate import simulated_games
from service.auth.addresses import read_address
from service.auth.rate_limits import network_of
from service.auth.tokens import BadLink, TokenSigner
from service.config import FILE, SETTINGS, load_settings
from service.config_values import SettingsError
from service.engine.errors import IllegalAction, Malformed
from service.engine.marrakech.game import MARRAKECH
from service.engine.record_text import read_text, write_text
from service.engine.records import read_record, read_time, write_record
from service.errors import BadRequest
from service.i18n import locale_for, spoken, translations_for
from service.routes.pages.login import _PATH
from tests.fuzz.nasty import MANY, UNPRINTABLE, json_value, piece

T = TypeVar("T")
RECORD = next(simulated_games(MARRAKECH, 1, 2, {}, ["medium"], "fuzz"))
JSON = json.loads(json.dumps(write_record(RECORD)))
TEXT = write_text(RECORD)
LINKS = TokenSigner(["a-key-for-the-fuzzing-of-links"])
NOW = 1_800_000_000.0
REFUSALS = (Malformed, IllegalAction, BadRequest, SettingsError)


def taken(read: Callable[[], T]) -> list[T]:
    """The parsed value, or None if it was rejected with a sentence. Any other exception is a bug."""
    try:
        return [read()]
    except REFUSALS as refusal:
        sentence = str(refusal)
    assert sentence.isprintable()
    assert sentence.endswith((".", "?"))
    return []


@MANY
@given(json_value)
@example({"type": "lay", "squares": [UNPRINTABLE, UNPRINTABLE]})
@example({"type": {}})
def test_an_action_is_read_or_refused(value: Any) -> None:
    for action in taken(lambda: MARRAKECH.actions.read(value)):
        assert MARRAKECH.actions.write(action) == value


@given(json_value, st.integers(-1, 9))
def test_options_are_read_or_refused(value: Any, seats: int) -> None:
    for options in taken(lambda: MARRAKECH.read_options(value, seats)):
        assert MARRAKECH.read_options(options, seats) == options


def places_in(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything in a JSON value."""
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places_in(each, (*way, key))


PLACES = list(places_in(JSON))


def with_damage(way: tuple[Any, ...], damage: Any) -> Any:
    if not way:
        return damage
    damaged = copy.deepcopy(JSON)
    place = damaged
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = damage
    return damaged


@MANY
@given(st.sampled_from(PLACES), json_value)
@example(("options",), {})
def test_a_record_that_was_tampered_with_is_refused_or_is_what_it_says(way: tuple[Any, ...], damage: Any) -> None:
    value = with_damage(way, damage)
    for record in taken(lambda: read_record(value)):
        # An option that is left out is what it is where nobody says anything.
        options = MARRAKECH.read_options(value["options"], len(value["seats"]))
        assert write_record(record) == value | {"options": options}


def test_a_refusal_shows_what_cannot_be_seen_in_another_way() -> None:
    for number, line in enumerate(TEXT.split("\n")):
        lines = TEXT.split("\n")
        lines[number] = line.replace('"', "\x1f")
        check_text("\n".join(lines))


@MANY
@given(st.data())
def test_a_text_record_that_was_tampered_with_is_refused_or_is_what_it_says(data: st.DataObject) -> None:
    lines = TEXT.split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    begin = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(begin, len(line)))
    lines[number] = line[:begin] + data.draw(piece) + line[end:]
    check_text("\n".join(lines))


@given(st.one_of(piece, st.text(), st.binary().map(lambda raw: raw.decode("latin-1"))))
def test_any_text_is_a_record_or_is_refused(words: str) -> None:
    check_text(words)
    check_text(TEXT + words)
    check_text(TEXT.replace("\n", words, 1))


def check_text(words: str) -> None:
    for record in taken(lambda: read_text(words)):
        assert write_text(record) == words


@given(piece)
def test_a_time_is_read_or_refused(words: str) -> None:
    assert taken(lambda: read_time(words, "time")) in ([], [words])


@MANY
@given(st.one_of(piece, st.builds("{}@{}".format, piece, piece), st.emails()))
@example("ann@xn--.org")
def test_an_address_is_read_or_refused(words: str) -> None:
    for address in taken(lambda: read_address(words)):
        assert read_address(address) == address
        assert address.count("@") == 1
        assert not any(char.isspace() or ord(char) < 32 for char in address)


TOKENS = [
    LINKS.turn("g7", 2, 5, 0),
    LINKS.seat("g7", 2, 1),
    LINKS.sign_in(7, "camel", NOW),
    LINKS.api(7, 3),
    LINKS.session(7, 3, NOW),
    LINKS.invitation("g7", 4),
    LINKS.unsubscribe(7, "turns"),
    LINKS.reply("abcdefghjk23", 1, 3, 0),
]
READERS: list[Any] = [
    LINKS.read_turn,
    LINKS.read_seat,
    lambda token: LINKS.read_sign_in(token, NOW),
    LINKS.read_api,
    lambda token: LINKS.read_session(token, NOW),
    LINKS.read_invitation,
    LINKS.read_unsubscribe,
    LINKS.read_reply,
    LINKS.identify,
]


@MANY
@given(st.data())
def test_no_damaged_token_is_taken_for_one(data: st.DataObject) -> None:
    token = data.draw(st.sampled_from(TOKENS))
    begin = data.draw(st.integers(0, len(token)))
    end = data.draw(st.integers(begin, len(token)))
    damaged = token[:begin] + data.draw(piece) + token[end:]
    # A reply's address may be written in any case: mail programs change it.
    if damaged.lower() == token.lower():
        return
    for read in READERS:
        with pytest.raises(BadLink):
            read(damaged)


FILES = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.builds(
            lambda name, value: f"{name} = {value}\n",
            st.one_of(st.sampled_from(SETTINGS), piece),
            st.one_of(piece, piece.map(json.dumps), json_value.map(json.dumps)),
        ),
        max_size=4,
    ).map(lambda lines: "".join(lines).encode(errors="surrogatepass")),
)


@MANY
@given(FILES)
@example(b"base_url = " + b"[" * 5000)
@example(b"worker = 1" + b"0" * 5000)
def test_a_settings_file_is_taken_or_refused_with_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, written: bytes
) -> None:
    folder: Path = tmp_path_factory.getbasetemp() / "settings-files"
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_bytes(written)
    # Where the file may put things is another matter: here it is always this folder.
    environ = {"MARRAKECH_DATA_DIR": str(folder / "var"), "MARRAKECH_SECRET_KEY": "a-key-for-the-fuzzing"}
    for settings in taken(lambda: load_settings(environ, folder)):
        assert settings.data_dir == folder / "var"


@given(piece)
def test_any_language_gives_texts_and_dates(words: str) -> None:
    assert translations_for(words).gettext("rug")
    assert spoken(words)
    assert locale_for(words).language


@given(piece)
def test_any_network_has_a_name(words: str) -> None:
    assert network_of(words)


@given(st.one_of(piece, st.text(alphabet="/\\.:@?#%a \t\n", max_size=8).map("/{}".format)))
@example("//example.org")
@example("/\\example.org")
@example("/\t/example.org")
def test_where_one_goes_after_signing_in_is_on_this_server(way: str) -> None:
    if _PATH.fullmatch(way):
        assert way.startswith("/")
        assert not way.startswith(("//", "/\\"))
        assert way.isprintable()
        assert not set(way) & set("\\:@?#%")
