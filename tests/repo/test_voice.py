"""Texts for people are plain English: none of them has a phrase that sounds like a translation or a metaphor."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.admin.main import program as server
from tools import cli_manual
from tools.commands_page import every_command
from tools.messages import extracted

ROOT = Path(__file__).parents[2]

BANNED = {
    "shall": "will, should, or the imperative",
    "whoever": "anyone who",
    "whomever": "anyone",
    "by itself": "automatically, or leave it out",
    "in hand": "current",
    "is asked": "is invited, or address the reader",
    "was asked": "was invited",
    "are asked": "are invited",
    "at the table was said": "chat",
    "looking on": "watching",
    "looks on": "watches",
    "the house": "the server, or bot",
    "stall": "page",
    "front door": "home page",
    "let in": "accepted, or signed in",
    "call off": "cancel",
    "called off": "cancelled",
    "calls off": "cancels",
    "worthless": "invalid",
    "given back": "declined, or free again",
    "hangs together": "is connected",
    "stands still": "is paused",
    "anew": "again",
    "to and fro": "back and forth",
    "goes on working": "keeps working",
    "go on working": "keep working",
    "sees to it": "makes sure",
    "see to it": "make sure",
    "has been noted": "is in the log",
    "is forgotten": "is deleted",
    "are forgotten": "are deleted",
}
"""Each phrase with a plainer one."""

BANNED_FOR_PLAYERS = {
    "field": "square",
    "fields": "squares",
    "carpet": "rug",
    "carpets": "rugs",
    "chair": "seat",
    "chairs": "seats",
    "coins": "dirhams",
    "onlooker": "spectator",
    "onlookers": "spectators",
    "guests": "players",
    "log in": "sign in",
    "logged in": "signed in",
}
"""These have another meaning in documentation for developers, so only the messages are checked for them."""
OWN_WORDS = {"carpet": "kilim", "carpets": "kilim"}
"""Words that are right in one game: in Kilim the players weave carpets, in Marrakech they lay rugs."""

EXCEPTIONS = {("CONTRIBUTING.md", "looking on"), ("CONTRIBUTING.md", "call off")}
"""Where a phrase is right: (name of the text, phrase)."""


def phrase_in(text: str, phrases: dict[str, str]) -> list[str]:
    """The banned phrases that a text contains, also across line breaks."""
    plain = " ".join(text.split())
    return [each for each in phrases if re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", plain, re.IGNORECASE)]


TEXTS = (
    ".md",
    ".html",
    ".jinja",
    ".txt",
    ".js",
    ".conf",
    ".yaml",
    ".example",
    ".service",
    "Makefile",
    "Dockerfile",
    "Caddyfile",
)
SOURCES = ("service/", "cli/", "bench/", "tools/")


def files() -> Iterator[str]:
    """The documentation, templates and configuration files, and the sources with their comments and messages."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    for name in listed.stdout.splitlines():
        if not name.startswith("tests/") and (
            name.endswith(TEXTS) or (name.endswith(".py") and name.startswith(SOURCES))
        ):
            yield name


def help_texts() -> Iterator[tuple[str, str]]:
    """The help of both programs and of all their commands."""
    for words in ([], *(name.split()[1:] for name, _ in every_command())):
        shown = CliRunner().invoke(server, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        assert shown.exit_code == 0
        yield " ".join(["marrakech-server", *words, "--help"]), re.sub(r"[│╭╮╰╯─]", " ", shown.stdout)
    for command in ("", *cli_manual.command_names()):
        yield f"marrakech-cli {command} --help", cli_manual.help_text(*command.split())


def check(name: str, text: str, phrases: dict[str, str]) -> None:
    found = [each for each in phrase_in(text, phrases) if (name, each) not in EXCEPTIONS]
    assert not found, f"{name}: {', '.join(f'{each!r} (say: {phrases[each]})' for each in found)}"


def test_no_file_has_a_banned_phrase(subtests: pytest.Subtests) -> None:
    for name in files():
        with subtests.test(name):
            check(name, (ROOT / name).read_text(), BANNED)


def test_no_help_text_has_a_banned_phrase(subtests: pytest.Subtests) -> None:
    for name, text in help_texts():
        with subtests.test(name):
            check(name, text, BANNED)


def test_no_message_has_a_banned_phrase() -> None:
    """The English texts of pages, e-mails, notifications, errors and the client."""
    texts: dict[str, list[str]] = {}
    for message in extracted():
        games = {part for place, _ in message.locations for part in Path(place).parts} & set(OWN_WORDS.values())
        forms = [message.id] if isinstance(message.id, str) else message.id
        texts.setdefault(min(games, default=""), []).extend(forms)
    assert sum(map(len, texts.values())) > 500
    for game, said in texts.items():
        banned = {phrase: plain for phrase, plain in BANNED_FOR_PLAYERS.items() if OWN_WORDS.get(phrase) != game}
        check("messages", "\n\n".join(said), BANNED | banned)


@pytest.mark.parametrize("phrase", [*BANNED, *BANNED_FOR_PLAYERS])
def test_each_banned_phrase_is_found(phrase: str) -> None:
    every = BANNED | BANNED_FOR_PLAYERS
    assert phrase in phrase_in(f"It says {phrase}, you see.", every)
    assert phrase in phrase_in(f"{phrase.capitalize()}\n", every)
    assert phrase in phrase_in(f"It says ({phrase.replace(' ', chr(10) + '  ')}).", every)


@pytest.mark.parametrize(
    "text", ["Install it.", "A shallow copy.", "Marshall", "outlet in a wall", "renewal", "by itselfs"]
)
def test_a_phrase_inside_other_words_is_not_found(text: str) -> None:
    assert phrase_in(text, BANNED) == []


def test_every_exception_is_still_needed() -> None:
    texts = {name: (ROOT / name).read_text() for name in files()}
    texts["messages"] = "\n".join(str(message.id) for message in extracted())
    unused = {(name, phrase) for name, phrase in EXCEPTIONS if not phrase_in(texts.get(name, ""), {phrase: ""})}
    assert unused == set()
