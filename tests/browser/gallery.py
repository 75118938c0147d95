"""Every page there is, as visitors come to see it: for the pictures in the docs, and for what must hold of them all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Flask, template_rendered
from jinja2 import Template
from playwright.sync_api import Browser, Page, expect

from service import errors
from service.db.models import Letter, Player
from service.games.analysis import get_analysis
from service.routes.pages.mailbox import mailbox_path
from service.ui.analysis import find_costliest
from tests.browser.scenes import HOST, Evening, Scene, set_scene
from tests.browser.server import start_server

_PROBLEMS: Final[dict[int, errors.Problem]] = {
    problem.status: problem
    for problem in (
        errors.Unauthorised(),
        errors.Forbidden(),
        errors.NotFound(),
        errors.Stale(),
        errors.RateLimited(150),
        errors.Internal(),
        errors.Unavailable(),
    )
}
_DESK: Final[dict[str, Any]] = {"viewport": {"width": 1366, "height": 768}, "device_scale_factor": 0.75}
"""Screenshots of a wide screen are scaled down, to keep the repository small."""
LOOKS: Final[dict[str, dict[str, Any]]] = {
    "": _DESK,
    "-dark": {**_DESK, "color_scheme": "dark"},
    "-phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "-fr": {"viewport": {"width": 390, "height": 844}, "locale": "fr-FR"},
    "-print": {**_DESK, "viewport": {"width": 794, "height": 1123}},
}


class Shot(NamedTuple):
    """A page to take pictures of."""

    name: str
    template: str
    """The template that the page is made of."""
    where: Callable[[Scene], str]
    who: str = ""
    """Who is signed in; empty for nobody."""
    looks: tuple[str, ...] = ("",)
    do: Callable[[Page], Any] | None = None
    """What is done on the page before the picture is taken."""

    @property
    def files(self) -> list[str]:
        return [f"{self.name}{look}.png" for look in self.looks]


def at(path: str) -> Callable[[Scene], str]:
    return lambda scene: path


def game(table: str, rest: str = "") -> Callable[[Scene], str]:
    return lambda scene: f"/g/{scene.tables[table].id}{rest}"


def seat(table: str, number: int | None = None) -> Callable[[Scene], str]:
    return lambda scene: scene.seat(table, number)


def joining(scene: Scene) -> str:
    return f"/join/{scene.server.ctx.tokens.invitation(scene.tables['waiting'].id, 0)}"


def mailbox(scene: Scene) -> str:
    return mailbox_path(scene.server.ctx.settings)


def newest_turn(scene: Scene) -> str:
    letters = Letter.select(Letter.id).where(Letter.kind == "turn").order_by(Letter.id.desc()).limit(1)
    return f"{mailbox(scene)}/{letters.scalar(scene.server.ctx.database)}"


def unsubscribing(scene: Scene) -> str:
    return f"/u/{scene.server.ctx.tokens.unsubscribe(scene.server.player('basim').id, 'turns')}"


def costliest_choice(scene: Scene) -> str:
    analysis = get_analysis(scene.server.ctx, scene.tables["over"])
    return f"/g/{scene.tables['over'].id}/analysis?at={find_costliest(analysis)[0].seq - 1 if analysis else ''}"


def choose(number: int) -> Callable[[Page], None]:
    return lambda page: page.locator("form.choosing input[name=do]").nth(number).check(force=True)


def tap_carpet(page: Page) -> None:
    """Choose a place for the domino."""
    free = page.locator("#board .overlay .free").first
    free.wait_for(state="attached")
    box = free.bounding_box()
    if box:
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def press(words: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=words).click()


def unfold(page: Page) -> None:
    page.locator("main details > summary").first.click()


def ask_for_code(page: Page) -> None:
    page.get_by_label("Your e-mail address").fill("elif@example.org")
    press("Send me a code")(page)


def invite_oneself(page: Page) -> None:
    page.get_by_label("Their e-mail address").first.fill(HOST)
    page.get_by_role("button", name="Create the game").first.click()


def call_off(page: Page) -> None:
    page.get_by_text("Cancel this game").click()
    press("Cancel the game")(page)


def leave(page: Page) -> None:
    page.locator("summary").last.click()
    page.get_by_label("I'm sure.").check()
    press("Delete my data")(page)


def checked(page: Page) -> None:
    expect(page.locator("#verdict")).to_have_class("right")


ALL: Final = ("", "-dark", "-phone")
SHOTS: Final = (
    Shot("home", "home.html", at("/"), looks=ALL),
    Shot("my-games", "home.html", at("/"), "amina", ALL),
    Shot("no-games-yet", "home.html", at("/"), "elif"),
    Shot("sign-in", "sign_in.html", at("/login"), looks=ALL),
    Shot("sign-in-link", "sign_in.html", lambda scene: scene.sign_in),
    Shot("welcome", "welcome.html", at("/welcome"), "elif", ("", "-phone")),
    Shot("new-table", "new.html", at("/new"), "amina", ("", "-phone"), unfold),
    Shot("wrong-address", "new.html", at("/new"), "amina", ("", "-phone"), invite_oneself),
    Shot("waiting", "waiting.html", seat("waiting", 0), looks=("", "-phone"), do=unfold),
    Shot("invited", "waiting.html", seat("waiting", 1), looks=("", "-fr")),
    Shot("join", "join.html", joining),
    Shot("onlooker", "game.html", game("direction"), looks=("", "-print")),
    Shot("direction", "game.html", seat("direction"), looks=ALL, do=choose(0)),
    Shot("after-the-roll", "game.html", seat("rolled"), looks=("", "-fr")),
    Shot("placement", "game.html", seat("rolled"), looks=("", "-phone"), do=choose(2)),
    Shot("turning", "game.html", seat("turning"), do=choose(1)),
    Shot("ending", "game.html", seat("over"), looks=ALL),
    Shot("replay", "replay.html", game("over", "/replay?step=120"), looks=("", "-phone")),
    Shot("over", "over.html", game("over", "/over"), looks=("", "-phone"), do=checked),
    Shot("analysis", "analysis.html", costliest_choice, looks=("", "-phone")),
    Shot("rules", "marrakech/rules.html", at("/rules")),
    Shot("kilim-cards", "game.html", seat("cards", 0), looks=ALL, do=choose(3)),
    Shot("kilim-weaving", "game.html", seat("weaving", 0), looks=("", "-phone", "-fr"), do=tap_carpet),
    Shot("kilim-onlooker", "game.html", game("cards")),
    Shot("kilim-ending", "game.html", seat("woven", 0), looks=("", "-phone")),
    Shot("kilim-replay", "replay.html", game("woven", "/replay?step=120"), looks=("", "-phone")),
    Shot("kilim-over", "over.html", game("woven", "/over"), looks=("", "-phone"), do=checked),
    Shot("kilim-rules", "kilim/rules.html", at("/rules/kilim")),
    Shot("group", "group.html", at("/group"), "chadia"),
    Shot("settings", "me.html", at("/me"), "amina", ("", "-phone")),
    Shot("host", "host.html", at("/host"), "amina"),
    Shot("mailbox", "mailbox.html", mailbox),
    Shot("letter", "letter.html", newest_turn),
    Shot("unsubscribe", "unsubscribe.html", unsubscribing, looks=("", "-phone")),
    *(Shot(f"problem-{status}", "problem.html", at(f"/problem/{status}")) for status in _PROBLEMS),
    Shot("problem-410", "problem.html", game("cancelled")),
    # These change something, so they come last.
    Shot("sign-in-code", "sign_in.html", at("/login"), do=ask_for_code),
    Shot("given-back", "given_back.html", seat("full", 1), do=press("Decline")),
    Shot("called-off", "called_off.html", seat("full", 0), do=call_off),
    Shot("farewell", "gone.html", at("/me"), "elif", do=leave),
)


@contextmanager
def open_gallery(folder: Path) -> Iterator[Scene]:
    """The scene, its server being up."""
    clock = Evening()
    settings = {"BASE_URL": "http://localhost:8000", "HOSTS": HOST, "SECRET_KEY": "always the same evening"}
    with start_server(folder, clock, _furnish, **settings) as server:
        yield set_scene(server, clock)


@contextmanager
def _rendered() -> Iterator[list[str]]:
    """The names of the templates that pages were made of meanwhile."""
    names: list[str] = []

    def note(sender: Flask, template: Template, **more: object) -> None:
        names.append(str(template.name))

    with template_rendered.connected_to(note):
        yield names


def _furnish(app: Flask) -> None:
    """Add a page for each error that no request can cause."""

    @app.get("/problem/<int:status>")
    def problem(status: int) -> str:
        raise _PROBLEMS[status]


@contextmanager
def visited(browser: Browser, scene: Scene, shot: Shot, look: str = "") -> Iterator[Page]:
    """The page in a browser of its own, when what is to be done there is done; it must be the right one."""
    Player.update(language="fr" if look == "-fr" else "en").execute(scene.server.ctx.database)
    options = {"locale": "en-GB", "timezone_id": "Europe/Paris", "reduced_motion": "reduce", **LOOKS[look]}
    with _rendered() as templates, browser.new_context(base_url=scene.server.address, **options) as context:
        if shot.who:
            context.add_cookies([scene.server.session(shot.who)])
        page = context.new_page()
        page.goto(shot.where(scene))
        if shot.do is not None:
            shot.do(page)
            page.wait_for_load_state()
        if look == "-print":
            page.emulate_media(media="print")
        if templates[-1:] != [shot.template]:
            raise RuntimeError(f"The picture {shot.name} shows {templates[-1:]}, not {shot.template}.")
        yield page
