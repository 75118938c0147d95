"""Every text of a letter goes through the catalogues: its subject, its text and its HTML have no raw word in them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.db.models import Game, Player
from service.games.lobby import SeatRequest
from service.mail.inbound import answers, commands
from service.mail.inbound.commands import COMMANDS
from service.mail.letters import KINDS, Composed, compose
from service.ui.marrakech.game_ui import MARRAKECH_UI
from tests.mail.correspondence import SPAM, WHY, ann_to_move, every_letter, post
from tests.mail.kilim_games import play_round, with_carpet, with_scrap_won, with_token_won
from tests.mail.tables import ANN, BO, DAY, started, table
from tests.support.clock import Clock
from tests.support.databases import fresh_database
from tests.support.marked_language import LANGUAGE, raw_in, raw_words, speaking_in_marks

GIVEN = ("Marrakech", "Ann", "Bo", "F", "bo", "Market day", "Nice rug!", "Re", SPAM, WHY)
"""The game's name, and what the people in these letters have said."""
ANSWER: dict[str, Any] = {"why": answers.NOTHING_YET, "understood": "", "asked": True, "subject": ""}


@pytest.fixture(scope="module", autouse=True)
def language(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Everybody reads the language of marks."""
    with speaking_in_marks(tmp_path_factory.mktemp("locale")):
        yield


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """Words are the same on every database."""
    return fresh_database(f"sqlite:///{tmp_path}/marrakech.db")


@pytest.fixture
def ctx(ctx: AppContext) -> AppContext:
    """A house that reads answers, and two who read the language of marks."""
    for address in (ANN, BO):
        find_or_create_player(ctx, address)
    Player.update(language=LANGUAGE).execute(ctx.database)
    return ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))


def raw(letter: Composed, *given: str) -> list[str]:
    """What is raw in a letter."""
    known = (*GIVEN, *given)
    return [*raw_words(letter.subject, known), *raw_words(letter.text, known), *raw_in(letter.html, known)]


@pytest.mark.parametrize("name", [None, ""], ids=["named", "unnamed"])
def test_no_kind_of_letter_has_a_raw_text(ctx: AppContext, name: str | None) -> None:
    written = every_letter(ctx, name)
    ids = [id_ for (id_,) in Game.select(Game.id).tuples().execute(ctx.database)]
    assert {kind: raw(written[kind], *ids) for kind in KINDS} == {kind: [] for kind in KINDS}


@pytest.mark.parametrize(
    ("kind", "details"),
    [
        ("reminder", {"part": "last"}),
        ("time-up", {"waiting": True}),
        ("time-up", {"first": 1, "last": 4, "kept": False}),
    ],
)
def test_no_letter_in_another_state_has_a_raw_text(ctx: AppContext, kind: str, details: dict[str, Any]) -> None:
    for options in ({"first": 0}, {"first": 1, "variant": "rotate-after"}):
        game = ann_to_move(ctx, started(ctx, name="", **options), 4)
        for seat in (0, 1):
            if kind != "reminder" or seat == 0:
                assert raw(compose(ctx, post(ctx, kind, game, seat, **details))) == []


def test_no_letter_of_kilim_has_a_raw_text(ctx: AppContext) -> None:
    for game in (with_token_won(ctx), with_scrap_won(ctx), play_round(ctx, with_carpet(ctx), "bag", 9)):
        for seat in (0, 1):
            told = [
                post(ctx, "links", game, seat),
                post(ctx, "time-up", game, seat, first=1, last=game.head, kept=False),
                post(ctx, "answer", game, seat, **ANSWER | {"asked": False, "line": (2, "m14-m13")}),
                post(ctx, "answer", game, seat, **ANSWER | {"asked": False, "dropped": ["patch star m13"]}),
            ]
            assert [text for letter in told for text in raw(compose(ctx, letter), "Friday", "Kilim")] == []


def test_no_letter_of_a_table_without_a_clock_has_a_raw_text(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, SeatRequest(email=BO), SeatRequest(bot="easy"), name="", first=0), 4)
    Game.update(pace=None, deadline=None).execute(ctx.database)
    for kind in ("turn", "reminder", "links"):
        assert raw(compose(ctx, post(ctx, kind, game))) == []


@pytest.mark.parametrize("time_up", ["stand-in", "wait"])
def test_however_much_time_there_is_no_letter_has_a_raw_text(ctx: AppContext, clock: Clock, time_up: str) -> None:
    game = ann_to_move(ctx, started(ctx, name="", first=0), 4)
    Game.update(time_up=time_up).execute(ctx.database)

    def told() -> list[str]:
        letters = [post(ctx, kind, game, seat, **ANSWER) for kind in ("links", "answer") for seat in (0, 1)]
        return [text for letter in letters for text in raw(compose(ctx, letter))]

    assert told() == []
    away = {"away_from": clock.now, "away_until": clock.now + DAY}
    Player.update(**away).execute(ctx.database)
    assert told() == []
    Game.update(deadline=None).execute(ctx.database)
    assert told() == []
    Game.update(deadline=clock.now - 1).execute(ctx.database)
    assert told() == []


def test_no_letter_of_a_table_that_waits_has_a_raw_text(ctx: AppContext) -> None:
    game = table(ctx, name="")
    for status in ("waiting", "cancelled", "expired"):
        Game.update(status=status).execute(ctx.database)
        for kind in ("links", "answer"):
            for seat in (0, 1):
                assert raw(compose(ctx, post(ctx, kind, game, seat, **ANSWER))) == []


def test_no_answer_to_a_reply_has_a_raw_text(ctx: AppContext) -> None:
    game = ann_to_move(ctx, started(ctx, name="", first=0))
    named = [*vars(commands).items(), *vars(answers).items()]
    reasons = [value for name, value in named if name.isupper() and isinstance(value, str) and " " in value]
    assert len(reasons) > 10
    for why in reasons:
        for seat, asked in ((0, True), (1, False)):
            letter = post(ctx, "answer", game, seat, why=why, understood="", asked=asked, subject="")
            assert raw(compose(ctx, letter)) == [], why
    for word in sorted(COMMANDS.union(MARRAKECH_UI.reply_words("en").meanings.values())):
        letter = post(ctx, "answer", game, why=reasons[0], understood=word, asked=False, subject="")
        assert raw(compose(ctx, letter)) == [], word
