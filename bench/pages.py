"""How long the page of a table takes, beside a bare Flask application that renders the same template.

The bare one has every value at hand: it asks no database, draws no board and tells no story.
"""

import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from flask import Flask, render_template, template_rendered
from werkzeug.test import create_environ, run_wsgi_app

from bench.table import Row
from service import paths
from service.app import create_app
from service.auth.identity import player_with
from service.config import load_settings
from service.context import AppContext, create_context
from service.engine.dice import Chance
from service.games.lobby import SeatRequest, Wish, create, join
from service.games.play import act
from service.games.stored import StoredGame

ROUNDS: Final = 15
REQUESTS: Final = 40
TURNS: Final = 48
MOST: Final = 3.0
"""So many times as long as the bare template the page may take."""
GROWTH: Final = 1.3
"""So many times as long a page late in a game may take as an early one."""


def page_rows() -> list[Row]:
    """The rows of the page: its time beside the yardstick's, and a late game beside an early one."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as name:
        environ = {"MARRAKECH_DATA_DIR": name, "MARRAKECH_RATE_LIMITS": "off"}
        ctx = create_context(load_settings(environ, Path(name)), time.time)
        with closing(ctx.database):
            return _rows(ctx)


def _rows(ctx: AppContext) -> list[Row]:
    app = create_app(ctx)
    logging.getLogger("service").setLevel(logging.ERROR)  # a thousand lines about requests would bury the table
    late, early = _played(ctx, TURNS), _played(ctx, 1)
    paths = {"early": f"/g/{early.id}", "late": f"/g/{late.id}"}
    pages: dict[str, Callable[[], None]] = {which: _asking(app, path) for which, path in paths.items()}
    pages["bare"] = _asking(_bare(app, paths["late"]), "/")
    best = _fastest(pages)
    share, growth = best["late"] / best["bare"], best["late"] / best["early"]
    return [
        Row("pages: a bare Flask template", f"{best['bare'] * 1e3:.2f} ms", "", None),
        Row(
            f"pages: a game in turn {TURNS}",
            f"{best['late'] * 1e3:.2f} ms, {share:.1f} times the bare one",
            f"{MOST:g} times",
            share <= MOST,
        ),
        Row(f"pages: turn {TURNS} beside turn 1", f"{growth:.2f} times", f"{GROWTH:g} times", growth <= GROWTH),
    ]


def _played(ctx: AppContext, turns: int) -> StoredGame:
    """A game of four in which this turn is on and its die is rolled."""
    host, *others = (player_with(ctx, f"{name}@bench.example.org") for name in ("ann", "bo", "cy", "di"))
    game = create(ctx, host, Wish("marrakech", "A game", [SeatRequest()] * len(others), {"first": 0}, None))
    for player in others:
        game = join(ctx, game.id, player)
    chance = Chance(b"pages", "moves")
    while game.turn < turns or game.state.phase == "direction":
        seat = min(game.rules.to_act(game.state))
        action = chance.pick(game.rules.view(game.state, seat)["legal"])
        game = act(ctx, game.id, seat, game.head, action, "salt").game
    return game


def _bare(app: Flask, path: str) -> Flask:
    """An application that does nothing but render the template, with what the real one gave it for this path."""
    given: list[dict[str, Any]] = []

    def keep(_: Flask, template: Any, context: dict[str, Any], **__: Any) -> None:
        given.append(context)

    with template_rendered.connected_to(keep, app):
        _asking(app, path)()
    values = {key: value for key, value in given[0].items() if key not in {"g", "request", "session"}}
    bare = Flask("bare", template_folder=str(paths.templates() / "pages"), static_folder=str(paths.templates()))
    bare.jinja_env.add_extension("jinja2.ext.i18n")
    bare.jinja_env.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    bare.add_url_rule("/", "page", lambda: render_template("game.html", **values))
    return bare


def _asking(app: Flask, path: str) -> Callable[[], None]:
    def ask() -> None:
        body, status, _ = run_wsgi_app(app, create_environ(path))
        if status != "200 OK" or not b"".join(body):
            raise RuntimeError(f"{path} answered {status}.")

    return ask


def _fastest(pages: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Seconds of the processor for a page: of several rounds, in which they take turns, the best of each."""
    best = dict.fromkeys(pages, float("inf"))
    for _ in range(ROUNDS):
        for which, ask in pages.items():
            start = time.process_time()
            for _ in range(REQUESTS):
                ask()
            best[which] = min(best[which], (time.process_time() - start) / REQUESTS)
    return best
