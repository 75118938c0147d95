"""The host's page: for those named in the settings, with every letter that is stuck and why."""

from dataclasses import replace

import pytest

from service.lobby import Chair, create
from service.mail import outbox
from service.models import Letter, Player
from service.office import Office
from tests.service.browsers import Browser
from tests.service.tables import wish

HOST = "host@example.org"


@pytest.fixture
def hosted(office: Office) -> Office:
    return office._replace(settings=replace(office.settings, hosts=(HOST,)))


@pytest.fixture
def parked(hosted: Office, ann: Player) -> int:
    """A letter that a mail server has refused for good."""
    create(hosted, ann, wish(Chair("bo@example.org"), name="<i>Friday</i>"))
    said = {"status": outbox.PARKED, "trouble": "550 <script>no such user</script>", "tries": 3}
    Letter.update(**said).execute(hosted.database)
    letter: int = Letter.select(Letter.id).scalar(hosted.database)
    return letter


def test_only_the_host_sees_it(office: Office, hosted: Office) -> None:
    Browser(hosted, "ann@example.org").get("/host", 404)
    asked = Browser(hosted).client.get("/host")
    assert (asked.status_code, asked.location) == (303, "/login?next=/host")
    Browser(office).get("/host", 404)  # where nobody is named there is no such page
    Browser(office, HOST).get("/host", 404)
    assert 'href="/host"' in Browser(hosted, HOST).get("/")
    assert 'href="/host"' not in Browser(hosted, "ann@example.org").get("/")


def test_it_shows_what_is_stuck_with_the_mail_servers_words_as_text(hosted: Office, parked: int) -> None:
    page = Browser(hosted, HOST).get("/host")
    assert "550 &lt;script&gt;no such user&lt;/script&gt;" in page
    assert "bo@example.org" in page
    assert "&lt;i&gt;Friday&lt;/i&gt;" in page
    assert "parked: 1" in page
    assert "marrakech-by-mail" in page


def test_an_empty_server_has_a_page_too(hosted: Office) -> None:
    page = Browser(hosted, HOST).get("/host")
    assert "Nothing is stuck." in page
    assert "There are no tables yet." in page


@pytest.mark.parametrize(("do", "status"), [("retry", outbox.WAITING), ("drop", outbox.DROPPED)])
def test_the_host_sends_a_letter_again_or_drops_it(hosted: Office, parked: int, do: str, status: str) -> None:
    Browser(hosted, HOST).post(f"/host/letters/{parked}", on="/host", do=do)
    assert Letter.select(Letter.status).scalar(hosted.database) == status


@pytest.mark.parametrize(("letter", "do"), [(99, "retry"), (99, "drop"), (2**40, "retry"), (2**40, "drop"), (1, "eat")])
def test_what_is_not_there_or_not_known_is_refused(hosted: Office, parked: int, letter: int, do: str) -> None:
    Browser(hosted, HOST).post(f"/host/letters/{letter}", 404, on="/host", do=do)


def test_nobody_else_decides_about_letters(hosted: Office, parked: int) -> None:
    Browser(hosted).post(f"/host/letters/{parked}", 401, do="drop")
    Browser(hosted, HOST).post(f"/host/letters/{parked}", 403, do="drop", form="0" * 32)
    Browser(hosted, "ann@example.org").post(f"/host/letters/{parked}", 404, on="/", do="drop")
    assert Letter.select(Letter.status).scalar(hosted.database) == outbox.PARKED
