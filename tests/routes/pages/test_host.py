"""The host's page: for those named in the settings, with every letter that is stuck and why."""

from dataclasses import replace

import pytest

from service.context import AppContext
from service.db import letter_texts, letters
from service.db.letter_texts import letter_kind_name, translate_delivery_error
from service.db.models import Game, Letter, Player
from service.games.lobby import NewGameRequest, SeatRequest, create_game
from service.games.players import delete_player
from service.i18n import translations_for
from service.mail.letters import KINDS
from tests.support.browsers import Browser
from tests.support.tables import new_game

HOST = "host@example.org"


@pytest.fixture
def hosted(ctx: AppContext) -> AppContext:
    return ctx._replace(settings=replace(ctx.settings, hosts=(HOST,)))


@pytest.fixture
def parked(hosted: AppContext, ann: Player) -> int:
    """A letter that a mail server has refused for good."""
    create_game(hosted, ann, new_game(SeatRequest("bo@example.org"), name="<i>Friday</i>"))
    said = {"status": letters.PARKED, "trouble": "550 <script>no such user</script>", "tries": 3}
    Letter.update(**said).execute(hosted.database)
    letter: int = Letter.select(Letter.id).scalar(hosted.database)
    return letter


def test_only_the_host_sees_it(ctx: AppContext, hosted: AppContext) -> None:
    Browser(hosted, "ann@example.org").get("/host", 404)
    asked = Browser(hosted).client.get("/host")
    assert (asked.status_code, asked.location) == (303, "/login?next=/host")
    Browser(ctx).get("/host", 404)  # where nobody is named there is no such page
    Browser(ctx, HOST).get("/host", 404)
    assert 'href="/host"' in Browser(hosted, HOST).get("/")
    assert 'href="/host"' not in Browser(hosted, "ann@example.org").get("/")


def test_stuck_letters_are_shown_with_the_mail_servers_words_escaped(hosted: AppContext, parked: int) -> None:
    page = Browser(hosted, HOST).get("/host")
    assert "550 &lt;script&gt;no such user&lt;/script&gt;" in page
    assert "bo@example.org" in page
    assert "&lt;i&gt;Friday&lt;/i&gt;" in page
    assert "parked: 1" in page
    assert "marrakech-by-mail" in page


def test_games_are_listed_and_counted_by_game(hosted: AppContext, ann: Player) -> None:
    for game, name in (("kilim", "Carpets"), ("kilim", ""), ("marrakech", "Rugs")):
        create_game(hosted, ann, NewGameRequest(game, name, [SeatRequest()], {}, None))
    page = Browser(hosted, HOST).get("/host")
    assert "Kilim: 2 · Marrakech: 1" in page
    assert ">Carpets</a></th><td>Kilim</td><td>waiting</td>" in page
    assert ">Kilim with ann</a></th><td>Kilim</td>" in page
    assert ">Rugs</a></th><td>Marrakech</td>" in page


def test_letters_that_spam_filters_reject_are_pointed_out(hosted: AppContext, parked: int) -> None:
    browser, told = Browser(hosted, HOST), "One e-mail was rejected as spam or by a full mailbox."
    assert told not in browser.get("/host")
    Letter.update(rejections=6).execute(hosted.database)
    assert told in browser.get("/host")


def test_an_empty_server_has_a_page_too(hosted: AppContext) -> None:
    page = Browser(hosted, HOST).get("/host")
    assert "Nothing is stuck." in page
    assert "There are no games yet." in page


@pytest.mark.parametrize(("do", "status"), [("retry", letters.WAITING), ("drop", letters.DROPPED)])
def test_the_host_sends_a_letter_again_or_drops_it(hosted: AppContext, parked: int, do: str, status: str) -> None:
    Browser(hosted, HOST).post(f"/host/letters/{parked}", on="/host", do=do)
    assert Letter.select(Letter.status).scalar(hosted.database) == status


@pytest.mark.parametrize(("letter", "do"), [(99, "retry"), (99, "drop"), (2**40, "retry"), (2**40, "drop"), (1, "eat")])
def test_missing_letters_and_unknown_actions_are_refused(hosted: AppContext, parked: int, letter: int, do: str) -> None:
    Browser(hosted, HOST).post(f"/host/letters/{letter}", 404, on="/host", do=do)


def test_only_hosts_decide_about_letters(hosted: AppContext, parked: int) -> None:
    Browser(hosted).post(f"/host/letters/{parked}", 401, do="drop")
    Browser(hosted, HOST).post(f"/host/letters/{parked}", 403, do="drop", form="0" * 32)
    Browser(hosted, "ann@example.org").post(f"/host/letters/{parked}", 404, on="/", do="drop")
    assert Letter.select(Letter.status).scalar(hosted.database) == letters.PARKED


def test_the_french_page_has_no_untranslated_status(hosted: AppContext, parked: int, ann: Player) -> None:
    refused = f"We can't use the mail server 127.0.0.1:25: {letter_texts.NO_ANSWER}"
    Letter.update(trouble=refused).execute(hosted.database)
    Game.update(name="", status="finished").execute(hosted.database)
    delete_player(hosted, ann.id)
    Browser(hosted, HOST).get("/host")
    Player.update(language="fr").where(Player.email == HOST).execute(hosted.database)
    page = Browser(hosted, HOST).get("/host").replace("\xa0", " ")
    for words in (
        "mise de côté</span> invitation</th>",
        "mise de côté : 1",
        "Le serveur de courrier 127.0.0.1:25 est inutilisable : il n\u2019a pas répondu à temps",
        ">Marrakech avec un ancien joueur</a>",
        "<td>Un ancien joueur</td>",
        "Ce joueur est parti et ne reçoit plus d\u2019e-mails.",
    ):
        assert words in page
    assert "former player" not in page


def test_every_kind_of_letter_has_a_name_of_its_own_in_french() -> None:
    say = translations_for("fr").gettext
    assert len({letter_kind_name(kind, say) for kind in KINDS}) == len(KINDS)
    assert {kind for kind in KINDS if letter_kind_name(kind, str) == kind} <= {"invitation", "reminder"}


@pytest.mark.parametrize(
    ("noted", "said"),
    [
        ("550 5.1.1 no such user", "550 5.1.1 no such user"),
        (letter_texts.CAME_BACK, "L\u2019e-mail est revenu."),
        ("An earlier e-mail to this address was refused: 550 no (such) user: \n%s",
         "Un e-mail précédent à cette adresse a été refusé : 550 no (such) user: \n%s"),
        ("An earlier e-mail to this address was refused: The e-mail came back.",
         "Un e-mail précédent à cette adresse a été refusé : L\u2019e-mail est revenu."),
        ("The mail server rugs:465 closed the connection: its certificate isn't valid (it has expired)",
         "Le serveur de courrier rugs:465 a rompu la liaison : son certificat n\u2019est pas valable (it has expired)"),
        ("This server couldn't write the e-mail (KeyError). Its log has the details.",
         "Ce serveur n\u2019a pas pu écrire l\u2019e-mail (KeyError). Son journal donne les détails."),
        ("", ""),
    ],
)  # fmt: skip
def test_our_own_delivery_errors_are_translated_to_french(noted: str, said: str) -> None:
    assert translate_delivery_error(noted, translations_for("fr").gettext).replace("\xa0", " ") == said
    assert translate_delivery_error(noted, str) == noted
