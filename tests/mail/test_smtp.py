"""The conversation with a mail server: what it refuses, and how; lines that break; certificates and passwords."""

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.mail import smtp
from service.mail.smtp import IDLE_SECONDS, LETTERS_PER_CONNECTION, NoConnection, Refused, SmtpClient, server_at
from tests.mail.smtp_server import DROP, HANG, SmtpServer, only
from tests.support.servers import free_port

SENDER, BO, CY = "marrakech@example.org", "bo@example.org", "cy@example.org"
LETTER = b"Subject: Hello\r\nMessage-ID: <1@example.org>\r\n\r\n.\r\n..two dots\r\nbye\r\n"


@pytest.fixture
def post() -> Iterator[SmtpServer]:
    with SmtpServer() as server:
        yield server


@pytest.fixture
def client(post: SmtpServer) -> Iterator[SmtpClient]:
    with_a_name = SmtpClient(post.url, "games.example.org")
    yield with_a_name
    with_a_name.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "TIMEOUT", 0.3)


def test_a_letter_arrives_as_it_was_handed_over(post: SmtpServer, client: SmtpClient) -> None:
    assert client.send(SENDER, BO, LETTER)
    (received,) = post.letters
    assert (received.sender, received.address, received.raw) == (SENDER, BO, LETTER)
    assert post.names == {"games.example.org"}


def test_one_line_is_kept_over_many_letters_but_not_for_ever(post: SmtpServer, client: SmtpClient) -> None:
    for _ in range(LETTERS_PER_CONNECTION):
        client.send(SENDER, BO, LETTER)
    assert post.lines == 1
    client.send(SENDER, BO, LETTER)
    assert (post.lines, len(post.letters)) == (2, LETTERS_PER_CONNECTION + 1)


def test_a_line_on_which_nothing_is_said_is_closed(post: SmtpServer) -> None:
    now = [0.0]
    client = SmtpClient(post.url, "localhost", clock=lambda: now[0])
    client.send(SENDER, BO, LETTER)
    now[0] = IDLE_SECONDS - 1
    client.close_if_idle()
    client.send(SENDER, BO, LETTER)
    assert post.lines == 1
    now[0] += IDLE_SECONDS
    client.close_if_idle()
    client.send(SENDER, BO, LETTER)
    assert post.lines == 2
    client.close()


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA", "END"])
@pytest.mark.parametrize(("answer", "temporary"), [("451 4.7.1 come back later", True), ("550 5.7.1 never", False)])
def test_a_refusal_is_told_with_the_servers_words_and_the_line_goes_on(
    post: SmtpServer, client: SmtpClient, stage: str, answer: str, temporary: bool
) -> None:
    post.refuse(stage, answer)
    with pytest.raises(Refused, match=f"^{answer}$") as refusal:
        client.send(SENDER, BO, LETTER)
    assert refusal.value.temporary is temporary
    assert refusal.value.about_recipient is (stage != "MAIL")
    assert post.letters == []
    assert client.send(SENDER, CY, LETTER)
    assert ([letter.address for letter in post.letters], post.lines) == ([CY], 1)


def test_words_on_many_lines_become_one(post: SmtpServer, client: SmtpClient) -> None:
    post.refuse("RCPT", "550-5.1.1 The account\r\n550-\x1b[31m does not\r\n550 exist " + "x" * 900)
    with pytest.raises(Refused) as refusal:
        client.send(SENDER, BO, LETTER)
    assert str(refusal.value).startswith("550 5.1.1 The account [31m does not exist xxx")
    assert len(str(refusal.value)) == 500


@pytest.mark.parametrize("answer", ["421 4.3.2 closing", DROP])
@pytest.mark.parametrize("stage", ["MAIL", "RCPT"])
def test_a_server_that_is_tired_of_a_kept_line_gets_the_letter_on_a_new_one(
    post: SmtpServer, client: SmtpClient, stage: str, answer: str
) -> None:
    client.send(SENDER, BO, LETTER)
    post.refuse(stage, answer)
    assert client.send(SENDER, CY, LETTER)
    assert ([letter.address for letter in post.letters], post.lines) == ([BO, CY], 2)


def test_a_line_that_was_cut_between_two_letters_is_made_anew(post: SmtpServer, client: SmtpClient) -> None:
    client.send(SENDER, BO, LETTER)
    post.hang_up()
    client.send(SENDER, CY, LETTER)
    assert ([letter.address for letter in post.letters], post.lines) == ([BO, CY], 2)


@pytest.mark.parametrize("answer", ["421 4.3.2 closing", "554 not you", "420 not now", DROP, "hello"])
def test_a_server_that_wants_nothing_from_us_is_no_letters_fault(
    post: SmtpServer, client: SmtpClient, answer: str
) -> None:
    post.refuse("connect", answer)
    with pytest.raises(NoConnection):
        client.send(SENDER, BO, LETTER)
    assert client.send(SENDER, BO, LETTER)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("stage", ["connect", "MAIL", "RCPT"])
def test_a_server_that_hangs_is_given_up(post: SmtpServer, client: SmtpClient, stage: str) -> None:
    post.refuse(stage, HANG)
    with pytest.raises(NoConnection):
        client.send(SENDER, BO, LETTER)
    assert client.send(SENDER, BO, LETTER)
    assert len(post.letters) == 1


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("answer", [HANG, DROP, "421 4.3.2 closing"])
def test_a_line_that_breaks_in_the_middle_of_a_letter_puts_off_this_letter_only(
    post: SmtpServer, client: SmtpClient, answer: str
) -> None:
    client.send(SENDER, CY, LETTER)
    post.refuse("DATA", answer)
    with pytest.raises(Refused) as refusal:
        client.send(SENDER, BO, LETTER + b"x" * 100_000)
    assert refusal.value.temporary
    assert not refusal.value.about_recipient
    client.send(SENDER, CY, LETTER)
    assert ([letter.address for letter in post.letters], post.lines) == ([CY, CY], 2)


def test_a_server_that_is_away_can_come_back(client: SmtpClient, post: SmtpServer) -> None:
    client.send(SENDER, BO, LETTER)
    post.close()
    with pytest.raises(NoConnection, match="Connection refused"):
        client.send(SENDER, BO, LETTER)
    with SmtpServer(port=post.port) as again:
        assert client.send(SENDER, CY, LETTER)
        assert [letter.address for letter in again.letters] == [CY]
        client.close()


def test_a_host_that_nobody_knows_is_said_so() -> None:
    client = SmtpClient("smtp://no-such-host.invalid:25", "localhost")
    with pytest.raises(NoConnection, match=r"^We can't use the mail server no-such-host\.invalid:25: "):
        client.check()


def test_a_letter_that_is_no_longer_wanted_at_the_last_moment_is_not_handed_over(
    post: SmtpServer, client: SmtpClient
) -> None:
    assert not client.send(SENDER, BO, LETTER, lambda: False)
    assert client.send(SENDER, CY, LETTER)
    assert ([letter.address for letter in post.letters], post.lines) == ([CY], 1)


def test_the_parts_of_the_url_are_read_with_their_codes() -> None:
    assert server_at("smtp+starttls://ann%40example.org:open%2Fsesame@mail.example.org") == (
        "smtp+starttls",
        "mail.example.org",
        587,
        "ann@example.org",
        "open/sesame",
    )
    assert [server_at(f"{scheme}://h").port for scheme in ("smtp", "smtps")] == [25, 465]
    assert server_at("smtp://[::1]:2525").host == "::1"


class Certified:
    """A certificate for 127.0.0.1 that nobody has vouched for."""

    def __init__(self, folder: Path) -> None:
        self.file, key = folder / "certificate.pem", folder / "key.pem"
        words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
        subprocess.run(
            ["openssl", *words.split(), "-keyout", key, "-out", self.file], check=True, capture_output=True, timeout=60
        )
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(self.file, key)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return Certified(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trusted(certified: Certified, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine trusts the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certified.file))


def way_in(scheme: str, certified: Certified) -> dict[str, Any]:
    """How a server is set up for a scheme."""
    return {"tls": certified.context} if scheme == "smtps" else {"tls_context": certified.context}


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_with_a_good_certificate_the_letter_is_encrypted_on_its_way(certified: Certified, scheme: str) -> None:
    with SmtpServer(**way_in(scheme, certified)) as post:
        client = SmtpClient(f"{scheme}://127.0.0.1:{post.port}", "localhost")
        client.send(SENDER, BO, LETTER)
        client.close()
        assert [letter.encrypted for letter in post.letters] == [True]


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_a_certificate_that_nobody_vouches_for_is_refused(certified: Certified, scheme: str) -> None:
    with SmtpServer(**way_in(scheme, certified)) as post:
        with pytest.raises(NoConnection, match="its certificate isn't valid"):
            SmtpClient(f"{scheme}://127.0.0.1:{post.port}", "localhost").send(SENDER, BO, LETTER)
        assert post.letters == []


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
def test_a_certificate_of_another_host_is_refused(certified: Certified, scheme: str) -> None:
    with SmtpServer(**way_in(scheme, certified)) as post:
        with pytest.raises(NoConnection, match=r"its certificate isn't valid \(Hostname mismatch"):
            SmtpClient(f"{scheme}://localhost:{post.port}", "localhost").send(SENDER, BO, LETTER)
        assert post.letters == []


def test_where_the_server_has_no_starttls_nothing_is_sent_in_the_clear(post: SmtpServer) -> None:
    client = SmtpClient(f"smtp+starttls://ann:sesame@127.0.0.1:{post.port}", "localhost")
    with pytest.raises(NoConnection, match="STARTTLS"):
        client.send(SENDER, BO, LETTER)
    assert post.letters == []


@pytest.mark.usefixtures("trusted")
def test_who_has_a_password_shows_it_and_a_wrong_one_is_said_without_saying_it(certified: Certified) -> None:
    guarded: dict[str, Any] = {
        "tls_context": certified.context,
        "authenticator": only("ann", "open/sesame"),
        "auth_required": True,
    }
    with SmtpServer(**guarded) as post:
        right = SmtpClient(f"smtp+starttls://ann:open%2Fsesame@127.0.0.1:{post.port}", "localhost")
        right.send(SENDER, BO, LETTER)
        right.close()
        wrong = SmtpClient(f"smtp+starttls://ann:guess-it@127.0.0.1:{post.port}", "localhost")
        with pytest.raises(NoConnection, match="535") as refusal:
            wrong.check()
        assert "guess-it" not in str(refusal.value)
        odd = SmtpClient(f"smtp+starttls://ann:s%C3%A9same@127.0.0.1:{post.port}", "localhost")
        with pytest.raises(NoConnection, match="characters"):
            odd.check()
        nobody = SmtpClient(f"smtp+starttls://127.0.0.1:{post.port}", "localhost")
        with pytest.raises(Refused, match="530") as unknown:
            nobody.send(SENDER, BO, LETTER)
        assert not unknown.value.about_recipient
        nobody.close()
        assert len(post.letters) == 1


def test_a_check_needs_no_letter(post: SmtpServer, client: SmtpClient) -> None:
    client.check()
    assert (post.letters, post.lines) == ([], 1)
    with pytest.raises(NoConnection, match="Connection refused"):
        SmtpClient(f"smtp://127.0.0.1:{free_port()}", "localhost").check()
