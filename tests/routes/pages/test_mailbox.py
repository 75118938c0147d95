"""The mailbox shows every letter with its links to this machine, and to nobody else."""

import re
from base64 import b64decode
from contextlib import closing
from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from service.auth.login import create_login_code, log_in_with_link
from service.context import AppContext
from service.db.models import Game
from service.mail.delivery import MOST_FILES, Delivery, MailboxFolder
from service.routes.pages.mailbox import ON_A_PAGE, mailbox_allowed, mailbox_path
from tests.mail.tables import ANN, HOSTILE, letters, played, rename, started, table
from tests.support.apps import app_for

LETTER = re.compile(r'href="/mailbox/\w+/(\d+)"')


def deliver(ctx: AppContext) -> None:
    """What a worker does when letters are due."""
    with closing(Delivery(ctx)) as delivery:
        while delivery.deliver():
            pass


@pytest.fixture
def client(ctx: AppContext) -> FlaskClient:
    return app_for(ctx, mailbox=True).test_client()


@pytest.fixture
def mailbox(ctx: AppContext) -> str:
    return mailbox_path(ctx.settings)


def test_it_exists_only_without_smtp_and_for_this_machine(ctx: AppContext) -> None:
    assert all(mailbox_allowed(ctx.settings, host) for host in ("127.0.0.1", "::1", "localhost", "127.1.2.3"))
    assert not any(mailbox_allowed(ctx.settings, host) for host in ("0.0.0.0", "::", "", "192.168.1.5", "host"))  # noqa: S104
    for change in (
        {"smtp_url": "smtp://mail.example.org"},
        {"base_url": "https://marrakech.example.org"},
        {"base_url": "http://192.168.1.5:8000"},
        {"proxies": 1},
    ):
        assert not mailbox_allowed(replace(ctx.settings, **change), "127.0.0.1"), change


@pytest.mark.parametrize("page", ["", "/1", "/1/html"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8000"},
        {"Host": "127.0.0.1.evil.example"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"X-Forwarded-Proto": "https"},
        {"x-forwarded-server": "evil.example"},
        {"X-Real-IP": "203.0.113.7"},
        {"Via": "1.1 proxy"},
        {"CF-Connecting-IP": "203.0.113.7"},
        {"True-Client-IP": "203.0.113.7"},
    ],
)
def test_a_name_that_leads_here_or_a_proxy_sees_nothing(
    ctx: AppContext, client: FlaskClient, mailbox: str, page: str, headers: dict[str, str]
) -> None:
    create_login_code(ctx, ANN)
    deliver(ctx)
    answer = client.get(mailbox + page, headers=headers)
    assert answer.status_code == 404
    assert ANN not in answer.text
    for other in ("/", "/login"):
        assert "/mailbox" not in client.get(other, headers=headers).text


def test_nginx_without_any_header_sees_nothing(client: FlaskClient, mailbox: str) -> None:
    """By default nginx asks with HTTP/1.0 and the upstream's own name, and adds no header."""
    environ = {"SERVER_PROTOCOL": "HTTP/1.0"}
    assert client.get(mailbox, environ_overrides=environ).status_code == 404
    assert "/mailbox" not in client.get("/login", environ_overrides=environ).text


def test_another_machine_sees_nothing(client: FlaskClient, mailbox: str) -> None:
    assert client.get(mailbox, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 404


@pytest.mark.parametrize("path", ["/mailbox", "/mailbox/", "/mailbox/1", "/mailbox/x", "/mailbox/ä", "/mailbox/1/html"])
def test_without_the_key_there_is_nothing(ctx: AppContext, client: FlaskClient, path: str) -> None:
    create_login_code(ctx, ANN)
    deliver(ctx)
    answer = client.get(path)
    assert answer.status_code == 404
    assert ANN not in answer.text


def test_the_sign_in_page_links_to_it(client: FlaskClient, mailbox: str) -> None:
    assert f'href="{mailbox}"' in client.get("/login").text
    assert f'href="{mailbox}"' in client.post("/login", data={"email": ANN}).text


def test_its_key_depends_on_the_secret_and_survives_a_key_rotation(ctx: AppContext, mailbox: str) -> None:
    keys = ctx.settings.secret_keys
    assert mailbox_path(replace(ctx.settings, secret_keys=("another key, quite long",))) != mailbox
    assert mailbox_path(replace(ctx.settings, secret_keys=("a newer key, quite long", *keys))) == mailbox
    assert re.fullmatch(r"/mailbox/[0-9a-f]{32}", mailbox)


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]", "[::1]:8000"])
def test_this_machine_by_any_of_its_names_sees_it(client: FlaskClient, mailbox: str, host: str) -> None:
    assert client.get(mailbox, headers={"Host": host}).status_code == 200


def test_an_empty_mailbox_says_so(client: FlaskClient, mailbox: str) -> None:
    assert "There are no e-mails yet." in client.get(mailbox).text
    assert client.get(f"{mailbox}/1").status_code == 404
    assert client.get(f"{mailbox}/{2**70}").status_code == 404


def test_a_letter_is_shown_with_links_that_can_be_clicked(ctx: AppContext, client: FlaskClient, mailbox: str) -> None:
    create_login_code(ctx, ANN)
    deliver(ctx)
    (letter,) = letters(ctx)
    for page in (mailbox, f"{mailbox}/{letter.id}"):
        shown = client.get(page).text
        assert ANN in shown
        assert "Your sign-in code for Marrakech by Mail" in shown
        assert "Mon, 21 Sept 2026, 14:13 UTC" in shown
        (link,) = re.findall(r'<a href="http://127\.0\.0\.1:8000(/login/[^"]+)"', shown)
    assert log_in_with_link(ctx, link.rpartition("/")[2]).email == ANN


def test_letters_come_newest_first_and_older_ones_on_the_next_page(
    ctx: AppContext, client: FlaskClient, mailbox: str
) -> None:
    for number in range(ON_A_PAGE + 5):
        create_login_code(ctx, f"player{number}@example.org")
    deliver(ctx)
    newest_first = [letter.id for letter in reversed(letters(ctx))]
    first = client.get(mailbox).text
    (older,) = re.findall(rf'href="({mailbox}\?before=\d+)" rel="next"', first)
    second = client.get(older).text
    assert [int(letter) for letter in LETTER.findall(first)] == newest_first[:ON_A_PAGE]
    assert [int(letter) for letter in LETTER.findall(second)] == newest_first[ON_A_PAGE:]
    assert 'rel="next"' not in second


@pytest.mark.parametrize("before", ["x", "", str(2**70), "-1", "0"])
def test_a_wrong_page_does_no_harm(ctx: AppContext, client: FlaskClient, mailbox: str, before: str) -> None:
    create_login_code(ctx, ANN)
    deliver(ctx)
    assert client.get(mailbox, query_string={"before": before}).status_code == 200


def test_the_page_works_under_a_strict_policy(ctx: AppContext, client: FlaskClient, mailbox: str) -> None:
    started(ctx, first=0)
    deliver(ctx)
    answer = client.get(mailbox)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r'<script(?! src="/static/)|<style|\sstyle=|\son\w+=', answer.text)
    (sheet,) = re.findall(r'rel="stylesheet" href="(/static/[^"]+)"', answer.text)
    with client.get(sheet) as served:
        assert served.mimetype == "text/css"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_escaped_and_make_no_links(
    ctx: AppContext, client: FlaskClient, mailbox: str, name: str
) -> None:
    game = table(ctx)
    rename(ctx, game, 0, name)
    Game.update(name=name.replace("\x00", "")[:80]).where(Game.id == game.id).execute(ctx.database)
    deliver(ctx)
    shown = client.get(mailbox).text
    assert "<script>" not in shown
    assert "<b>" not in shown
    letter = shown.partition("<main>")[2].partition("</main>")[0]
    links = [unescape(link) for link in re.findall(r'<a href="([^"]+)"', letter)]
    seat = f"{ctx.settings.base_url}/s/{ctx.tokens.seat(game.id, 1, 0)}"
    own = [link for link in links if not link.startswith("/mailbox")]
    assert own[:2] == [f"{seat}?do=accept", f"{seat}?do=decline"]
    assert all(link.startswith(f"{ctx.settings.base_url}/") for link in own)
    assert {link.removeprefix(ctx.settings.base_url).split("/")[1] for link in own[2:]} == {"rules", "me", "u"}


def test_looking_changes_nothing(ctx: AppContext, client: FlaskClient, mailbox: str) -> None:
    started(ctx)
    deliver(ctx)
    before = [letter.__data__ for letter in letters(ctx)]
    client.get(mailbox)
    client.get(f"{mailbox}/{before[0]['id']}")
    assert [letter.__data__ for letter in letters(ctx)] == before


def test_the_html_of_a_letter_is_shown_in_a_frame_that_can_do_nothing(
    ctx: AppContext, client: FlaskClient, mailbox: str
) -> None:
    started(ctx, first=0)
    deliver(ctx)
    letter = letters(ctx, "turn")[-1]
    for page in (mailbox, f"{mailbox}/{letter.id}"):
        answer = client.get(page)
        assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]
        frame = re.search(rf'<iframe src="({mailbox}/{letter.id}/html)" sandbox="([^"]*)"', answer.text)
        assert frame
        assert frame[2] == "allow-top-navigation-by-user-activation"
    shown = client.get(f"{mailbox}/{letter.id}/html")
    policy = shown.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert "frame-ancestors 'self'" in policy
    assert "sandbox allow-top-navigation-by-user-activation" in policy
    assert "script" not in policy
    assert shown.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert shown.headers["Cache-Control"] == "no-store"
    assert '<base target="_top">' in shown.text
    assert "cid:" not in shown.text
    (picture,) = re.findall(r'src="data:image/png;base64,([^"]+)"', shown.text)
    assert b64decode(picture).startswith(b"\x89PNG")


def test_a_letter_whose_turn_is_over_is_still_shown_as_it_was_sent(
    ctx: AppContext, client: FlaskClient, mailbox: str
) -> None:
    game = started(ctx, first=0)
    deliver(ctx)
    first = letters(ctx, "turn")[0]
    before = client.get(f"{mailbox}/{first.id}").text, client.get(f"{mailbox}/{first.id}/html").text
    assert played(ctx, game, turns=3).turn > 3
    assert "It&#39;s your turn in" in before[0]
    assert (client.get(f"{mailbox}/{first.id}").text, client.get(f"{mailbox}/{first.id}/html").text) == before


def test_the_files_are_for_their_owner_only_and_the_newest_are_kept(ctx: AppContext, client: FlaskClient) -> None:
    folder, message = MailboxFolder(ctx.settings.data_dir), b"To: a@example.org\r\nSubject: %d\r\n\r\nHello\r\n"
    for number in range(MOST_FILES + 3):
        folder.write(number, message % number, float(number))
    folder.write(100, message % 100, 1000.0)
    files = sorted((ctx.settings.data_dir / "mailbox").iterdir())
    assert len(files) == MOST_FILES
    assert [file.name for file in files][:1] + [file.name for file in files][-1:] == [
        "00000000003000-0000000003.eml",
        "00000001000000-0000000100.eml",
    ]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert files[0].parent.stat().st_mode & 0o777 == 0o700


def test_there_is_no_html_of_a_letter_that_does_not_exist(client: FlaskClient, mailbox: str) -> None:
    assert client.get(f"{mailbox}/999/html").status_code == 404
