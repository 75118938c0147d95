"""Every text goes through the catalogues: on pages, in drawings and in refusals there is no word that they do not have.

The reader has a language of marks, see `tests.support.marked_language`; what has no mark must be a number, a code,
or a name that somebody has given.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import requests
from flask import render_template_string

from service import errors, paths
from service.clocks.requests import give_time, pause
from service.context import AppContext
from service.db import database_errors, letter_texts, letters
from service.db.models import Letter, Player
from service.games.channels import EXAMPLES, WEB_HOOK
from service.games.lobby import SeatRequest, cancel, create_game
from service.games.play import act
from service.games.players import bump_link_version, delete_player
from service.games.store import StoredGame, entries, load
from service.mail.letters import KINDS, compose
from service.routes.current import SESSION_COOKIE
from service.routes.pages.mailbox import mailbox_path
from service.routes.pages.responses import problem_page
from service.ui.marrakech.figures import POSITIONS
from tests.browser.gallery import SHOTS, Shot, open_gallery
from tests.browser.scenes import Scene
from tests.support.apps import app_for
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.databases import fresh_database
from tests.support.marked_language import LANGUAGE, raw_in, raw_words, speaking_in_marks
from tests.support.sign_in import request_letter
from tests.support.tables import OPEN, join, new_game, play_one_action, play_to_end, start_game
from tests.support.timed import DAY, reload, start_timed_game, tick_at
from tests.test_errors import PROBLEMS

EVENING = {
    *("Amina", "Basim", "Chadia", "Driss", "Elif", "Farid", "Zahra"),
    *("Tea at Driss's", "Turning rugs", "Bazaar on Sunday", "Friday rugs", "Long winter evenings", "Two more seats"),
    *("Weaving by the fire", "A carpet for Driss", "Three days of weaving"),
    *("Never mind", "Lovely move. Who wants tea?", "Me! With mint, please."),
    "550 5.1.1 The mailbox is full of other rugs.",
}
"""What people have said and what they are called in the scene of the pictures."""
CAST = {"ann", "bo", "cy", "eve", "Souk", "Salma"}
PARTS = {"marrakech-by-mail", "flask", "peewee", "waitress", "Python", "SQLite", LANGUAGE, "en"}
"""The parts of the server, and the languages of players, as the host's page names them."""
SERVICES = {*EXAMPLES, *EXAMPLES.values(), WEB_HOOK, "matrix.org, ntfy.sh", "ROOM"}
GIVEN = {"Marrakech", "Kilim"} | EVENING | CAST | PARTS | SERVICES


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
def ctx(ctx: AppContext, ann: Player, bo: Player, cy: Player, eve: Player) -> AppContext:
    """A server with a host, whose players all read the marked language."""
    Player.update(language=LANGUAGE).execute(ctx.database)
    return ctx._replace(settings=replace(ctx.settings, hosts=("eve@example.org",)))


def reading(ctx: AppContext, name: str | None = None) -> Browser:
    """Somebody's browser, or a stranger's."""
    return Browser(ctx, name and f"{name}@example.org", LANGUAGE)


def raw(pages: Iterable[str], *given: str) -> list[str]:
    """The raw texts of all these pages."""
    return [text for page in pages for text in raw_in(page, GIVEN.union(given))]


def seat(ctx: AppContext, game: StoredGame, number: int) -> str:
    return f"/s/{ctx.tokens.seat(game.id, number, load(ctx.database, game.id).seats[number].link_version)}"


# The check itself


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>⟦Hello⟧</p>", []),
        ("<p>⟦Hello ⟧Ann⟦, it is ⟧⟦your⟧⟦ turn⟧ 3/6 d4</p>", ["⟦Hello ⟧Ann⟦, it is ⟧⟦your⟧⟦ turn⟧ 3/6 d4"]),
        ("<p>⟦Hello⟧</p><p>Hello</p>", ["Hello"]),
        ("<p>⟦Hello ⟧greedy⟦!⟧</p>", ["⟦Hello ⟧greedy⟦!⟧"]),
        ('<p>⟦Hello⟧</p><img alt="A board">', ["A board"]),
        ('<p>⟦Hello⟧</p><div data-say-gone="It is gone"></div>', ["It is gone"]),
        ('<p>⟦Hello⟧</p><button aria-label="Close"></button><input type="submit" value="Send">', ["Close", "Send"]),
        ("<p>⟦Hello⟧</p><svg><title>A board</title><text>Turn</text></svg>", ["A board", "Turn"]),
        ("<p>⟦Hello⟧</p><script>const name = 1</script><style>body{}</style>", []),
        ("<p>⟦Hello⟧</p><select id=language><option>Deutsch</select><option>Other</option>", ["Other"]),
    ],
)
def test_untranslated_text_is_found(html: str, found: list[str]) -> None:
    assert raw_in(html) == found
    assert raw_in(html, ["Ann"]) == [text for text in found if "Ann" not in text]


def test_all_of_an_english_page_is_found() -> None:
    with pytest.raises(AssertionError, match="Hello"):
        raw_in("<p>Hello</p>")


@pytest.mark.parametrize("text", ["<p>Raw words</p>", '{{ "Raw words" }}', '<p title="Raw words"></p>'])
def test_a_raw_text_in_a_template_is_found_on_its_page(ctx: AppContext, text: str) -> None:
    source = (paths.templates() / "pages" / "home.html").read_text()
    with app_for(ctx).test_request_context(headers={"Accept-Language": LANGUAGE}):
        assert raw_in(render_template_string(source), GIVEN) == []
        assert raw_in(render_template_string(source.replace("<main>", f"<main>{text}")), GIVEN) == ["Raw words"]


# Every page, as the pictures in the docs show it


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, language: None) -> Iterator[Scene]:
    """The scene of the screenshots, with its server running."""
    with open_gallery(tmp_path_factory.mktemp("gallery")) as opened:
        ctx = opened.server.ctx
        for message in paths.mailbox(ctx.settings.data_dir).iterdir():
            message.unlink()
        Player.update(language=LANGUAGE, time_zone="UTC").execute(ctx.database)
        Letter.delete().where(Letter.kind == "sign-in").execute(ctx.database)  # its reader is no player yet
        Letter.update(status="waiting").where(Letter.status == "kept").execute(ctx.database)
        opened.server.deliver()
        yield opened


def visited(scene: Scene, shot: Shot) -> requests.Response:
    """The page, as a plain HTTP client gets it."""
    ctx, cookies = scene.server.ctx, {}
    if shot.who:
        player = scene.server.player(shot.who)
        cookies[SESSION_COOKIE] = ctx.tokens.session(player.id, player.token_version, ctx.clock())
    Player.update(language=LANGUAGE, time_zone="UTC").execute(ctx.database)
    headers = {"Accept": "text/html", "Accept-Language": LANGUAGE}
    return requests.get(scene.server.address + shot.where(scene), headers=headers, cookies=cookies, timeout=30)


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_a_page_has_no_raw_text(scene: Scene, shot: Shot) -> None:
    assert raw_in(visited(scene, shot).text, GIVEN) == []


# What comes of forms, and pages in states that no picture shows


def test_pages_after_a_form_have_no_raw_text(ctx: AppContext, ann: Player) -> None:
    pages = [reading(ctx).post("/login", 200, email="new@example.org").text]
    for do in ("decline", "cancel"):
        game = create_game(ctx, ann, new_game(SeatRequest("bo@example.org"), OPEN))
        if do == "decline":
            pages.append(reading(ctx).post(seat(ctx, game, 1), 200, do=do).text)
        else:
            pages.append(reading(ctx).post(f"{seat(ctx, game, 0)}/{do}", 200).text)
    farewell = reading(ctx, "cy").post("/me/delete", on="/me", sure="yes")
    pages.append(reading(ctx).get(farewell.location))
    pages.append(reading(ctx, "ann").post("/me/test-letter", 200, on="/me").text)
    pages.append(reading(ctx, "ann").get("/me?done=saved"))
    unsubscribe = f"/u/{ctx.tokens.unsubscribe(ann.id, 'talk')}"
    pages += [reading(ctx).post(unsubscribe, 200, letters=letters).text for letters in ("", "none", "all")]
    assert raw(pages) == []


def test_default_names_are_translated(ctx: AppContext, ann: Player, bo: Player, cy: Player) -> None:
    game = create_game(
        ctx, ann, new_game(SeatRequest("bo@example.org"), OPEN, SeatRequest(bot="easy"), options={"first": 2})
    )
    invitation = f"/join/{ctx.tokens.invitation(game.id, 0)}"
    pages = [reading(ctx).get(way) for way in (seat(ctx, game, 0), seat(ctx, game, 1), invitation)]
    pages += [reading(ctx, name).get(way) for name, way in (("ann", "/"), ("cy", invitation), ("ann", invitation))]
    join(ctx, game.id, cy)
    game = join(ctx, game.id, bo)
    pages += [reading(ctx, name).get(invitation) for name in ("eve", "bo")]
    for _ in range(9):
        game = play_one_action(ctx, game).game
    pages += [reading(ctx).get(seat(ctx, game, number)) for number in range(3)]
    delete_player(ctx, ann.id, resign=True)
    delete_player(ctx, cy.id, resign=True)
    pages += [reading(ctx).get(seat(ctx, game, 1)), reading(ctx, "bo").get("/")]
    game = load(ctx.database, game.id)
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    Player.update(language=LANGUAGE).execute(ctx.database)  # so that the mailbox has nothing in English for nobody
    pages += [
        reading(ctx, "bo").get("/"),
        reading(ctx, "eve").get("/host"),
        reading(ctx).get(mailbox_path(ctx.settings)),
    ]
    pages += [reading(ctx).get(f"/g/{game.id}{rest}") for rest in ("", "/over")]
    kinds = [entry.event.type for entry in entries(ctx.database, game)]
    assert {"started", "faced", "rolled", "moved", "laid", "resigned", "finished"} <= set(kinds)
    pages += [reading(ctx).get(f"/g/{game.id}/replay?step={1 + kinds.index(kind)}") for kind in set(kinds)]
    assert raw(pages, game.id, "Bo") == []


def test_a_clock_in_every_state_has_no_raw_text(
    ctx: AppContext, ann: Player, bo: Player, cy: Player, clock: Clock
) -> None:
    asked, kept = (start_timed_game(ctx, ann, bo, cy, options={"first": 1}) for _ in range(2))
    waits = start_timed_game(ctx, ann, bo, cy, time_up="wait", options={"first": 1})
    paused = start_timed_game(ctx, ann, bo)
    give_time(ctx, asked.id, 2, 24)
    for game, number in ((asked, 2), (paused, 0), (paused, 1)):
        pause(ctx, game.id, number)
    pages = [*_seats(ctx, asked), *_seats(ctx, paused)]
    tick_at(ctx, clock, waits.deadline or 0)
    give_time(ctx, waits.id, 2, None)
    away = {"away_until": clock.now + 9 * DAY, "away_from": clock.now}
    Player.update(**away).where(Player.id == cy.id).execute(ctx.database)
    pages += _seats(ctx, waits)
    for _ in range(8):
        tick_at(ctx, clock, clock.now + 3 * DAY)
    assert any(each.played_by_stand_in for each in reload(ctx, kept).seats)
    pages += [*_seats(ctx, kept), reading(ctx, "ann").get("/")]
    assert raw(pages) == []


def _seats(ctx: AppContext, game: StoredGame) -> list[str]:
    return [reading(ctx).get(way) for way in (f"/g/{game.id}", *(seat(ctx, game, each) for each in range(2)))]


def test_the_hosts_page_translates_all_kinds_of_letters_and_errors(ctx: AppContext, ann: Player, bo: Player) -> None:
    ours = [value for name, value in vars(letter_texts).items() if name.isupper() and isinstance(value, str)]
    assert len(ours) > 10
    said = ["550 5.1.1 The mailbox is full of other rugs.", *(sentence % _Words() for sentence in ours)]
    for number, (kind, words) in enumerate([(kind, said[0]) for kind in KINDS] + [("turn", words) for words in said]):
        status = letters.STATUSES[number % len(letters.STATUSES)] if words == said[0] else letters.PARKED
        row = {"kind": kind, "address": "ann@example.org", "due": 1.0, "created": 1.0, "trouble": words}
        Letter.insert(about=f"{number}", status=status, **row).execute(ctx.database)
    Letter.insert(about="stuck", status=letters.WAITING, **row).execute(ctx.database)
    game = start_game(ctx, [ann, bo])
    cancel(ctx, create_game(ctx, ann, new_game(OPEN)).id, ann.id)
    play_to_end(ctx, game)
    Player.update(mail_trouble=letter_texts.CAME_BACK).where(Player.id == ann.id).execute(ctx.database)
    for name, page in (("eve", "/host"), ("ann", "/me")):
        assert raw_in(reading(ctx, name).get(page), GIVEN) == []
    answer = reading(ctx, "ann").post("/me/test-letter", 200, on="/me").text
    assert raw_in(answer, GIVEN) == []


class _Words(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return letter_texts.NO_ANSWER if name == "words" else "127.0.0.1:25"


# Refusals


@pytest.mark.parametrize(
    "problem",
    [
        *PROBLEMS,
        errors.NotFound(gone=True),
        errors.RateLimited(600),
        *(
            errors.Unavailable(words)
            for words in (database_errors.FULL, database_errors.READ_ONLY, database_errors.BUSY)
        ),
    ],
    ids=lambda problem: problem.detail[:40],
)
def test_the_page_of_a_problem_has_no_raw_text(ctx: AppContext, problem: errors.Problem) -> None:
    with app_for(ctx).test_request_context(headers={"Accept-Language": LANGUAGE}):
        assert raw_in(problem_page(problem).get_data(as_text=True), GIVEN) == []


NEW = {"kind2": "open", "variant": "standard", "pile": "shuffled", "pace": "", "time_up": "stand-in"}
ME = {"name": "ann", "language": "en", "time_zone": "UTC"}


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("/new", NEW | {"kind2": "nobody"}, 400),
        ("/new", NEW | {"kind2": "invited", "email2": "nobody"}, 400),
        (
            "/new",
            NEW | {"kind2": "invited", "email2": "bo@example.org", "kind3": "invited", "email3": "bo@example.org"},
            400,
        ),
        ("/new", NEW | {"kind2": "invited", "email2": "bo@example.com"}, 400),
        ("/new", NEW | {"name": "\u202esouk"}, 400),
        ("/new", NEW | {"pace": "7"}, 400),
        ("/new", NEW | {"variant": "upside-down"}, 400),
        ("/new", NEW | {"kind2": "clever"}, 400),
        ("/me", ME | {"name": "\u202esouk"}, 400),
        ("/me", ME | {"language": "xx"}, 400),
        ("/me", ME | {"time_zone": "Mars/North"}, 400),
        ("/me", ME | {"begins": "12:00"}, 400),
        ("/me", ME | {"begins": "08:00", "ends": "07:00"}, 400),
        ("/me", ME | {"days_off": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]}, 400),
        ("/me", ME | {"away": "2020-01-01"}, 400),
        ("/me", ME | {"away": "tomorrow"}, 400),
        ("/me/delete", {}, 400),
        ("/me/delete", {"sure": "yes"}, 403),
    ],
)
def test_errors_of_account_forms_have_no_raw_text(
    ctx: AppContext, ann: Player, bo: Player, path: str, fields: dict[str, object], status: int
) -> None:
    closed = ctx._replace(settings=replace(ctx.settings, allowed_emails=("*@example.org",)))
    start_game(closed, [ann, bo])
    page = reading(closed, "ann").post(path, status, on=path.removesuffix("/delete"), **fields).text
    assert raw_in(page, GIVEN | {"souk", "nobody"}) == []


def test_errors_in_a_game_have_no_raw_text(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = play_one_action(ctx, start_timed_game(ctx, ann, bo)).game
    forms: list[tuple[int, dict[str, str]]] = [
        (0, {"do": "left"}),
        (0, {"do": "g6-g7"}),
        (0, {"do": "a1-b1-c1"}),
        (0, {"do": "sideways"}),
        (0, {"do": "d4-d5", "head": "x"}),
        (0, {"do": "resign"}),
        (0, {"do": "say", "text": ""}),
        (0, {"do": "give"}),
        (1, {"do": "stand-in"}),
        (1, {"do": "left"}),
        (0, {"do": "decline"}),
    ]
    answers = [
        reading(ctx).client.post(seat(ctx, game, number), data={"head": str(game.head), "salt": ""} | form)
        for number, form in forms
    ]
    assert [answer.status_code // 100 for answer in answers] == [4] * len(forms)
    assert raw(answer.text for answer in answers) == []


def test_errors_of_a_waiting_game_have_no_raw_text(ctx: AppContext, ann: Player) -> None:
    game = create_game(ctx, ann, new_game(SeatRequest("bo@example.org"), OPEN))
    host = seat(ctx, game, 0)
    pages = [reading(ctx).post(f"{host}/invite", 400, email=email).text for email in ("nobody", "ann@example.org")]
    pages.append(reading(ctx).post(host, 403, do="decline").text)
    pages.append(reading(ctx).post(f"{seat(ctx, game, 1)}/cancel", 403).text)
    assert raw(pages, "nobody") == []


def test_errors_of_invalid_links_have_no_raw_text(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = start_game(ctx, [ann, bo])
    old, turn = seat(ctx, game, 1), f"/t/{ctx.tokens.turn(game.id, 0, 1, 0)}"
    bump_link_version(ctx, game.id, 1)
    closed_table_error = create_game(ctx, ann, new_game(OPEN))
    cancel(ctx, closed_table_error.id, ann.id)
    link = f"/login/{request_letter(ctx).link}"
    reading(ctx).post(link)
    ways = ["/nowhere", "/g/nothing", f"/g/{game.id}/replay?step=x", f"/g/{game.id}/replay?step=999", "/t/x", "/s/x"]
    ways += ["/u/x", "/join/x", "/login/x", old, turn.replace("/t/", "/s/"), f"/g/{closed_table_error.id}", "/host"]
    answers = [reading(ctx, "ann").client.get(way, headers=reading(ctx).headers) for way in ways]
    stranger = reading(ctx)
    forms = [("/login", {"email": "nobody"}), ("/login", {"email": "ann@example.org", "code": "X"}), (link, {})]
    forms += [("/logout", {}), ("/new", {}), ("/rules", {}), ("/new", {"name": "x" * 70_000})]
    answers += [stranger.client.post(way, data=form, headers=stranger.headers) for way, form in forms]
    answers.append(reading(ctx, "ann").client.post("/logout", data={"form": "made up"}, headers=stranger.headers))
    answers.append(reading(ctx, "eve").post("/host/letters/99", 404, on="/host", do="drop"))
    assert [answer.status_code // 100 for answer in answers] == [4] * len(answers)
    assert raw((answer.text for answer in answers), "nobody") == []


# Drawings, and what is fetched besides


def test_drawings_have_no_raw_text(ctx: AppContext, ann: Player, bo: Player) -> None:
    game = play_to_end(ctx, start_game(ctx, [ann, bo], bots=1))
    delete_player(ctx, ann.id)
    client, headers = reading(ctx).client, reading(ctx).headers
    ways = [f"/g/{game.id}/game.svg", f"/api/v1/games/{game.id}/board.svg?after=30"]
    ways += [f"/rules/marrakech/{figure}.svg?lang={LANGUAGE}" for figure in POSITIONS]
    for way in ways:
        drawing = client.get(way, headers=headers).text
        ET.fromstring(drawing)  # noqa: S314 - our own drawing
        assert raw_in(drawing, GIVEN) == [], way
    manifest = client.get(f"/manifest.webmanifest?lang={LANGUAGE}").get_json(force=True)
    assert [raw_words(manifest[text], GIVEN) for text in ("name", "short_name", "description")] == [[], [], []]


def test_the_first_letter_to_a_new_player_is_in_the_browsers_language(ctx: AppContext) -> None:
    reading(ctx).post("/login", 200, email="new@example.org")
    letter = Letter.select().where(Letter.address == "new@example.org").get(ctx.database)
    composed = compose(ctx, letter)
    assert raw_words(composed.subject) == raw_words(composed.text) == raw_in(composed.html) == []
