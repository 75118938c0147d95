"""Settings come from the environment, the file or the defaults, and an invalid one stops the server with a sentence."""

import multiprocessing
import re
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.config import FILE, PREFIX, SETTINGS, Settings, load_settings
from service.config_values import SettingsError, is_loopback

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
KEY, OLDER = "a-key-for-the-tests", "an-older-key-for-the-tests"
PASSWORD = "open-sesame"  # noqa: S105 - it opens nothing
GOOD: list[tuple[str, str, str, Any]] = [
    ("database_url", "sqlite:///games.db", "database_url", "sqlite:///games.db"),
    ("database_url", "postgresql://ann:x@db:5432/games", "database_url", "postgresql://ann:x@db:5432/games"),
    ("database_url", "postgresql://ann@/games?host=/run", "database_url", "postgresql://ann@/games?host=/run"),
    ("base_url", "https://example.org", "base_url", "https://example.org"),
    ("base_url", "https://example.org/", "base_url", "https://example.org"),
    ("base_url", "http://[::1]:8000/games/", "base_url", "http://[::1]:8000/games"),
    ("secret_key", KEY, "secret_keys", (KEY,)),
    ("secret_key", f"{KEY}, {OLDER}", "secret_keys", (KEY, OLDER)),
    ("secret_key", "k" * 16, "secret_keys", ("k" * 16,)),
    ("smtp_url", "smtp://localhost", "smtp_url", "smtp://localhost"),
    ("smtp_url", "smtp://[::1]:2525", "smtp_url", "smtp://[::1]:2525"),
    (
        "smtp_url",
        "smtp+starttls://ann:a%2Fb@mail.example.org:587",
        "smtp_url",
        "smtp+starttls://ann:a%2Fb@mail.example.org:587",
    ),
    ("smtp_url", "smtps://ann:x@mail.example.org:465", "smtp_url", "smtps://ann:x@mail.example.org:465"),
    ("smtp_url", "", "smtp_url", ""),
    ("mail_from", "ann@example.org", "mail_from", "ann@example.org"),
    ("mail_from", "Märchen aus 1001 Nacht <ann@example.org>", "mail_from", "Märchen aus 1001 Nacht <ann@example.org>"),
    ("mail_from", '"Ann, at the souk" <a.b+c@localhost>', "mail_from", '"Ann, at the souk" <a.b+c@localhost>'),
    ("inbound_domain", "Reply.Example.org", "inbound_domain", "reply.example.org"),
    ("inbound_domain", "", "inbound_domain", ""),
    ("imap_url", "", "imap_url", ""),
    ("imap_url", "imaps://ann:a%2Fb@mail.example.org", "imap_url", "imaps://ann:a%2Fb@mail.example.org"),
    ("imap_url", "imaps://ann:x@[::1]:993/Replies", "imap_url", "imaps://ann:x@[::1]:993/Replies"),
    ("imap_url", "imap+starttls://ann:x@mail/IN/Box", "imap_url", "imap+starttls://ann:x@mail/IN/Box"),
    ("imap_url", "imap://ann:x@127.0.0.1:143/INBOX", "imap_url", "imap://ann:x@127.0.0.1:143/INBOX"),
    ("allowed_emails", "*@example.org,Ann@Example.com", "allowed_emails", ("*@example.org", "ann@example.com")),
    ("allowed_emails", " * ", "allowed_emails", ("*",)),
    ("hosts", "Ann@Example.org, bo@example.org", "hosts", ("ann@example.org", "bo@example.org")),
    ("hosts", "", "hosts", ()),
    ("worker", "off", "worker", "off"),
    ("worker", "embedded", "worker", "embedded"),
    ("rate_limits", "off", "rate_limits", False),
    ("rate_limits", "on", "rate_limits", True),
    ("proxies", "0", "proxies", 0),
    ("proxies", "2", "proxies", 2),
    ("metrics_token", "", "metrics_token", ""),
    ("metrics_token", "t" * 16, "metrics_token", "t" * 16),
    ("keep_letters", "90", "keep_letters", 90),
    ("keep_letters", "0", "keep_letters", 0),
    ("notify_hosts", "", "notify_hosts", ()),
    ("notify_hosts", "Chat.example.org, *.example.com,*", "notify_hosts", ("chat.example.org", "*.example.com", "*")),
    ("notify_hosts", "127.0.0.1,::1", "notify_hosts", ("127.0.0.1", "::1")),
]
WRONG = [
    ("data_dir", ""),
    ("data_dir", "~nobody-of-that-name/var"),
    ("database_url", ""),
    ("database_url", "sqlite://games.db"),
    ("database_url", "sqlite:///"),
    ("database_url", "sqlite:///:memory:"),
    ("database_url", f"mysql://ann:{PASSWORD}@db/games"),
    ("database_url", f"POSTGRESQL://ann:{PASSWORD}@db/games"),
    ("database_url", f"postgresql://ann:{PASSWORD}@db"),
    ("database_url", f"postgresql://ann:{PASSWORD}@db:port/games"),
    ("database_url", f"postgresql://ann:{PASSWORD}@db:70000/games"),
    ("base_url", ""),
    ("base_url", "example.org"),
    ("base_url", "ftp://example.org"),
    ("base_url", "http://"),
    ("base_url", "http:///games"),
    ("base_url", "http://:8000"),
    ("base_url", "http://example.org:0"),
    ("base_url", "http://example.org:port"),
    ("base_url", "http://example.org:65536"),
    ("base_url", "http://[::1"),
    ("base_url", "http://example.org/?a=b"),
    ("base_url", "http://example.org/#top"),
    ("base_url", "http://exa mple.org"),
    ("base_url", f"http://ann:{PASSWORD}@example.org"),
    ("secret_key", ""),
    ("secret_key", f"{PASSWORD}1234"),
    ("secret_key", f"{KEY},{PASSWORD}"),
    ("secret_key", f"{KEY},"),
    ("secret_key", f" {PASSWORD}    , {KEY}"),
    ("smtp_url", "mail.example.org"),
    ("smtp_url", f"http://ann:{PASSWORD}@mail.example.org"),
    ("smtp_url", f"SMTP://ann:{PASSWORD}@mail.example.org"),
    ("smtp_url", f"smtp:ann:{PASSWORD}@mail.example.org"),
    ("smtp_url", "smtp://"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@:25"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail.example.org:0"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail.example.org:99999"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail.example.org:port"),
    ("smtp_url", f"smtp://ann:{PASSWORD}/x@mail.example.org"),
    ("smtp_url", f"smtp://ann:x#{PASSWORD}@mail.example.org"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail example.org"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@[::1"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail.example.org/in"),
    ("smtp_url", f"smtp://ann:{PASSWORD}@mail.example.org?tls=1"),
    ("smtp_url", "smtp://ann@mail.example.org"),
    ("smtp_url", f"smtp://:{PASSWORD}@mail.example.org"),
    ("mail_from", ""),
    ("mail_from", "Marrakech"),
    ("mail_from", "Marrakech <marrakech>"),
    ("mail_from", "Marrakech <@example.org>"),
    ("mail_from", "Marrakech <ann@example.org"),
    ("mail_from", "a..b@example.org"),
    ("mail_from", "ann@exa_mple.org"),
    ("mail_from", "ann@example.org, ben@example.org"),
    ("mail_from", "Ann <ann@example.org>, Ben <ben@example.org>"),
    ("mail_from", "Ann <ann@example.org>\r\nBcc: all@example.org"),
    ("imap_url", "mail.example.org"),
    ("imap_url", f"pop3://ann:{PASSWORD}@mail.example.org"),
    ("imap_url", f"IMAPS://ann:{PASSWORD}@mail.example.org"),
    ("imap_url", f"imap://ann:{PASSWORD}@mail.example.org/INBOX"),
    ("imap_url", f"imaps://ann:{PASSWORD}@/INBOX"),
    ("imap_url", f"imaps://ann:{PASSWORD}@mail.example.org:0/INBOX"),
    ("imap_url", f"imaps://ann:{PASSWORD}@mail.example.org/INBOX?x=1"),
    ("imap_url", f"imaps://ann:{PASSWORD}@mail.example.org/INBOX#top"),
    ("imap_url", "imaps://mail.example.org/INBOX"),
    ("imap_url", "imaps://ann@mail.example.org/INBOX"),
    ("imap_url", f"imaps://:{PASSWORD}@mail.example.org/INBOX"),
    ("inbound_domain", "ann@example.org"),
    ("inbound_domain", "-example.org"),
    ("inbound_domain", "example..org"),
    ("inbound_domain", "https://example.org"),
    ("inbound_domain", "a." * 127 + "org"),
    ("allowed_emails", ""),
    ("allowed_emails", "example.org"),
    ("allowed_emails", "*@example.org,"),
    ("allowed_emails", "*@example.org *@example.com"),
    ("allowed_emails", "a@b@c"),
    ("hosts", "*@example.org"),
    ("hosts", "ann"),
    ("hosts", "ann@example.org,"),
    ("worker", ""),
    ("worker", "Off"),
    ("worker", "thread"),
    ("rate_limits", ""),
    ("rate_limits", "yes"),
    ("proxies", ""),
    ("proxies", "-1"),
    ("proxies", "10"),
    ("proxies", "one"),
    ("metrics_token", PASSWORD),
    ("metrics_token", f"{PASSWORD} and more of it"),
    ("keep_letters", "forever"),
    ("keep_letters", "-1"),
    ("keep_letters", "10000"),
    ("notify_hosts", "https://example.org"),
    ("notify_hosts", "example.org:443"),
    ("notify_hosts", "chat*.example.org"),
    ("notify_hosts", "example.org,"),
    ("worker", "off\n"),
    ("base_url", "http://example.org\x00"),
    ("secret_key", f"{KEY}\n{OLDER}"),
    ("secret_key", f"{KEY}\udcff"),
]


def variables(**values: str) -> dict[str, str]:
    return {PREFIX + name.upper(): value for name, value in values.items()}


def write_file(folder: Path, **values: str) -> None:
    (folder / FILE).write_text("".join(f'{name} = "{value}"\n' for name, value in values.items()))


def refusal(environ: dict[str, str], folder: Path) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(environ, folder)
    sentence = str(caught.value)
    assert sentence == sentence.strip()
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
    return sentence


def test_the_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    settings = load_settings({"PATH": "/bin"}, tmp_path)
    assert settings == Settings(
        data_dir=tmp_path / "var",
        database_url=f"sqlite:///{tmp_path}/var/marrakech.db",
        base_url="http://127.0.0.1:8000",
        secret_keys=settings.secret_keys,
        smtp_url="",
        mail_from="Marrakech <marrakech@localhost>",
        inbound_domain="",
        imap_url="",
        allowed_emails=("*",),
        hosts=(),
        worker="embedded",
        rate_limits=True,
        proxies=0,
        metrics_token="",
        keep_letters=90,
        notify_hosts=("matrix.org", "ntfy.sh"),
    )


@pytest.mark.parametrize(("name", "value", "attribute", "expected"), GOOD)
def test_a_setting_comes_from_the_environment(
    tmp_path: Path, name: str, value: str, attribute: str, expected: object
) -> None:
    assert getattr(load_settings(variables(**{name: value}), tmp_path), attribute) == expected


@pytest.mark.parametrize(("name", "value", "attribute", "expected"), GOOD)
def test_a_setting_comes_from_the_file(tmp_path: Path, name: str, value: str, attribute: str, expected: object) -> None:
    (tmp_path / FILE).write_text(f"{name} = '{value}'\n", encoding="utf-8")
    assert getattr(load_settings({}, tmp_path), attribute) == expected


def test_a_relative_data_folder_is_relative_to_the_file(tmp_path: Path) -> None:
    assert load_settings(variables(data_dir="souk"), tmp_path).data_dir == tmp_path / "souk"
    write_file(tmp_path, data_dir=str(tmp_path / "elsewhere"))
    settings = load_settings({}, tmp_path)
    assert settings.data_dir == tmp_path / "elsewhere"
    assert settings.database_url == f"sqlite:///{tmp_path}/elsewhere/marrakech.db"


def test_the_data_folder_may_be_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings(variables(data_dir="~/games"), tmp_path / "x").data_dir == tmp_path / "games"


def test_the_environment_takes_precedence_over_the_file(tmp_path: Path) -> None:
    write_file(tmp_path, worker="off", rate_limits="off", smtp_url="smtp://localhost")
    settings = load_settings(variables(worker="embedded", smtp_url=""), tmp_path)
    assert (settings.worker, settings.smtp_url, settings.rate_limits) == ("embedded", "", False)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_an_invalid_value_is_named_without_showing_secrets(tmp_path: Path, name: str, value: str) -> None:
    sentence = refusal(variables(**{name: value}), tmp_path)
    assert sentence.startswith(f"{PREFIX}{name.upper()} ")
    assert PASSWORD not in sentence
    assert KEY not in sentence
    assert list(tmp_path.iterdir()) == [], "nothing is created"


def test_an_invalid_value_in_the_file_is_named_as_written_there(tmp_path: Path) -> None:
    write_file(tmp_path, worker="sometimes")
    assert refusal({}, tmp_path) == "worker in marrakech.toml is 'sometimes': it must be embedded or off."


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_tested_with_valid_and_invalid_values(name: str) -> None:
    assert name in {wrong for wrong, _ in WRONG}
    assert name in {good for good, *_ in GOOD} | {"data_dir"}


@pytest.mark.parametrize("value", ["true", "1", '["on"]', "2026-11-16", "{on = 'yes'}"])
def test_a_value_in_the_file_must_be_text(tmp_path: Path, value: str) -> None:
    (tmp_path / FILE).write_text(f"rate_limits = {value}\n")
    assert refusal({}, tmp_path).startswith("rate_limits in marrakech.toml must be text in quotation marks")


def test_an_unknown_variable_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    environ = {"MARRAKECH_BASEURL": "http://example.org"}
    assert refusal(environ, tmp_path) == "'MARRAKECH_BASEURL' is not a setting: did you mean MARRAKECH_BASE_URL?"
    assert ": use one of MARRAKECH_DATA_DIR, MARRAKECH_DATABASE_URL, " in refusal({"MARRAKECH_ZZZ": PASSWORD}, tmp_path)


def test_an_unknown_line_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    write_file(tmp_path, smtp_uri=f"smtp://ann:{PASSWORD}@mail")
    assert refusal({}, tmp_path) == "'smtp_uri' is not a setting: did you mean smtp_url?"


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (b'worker = "off"\nsecret_key = open-sesame\n', 2),
        (b'worker = "off"\nworker = "off"\n', 2),
        (b'\n\nsecret_key = "open-sesame\n', 3),
        (b'worker = "off"\nsecret_key = """open-sesame', 2),
        (b'worker = "off"\n# caf\xe9\n', 2),
        (b"open-sesame", 1),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, written: bytes, line: int) -> None:
    (tmp_path / FILE).write_bytes(written)
    sentence = refusal({}, tmp_path)
    assert sentence.startswith(f"Line {line} of marrakech.toml ")
    assert PASSWORD not in sentence


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert "(Is a directory): make it readable or remove it." in refusal({}, tmp_path)


def test_printing_the_settings_shows_no_secret(tmp_path: Path) -> None:
    environ = variables(
        secret_key=KEY, smtp_url=f"smtp://ann:{PASSWORD}@mail", database_url=f"postgresql://ann:{PASSWORD}@db/games"
    )
    printed = repr(load_settings(environ, tmp_path))
    assert "base_url=" in printed
    assert KEY not in printed
    assert PASSWORD not in printed


def test_a_data_folder_of_an_earlier_version_is_closed_to_other_users(tmp_path: Path) -> None:
    folder = load_settings({}, tmp_path).data_dir
    folder.chmod(0o755)
    load_settings({}, tmp_path)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_was_there_before_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(0o755)
    load_settings(variables(data_dir="shared", secret_key=KEY), tmp_path)
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o755


def test_a_secret_is_generated_once_and_readable_only_by_its_owner(tmp_path: Path) -> None:
    first = load_settings({}, tmp_path)
    kept = first.data_dir / "secret_key"
    assert stat.S_IMODE(first.data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert first.secret_keys == (kept.read_text().strip(),)
    assert len(first.secret_keys[0]) == 64
    assert load_settings({}, tmp_path).secret_keys == first.secret_keys
    assert list(first.data_dir.iterdir()) == [kept], "no draft is left behind"


def test_there_is_no_default_secret(tmp_path: Path) -> None:
    keys = {load_settings({}, tmp_path / name).secret_keys for name in ("a", "b", "c")}
    assert len(keys) == 3


def test_a_secret_from_the_settings_is_not_stored(tmp_path: Path) -> None:
    settings = load_settings(variables(secret_key=KEY), tmp_path)
    assert list(settings.data_dir.iterdir()) == []


def test_a_stored_secret_can_be_rotated_in_its_file(tmp_path: Path) -> None:
    keep(tmp_path, f"{KEY},{OLDER}\n".encode())
    assert load_settings({}, tmp_path).secret_keys == (KEY, OLDER)


def keep(folder: Path, written: bytes, mode: int = 0o600) -> Path:
    path = folder / "var" / "secret_key"
    path.parent.mkdir()
    path.write_bytes(written)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (PASSWORD.encode(), "too short"),
        (f"{KEY}\n{OLDER}".encode(), "line break"),
        (b"\xff" * 64, "invisible character"),
    ],
)
def test_a_secret_file_without_a_valid_key_is_refused_and_kept(tmp_path: Path, written: bytes, complaint: str) -> None:
    path = keep(tmp_path, written)
    sentence = refusal({}, tmp_path)
    assert sentence.startswith(f"The secret file {path} ")
    assert complaint in sentence
    assert PASSWORD not in sentence
    assert KEY not in sentence
    assert path.read_bytes() == written


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
def test_a_secret_file_that_others_can_read_is_refused_and_not_changed(tmp_path: Path, mode: int) -> None:
    path = keep(tmp_path, KEY.encode(), mode)
    assert "can be read by other users: run chmod 600" in refusal({}, tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    path.chmod(0o600)
    assert load_settings({}, tmp_path).secret_keys == (KEY,)


def test_a_secret_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var" / "secret_key").mkdir(parents=True)
    assert "can't be read or created (Is a directory)" in refusal({}, tmp_path)


def test_a_dangling_symlink_as_secret_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").symlink_to(tmp_path / "nowhere")
    assert "can't be read or created (No such file or directory)" in refusal({}, tmp_path)


def test_a_data_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file")
    assert refusal({}, tmp_path).startswith("MARRAKECH_DATA_DIR can't be created at ")
    write_file(tmp_path, data_dir="var/deep")
    assert refusal({}, tmp_path).startswith("data_dir in marrakech.toml can't be created at ")


def start_at_once(folder: Path, start: Barrier, answers: "multiprocessing.Queue[tuple[str, ...]]") -> None:
    for n in range(RACES):
        start.wait(60)
        answers.put((str(n), *load_settings({}, folder / str(n)).secret_keys))


RACES, STARTERS = 25, 4


def test_processes_that_start_together_use_the_same_secret(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    start, answers = spawn.Barrier(STARTERS), spawn.Queue()
    starters = [spawn.Process(target=start_at_once, args=(tmp_path, start, answers)) for _ in range(STARTERS)]
    for each in starters:
        each.start()
    found = [answers.get(timeout=60) for _ in range(RACES * STARTERS)]
    for each in starters:
        each.join(60)
    assert [each.exitcode for each in starters] == [0] * STARTERS
    assert len(set(found)) == RACES
    for n, key in set(found):
        assert [path.read_text() for path in (tmp_path / n / "var").iterdir()] == [f"{key}\n"]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.255.1.2", "::1", "[::1]", "0:0:0:0:0:0:0:1", "localhost", "LocalHost"]
)
def test_loopback_addresses_are_recognised(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "0.0.0.0",  # noqa: S104 - nothing listens here
        "::",
        "128.0.0.1",
        "192.168.1.5",
        "10.0.0.1",
        "::2",
        "example.org",
        "localhost.example.org",
        "127.1",
        "127.0.0.1.example.org",
        "127.0.0.1:8000",
    ],
)
def test_other_addresses_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@given(st.sampled_from(SETTINGS[1:]), st.text())
def test_any_value_is_accepted_or_refused_with_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "whatever"
    folder.mkdir(exist_ok=True)
    complaint = ""
    try:
        load_settings(variables(**{"secret_key": KEY, name: value}), folder)
    except SettingsError as error:
        complaint = str(error)
    assert complaint == "" or complaint.startswith(f"{PREFIX}{name.upper()} ")


def test_the_documentation_has_exactly_the_settings() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE) == [name.upper() for name in SETTINGS]


def test_the_example_files_in_the_documentation_are_valid(tmp_path: Path) -> None:
    examples = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        (tmp_path / FILE).write_text(example)
        load_settings({}, tmp_path)


def test_variables_of_the_client_are_ignored(tmp_path: Path) -> None:
    environ = {"MARRAKECH_SERVER": "http://127.0.0.1:8000", "MARRAKECH_TOKEN": "x"}
    assert load_settings(environ, tmp_path).base_url == "http://127.0.0.1:8000"
