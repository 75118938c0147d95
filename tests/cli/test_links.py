"""Pasted links, server addresses, and the file with the tokens."""

import json
import stat
from pathlib import Path

import pytest

from cli.config import Config, config_folder
from cli.errors import BadAddress, UsageError
from cli.links import game_of, is_seat_token, read_link, read_server
from service.auth.tokens import TokenSigner

SIGNED = TokenSigner(["a-key-of-at-least-16-characters"])
GAME = "AbCdEfGhIjKl"


@pytest.mark.parametrize(
    ("words", "server"),
    [
        ("https://m.example.org", "https://m.example.org"),
        (" https://M.example.org/ ", "https://m.example.org"),
        ("m.example.org", "https://m.example.org"),
        ("m.example.org:8443/games/", "https://m.example.org:8443/games"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("https://m.example.org/api/v1", "https://m.example.org"),
        ("https://m.example.org/souk/t/token.signature?do=left", "https://m.example.org/souk"),
    ],
)
def test_an_address_has_one_spelling(words: str, server: str) -> None:
    assert read_server(words) == server
    assert read_server(server) == server


@pytest.mark.parametrize("words", ["", "ftp://x", "http://", "https://x:y", "https://" + "user:pw@x"])
def test_a_bad_address_is_reported_without_its_password(words: str) -> None:
    with pytest.raises(BadAddress) as found:
        read_server(words)
    assert "pw" not in found.value.message


def test_each_kind_of_link() -> None:
    turn, seat, join = SIGNED.turn(GAME, 1, 5, 0), SIGNED.seat(GAME, 1, 0), SIGNED.invitation(GAME, 0)
    base = "https://m.example.org/souk"
    assert read_link(f"{base}/t/{turn}?do=left") == (base, "t", turn, GAME)
    assert read_link(f" <{base}/s/{seat}>\n") == (base, "s", seat, GAME)
    assert read_link(f"{base}/join/{join}.") == (base, "join", join, GAME)
    assert read_link(f"{base}/g/{GAME}") == (base, "g", None, GAME)
    assert read_link(f"{base}/login/abc.def").kind == "login"
    folded = f"{base}/t/{turn}"
    assert read_link(f"{folded[:40]}\n{folded[40:]}").token == turn


def test_the_game_is_read_from_a_token_even_if_it_is_compressed() -> None:
    name = "a" * 64
    packed = SIGNED.turn(name, 1, 5, 0)
    assert packed.startswith(".")
    assert game_of(packed) == name
    assert not is_seat_token(SIGNED.api(7, 0))
    assert is_seat_token(SIGNED.seat(GAME, 0, 0))


@pytest.mark.parametrize("token", ["", ".", "abc", ".abc.def", "W10.x", "bnVsbA.x", "x" * 600, "WyIuLi8uLiJd.x", "é"])
def test_a_broken_token_is_refused(token: str) -> None:
    with pytest.raises(UsageError):
        game_of(token)


@pytest.mark.parametrize(
    ("environ", "platform", "place"),
    [
        ({"HOME": "/home/ann"}, "linux", "/home/ann/.config/marrakech"),
        ({"HOME": "/home/ann", "XDG_CONFIG_HOME": "/x"}, "linux", "/x/marrakech"),
        ({"HOME": "/home/ann", "XDG_CONFIG_HOME": "relative"}, "linux", "/home/ann/.config/marrakech"),
        ({"HOME": "/Users/ann"}, "darwin", "/Users/ann/Library/Application Support/marrakech"),
        ({"HOME": "/c/ann", "APPDATA": "/c/ann/AppData"}, "win32", "/c/ann/AppData/marrakech"),
    ],
)
def test_the_configuration_folder_of_each_platform(environ: dict[str, str], platform: str, place: str) -> None:
    assert str(config_folder(environ, platform)) == place


def test_several_servers_are_kept_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    memory = Config(tmp_path / "new")
    memory.server("https://one").token = "first"  # noqa: S105 - it is none
    memory.server("https://two").links[GAME] = "t/second"
    memory.current = "https://two"
    memory.save()
    again = Config(tmp_path / "new")
    assert (again.server("https://one").token, again.server("https://two").links) == ("first", {GAME: "t/second"})
    assert again.current == "https://two"
    assert stat.S_IMODE(again.path.stat().st_mode) == 0o600
    assert [file.name for file in again.path.parent.iterdir()] == ["servers.json"]
    assert "first" not in json.dumps(again.without_secrets())


def test_saving_restores_the_file_mode(tmp_path: Path) -> None:
    memory = Config(tmp_path)
    memory.save()
    memory.path.chmod(0o644)
    memory.save()
    assert stat.S_IMODE(memory.path.stat().st_mode) == 0o600
