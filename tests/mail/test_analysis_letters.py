"""The letter about the end of a game waits a little for the analysis, and says how lucky its reader was."""

from typing import Any

import pytest

from service.context import AppContext
from service.db.models import GameAnalysis, Letter, Player
from service.engine.analysis import Analysis
from service.games.analysis import compute_next, get_analysis
from service.games.lobby import create_game
from service.games.play import act
from service.games.store import StoredGame
from service.i18n import Reader
from service.mail.delivery import LONGEST_WAIT_FOR_ANALYSIS, SECONDS_BETWEEN_LOOKS, Delivery
from service.mail.letters import Composed, compose
from service.ui.analysis import describe_luck
from service.worker import tick
from tests.mail.smtp_server import SmtpServer
from tests.mail.tables import letters, links_in
from tests.support.clock import Clock
from tests.support.tables import OPEN, join, new_game, play_to_end, start_bids

pytestmark = pytest.mark.usefixtures("analysed_bids")


@pytest.fixture
def over(mailing: AppContext, ann: Player, bo: Player) -> StoredGame:
    game = play_to_end(mailing, start_bids(mailing, ann, bo))
    Letter.delete().where(Letter.kind != "over").execute(mailing.database)
    return game


def read(ctx: AppContext) -> Composed:
    return compose(ctx, letters(ctx, "over")[0])


def test_the_letter_says_how_lucky_the_reader_was_and_links_to_the_analysis(
    mailing: AppContext, over: StoredGame
) -> None:
    compute_next(mailing)
    analysis, letter = get_analysis(mailing, over), read(mailing)
    assert analysis
    sentence = describe_luck(analysis.seats[0], Reader())
    assert sentence in " ".join(letter.text.split())
    assert sentence in letter.html
    assert sentence.startswith("You were ")
    assert f"http://127.0.0.1:8000/g/{over.id}/analysis" in links_in(letter)


def test_the_worker_analyses_a_game_before_it_sends_the_letters_about_its_end(
    mailing: AppContext, over: StoredGame, server: SmtpServer
) -> None:
    tick(mailing)
    assert len(server.letters) == 2
    assert all("your choices cost you" in letter.message.as_string() for letter in server.letters)


def test_the_letter_waits_for_an_analysis_in_another_worker_but_not_for_long(
    mailing: AppContext, over: StoredGame, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    assert not server.letters
    began = clock.now
    while not server.letters:
        assert clock.now - began <= LONGEST_WAIT_FOR_ANALYSIS
        delivery.deliver()
        clock.now += SECONDS_BETWEEN_LOOKS
    assert clock.now - began >= LONGEST_WAIT_FOR_ANALYSIS
    assert "/analysis" in server.letters[0].message.as_string()
    assert "lucky" not in server.letters[0].message.as_string()


def test_a_letter_goes_as_soon_as_the_analysis_is_there(
    mailing: AppContext, over: StoredGame, delivery: Delivery, server: SmtpServer, clock: Clock
) -> None:
    delivery.deliver()
    compute_next(mailing)
    clock.now += SECONDS_BETWEEN_LOOKS
    delivery.deliver()
    assert len(server.letters) == 2


def test_after_a_failed_analysis_the_letter_goes_at_once_without_it(
    mailing: AppContext, over: StoredGame, server: SmtpServer, monkeypatch: pytest.MonkeyPatch, analysed_bids: Any
) -> None:
    def fail(*_: object) -> Analysis:
        raise ArithmeticError

    fail.version = 1  # type: ignore[attr-defined]
    analysed_bids.analyst = fail
    tick(mailing)
    assert len(server.letters) == 2
    assert all("analysis" not in letter.message.as_string() for letter in server.letters)


def test_an_analysis_that_an_older_version_wrote_in_another_format_stops_no_letter(
    mailing: AppContext, over: StoredGame, server: SmtpServer
) -> None:
    GameAnalysis.update(body='{"version": 0, "players": []}', due=None).execute(mailing.database)
    tick(mailing)
    assert len(server.letters) == 2
    assert get_analysis(mailing, over) is None


def test_the_letter_about_a_game_without_an_analyst_does_not_wait(
    mailing: AppContext, delivery: Delivery, server: SmtpServer, ann: Player, bo: Player
) -> None:
    request = new_game(OPEN, options={})._replace(game="kilim")
    game = join(mailing, create_game(mailing, ann, request).id, bo)
    Letter.delete().execute(mailing.database)
    act(mailing, game.id, 0, game.head, {"type": "resign"}, "")
    delivery.deliver()
    assert len(server.letters) == 2
    assert "analysis" not in server.letters[0].message.as_string()
