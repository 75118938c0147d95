"""Whole games by mail alone: letters arrive at a real mail server, and what is in them is all that the players have."""

import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from service.auth.login import find_or_create_player
from service.context import AppContext
from service.games.analysis import compute_next
from service.games.lobby import SeatRequest, create_game
from service.games.store import StoredGame, load
from service.games.views import visible_record
from service.mail.delivery import Delivery
from service.mail.inbound.handler import receive
from tests.mail.html_reading import Read
from tests.mail.smtp_server import Received, SmtpServer
from tests.mail.tables import ANN, BO
from tests.support.apps import app_for
from tests.support.tables import database_contents, new_game, snapshot_matches

MOST_LETTERS = 300


@pytest.fixture
def house(ctx: AppContext, server: SmtpServer) -> AppContext:
    """A server that sends its letters and takes replies to them."""
    return ctx._replace(
        settings=replace(ctx.settings, smtp_url=server.url, inbound_domain="reply.example.org", rate_limits=False)
    )


@pytest.fixture
def game(house: AppContext) -> StoredGame:
    """A table of Ann's to which Bo is invited."""
    return create_game(house, find_or_create_player(house, ANN), new_game(SeatRequest(email=BO)))


class Forms(HTMLParser):
    """The fields of the forms on a page, as a browser without scripts would send them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hidden: dict[str, str] = {}
        self.choices: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = str(given.get("name")), str(given.get("value"))
        if tag == "input" and given.get("type") == "hidden":
            self.hidden[name] = value
        if name == "do" and (tag == "button" or given.get("type") == "radio"):
            self.choices.append(value)


def text_of(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    assert body
    text: str = body.get_content().replace("\r\n", "\n")
    return text


def html_of(letter: EmailMessage) -> str:
    body = letter.get_body(("html",))
    assert body
    html: str = body.get_content().replace("\r\n", "\n")
    return html


def links_in(house: AppContext, letter: EmailMessage) -> list[str]:
    """Every link that a reader could click, in either part, as a path on the server."""
    base = house.settings.base_url
    plain = re.findall(rf"^{re.escape(base)}(/\S*)$", text_of(letter), re.MULTILINE)
    rich = [link.removeprefix(base) for link, _ in Read(html_of(letter)).links]
    header = re.findall(rf"<{re.escape(base)}(/[^>]*)>", str(letter["List-Unsubscribe"] or ""))
    return [*plain, *rich, *header]


@pytest.fixture
def delivery(house: AppContext) -> Iterator[Delivery]:
    opened = Delivery(house)
    yield opened
    opened.close()


def post_round(delivery: Delivery, server: SmtpServer, read: int) -> list[Received]:
    """Have what is due sent, and give what has arrived since."""
    while delivery.deliver():
        pass
    assert len(server.letters) < MOST_LETTERS
    return server.letters[read:]


def click(client: FlaskClient, link: str) -> None:
    """Open a link and press what it has chosen or the first choice there is, until the page asks for nothing more."""
    wanted = link.partition("?do=")[2]
    for _ in range(3):
        forms = Forms(client.get(link).text)
        playing = [choice for choice in forms.choices if re.fullmatch(r"accept|left|ahead|right|\w\d-\w\d", choice)]
        if not playing:
            return
        choice = wanted if wanted in playing else playing[0]
        done = client.post(link.partition("?")[0], data={**forms.hidden, "do": choice})
        assert done.status_code == 303, done.text


@pytest.mark.databases("sqlite", soak=("sqlite", "postgresql"))
def test_a_whole_game_by_links_alone_and_opening_every_link_twice_changes_nothing(
    house: AppContext, server: SmtpServer, delivery: Delivery, game: StoredGame
) -> None:
    client, read = app_for(house).test_client(), 0
    while load(house.database, game.id).status != "finished":
        fresh = post_round(delivery, server, read)
        assert fresh, "the game goes on, and nobody got a letter"
        read += len(fresh)
        for letter in fresh:
            choices = [link for link in links_in(house, letter.message) if "?do=" in link]
            if choices:
                click(client, choices[-1] if "decline" not in choices[-1] else choices[0])
    assert snapshot_matches(house, game.id)
    record = visible_record(house, load(house.database, game.id))
    assert record.heading.seed is not None
    assert compute_next(house)
    assert len(post_round(delivery, server, read)) == 2
    before = database_contents(house)
    links = {link for letter in server.letters for link in links_in(house, letter.message)}
    assert len(links) > 50
    for link in sorted(links) * 2:
        assert client.get(link).status_code == (303 if link == "/me" else 200), link  # which asks to sign in first
    for link in links_in(house, server.letters[-1].message):
        assert client.head(link).status_code == (303 if link == "/me" else 200), link
    assert database_contents(house) == before


def reply_to(letter: Received, words: str) -> bytes:
    """An answer as a mail program writes it, from whatever address, with the letter quoted below."""
    sent = letter.message
    answer = EmailMessage()
    answer["From"] = "somebody@elsewhere.example"
    answer["To"] = str(sent["Reply-To"])
    answer["Subject"] = f"Re: {sent['Subject']}"
    answer["Message-ID"] = f"<{len(letter.raw)}.{sent['Message-ID'].strip('<>')}.{words}>"
    answer["In-Reply-To"] = str(sent["Message-ID"])
    quoted = "\n".join(f"> {line}" for line in text_of(sent).splitlines())
    answer.set_content(f"{words}\n\nOn Monday, Marrakech wrote:\n{quoted}\n")
    return answer.as_bytes()


@pytest.mark.databases("sqlite", soak=("sqlite", "postgresql"))
def test_a_whole_game_by_answering_the_letters_that_arrive(
    house: AppContext, server: SmtpServer, delivery: Delivery, game: StoredGame
) -> None:
    read = 0
    while load(house.database, game.id).status != "finished":
        fresh = post_round(delivery, server, read)
        assert fresh, "the game goes on, and nobody got a letter"
        read += len(fresh)
        for letter in fresh:
            text = text_of(letter.message)
            if "?do=accept" in text:
                words = "accept"
            elif "?do=left" in text:
                words = "left"
            elif "#1" in text:
                words = "1"
            else:
                continue
            receive(house, reply_to(letter, words))
    assert snapshot_matches(house, game.id)
    assert compute_next(house)
    over = post_round(delivery, server, read)
    assert sorted(letter.address for letter in over) == [ANN, BO]
    assert all(f"/g/{game.id}/over#dice\n" in text_of(letter.message) for letter in over)
