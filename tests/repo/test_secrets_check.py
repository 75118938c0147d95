"""The check for secrets finds what must not be there, says where, does not repeat it, and finds none in this house."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.secrets_check import in_files, in_line, tracked

ROOT = Path(__file__).parents[2]
# Put together here, so that the check does not find them in this file.
RANDOM = "q7Zt2" + "Lx9Vb4" + "Nc8Rm1" + "Kd6"
PLANTED = {
    "a private key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
    "an AWS access key": "key = AKIA" + "IOSFODNN7EXAMPLE",
    "a GitHub token": "ghp_" + "a1B2c3D4e5" * 4,
    "a GitLab token": "glpat-" + RANDOM,
    "a PyPI token": "pypi-AgE" + "a1B2c3D4e5" * 5,
    "a Slack token": "xoxb-" + "1234567890-abcdef",
    "a Google key": "AIza" + "a1B2c3D4e5" * 3 + "abcde",
    "a Stripe or OpenAI key": "sk_live_" + "a1B2c3D4e5" * 3,
    "a JSON web token": "eyJ" + "hbGciOiJIUzI1" + ".eyJ" + "zdWIiOiIxMjM0" + "." + "dozjgNryP4J3jVm",
}
PASSWORDS = [
    "postgresql://marrakech:" + "Tr0ub4dor" + "@db.somewhere.net/games",
    "smtps://ann%40gmail.com:" + "abcd" + "@smtp.gmail.com",
    "smtp://ann:" + RANDOM + "@mail.example.org",
]
ASSIGNED = [
    f'SECRET_KEY = "{RANDOM}"',
    f"MARRAKECH_SECRET_KEY={RANDOM}",
    f"  api_token: {RANDOM}",
    f'{{"password": "{RANDOM}"}}',
    "client_secret = " + "3f2b8c1e-9d47-4a6b-8e05-c17d92f3b6a4",
]
HARMLESS = [
    "postgresql://user:password@host/database",
    "smtp+starttls://ann:open%2Fsesame@mail.example.org",
    "postgresql://marrakech:${POSTGRES_PASSWORD}@db/marrakech",
    'smtp_url = f"smtp://ann:{password}@127.0.0.1:{port}"',
    'secret_key = "the-new-key-of-at-least-16-characters"',
    "token = office.links.api(player.id, player.token_version)",
    "secret_keys: tuple[str, ...] = field(repr=False)",
    "https://example.org/a:b@c",
]


@pytest.mark.parametrize(("what", "line"), PLANTED.items())
def test_a_planted_secret_is_found(what: str, line: str) -> None:
    assert list(in_line(f"x {line} y")) == [what]


@pytest.mark.parametrize("line", PASSWORDS)
def test_a_password_in_a_url_is_found(line: str) -> None:
    assert "a password in a URL" in list(in_line(line))


@pytest.mark.parametrize("line", ASSIGNED)
def test_a_random_value_that_is_called_a_secret_is_found(line: str) -> None:
    assert list(in_line(line)) == ["a random value that is called a secret"]


@pytest.mark.parametrize("line", HARMLESS)
def test_what_is_an_example_or_code_is_none(line: str) -> None:
    assert list(in_line(line)) == []


def test_what_is_found_is_named_by_file_and_line_and_not_repeated(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "notes.txt").write_text(f"hello\n{ASSIGNED[0]}\n")
    (tmp_path / ".gitignore").write_text("var/\n")
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret").write_text(ASSIGNED[0])
    check = subprocess.run(
        [sys.executable, "-m", "tools.secrets_check"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin:/usr/local/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 1
    assert check.stderr.startswith("notes.txt:2: this looks like a random value")
    assert check.stderr.count("\n") == 1
    assert RANDOM not in check.stderr


def test_there_is_none_in_this_house() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("This is no clone: git cannot say which files belong to it.")
    files = tracked(ROOT)
    assert "service/app.py" in files
    assert [str(found) for found in in_files(ROOT, files)] == []
