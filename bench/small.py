"""Measurements in this process or with one command: the engine, a letter, a page and the client's start."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from flask import Flask, render_template_string

from bench.servers import Stage, new_tables
from service.app import create_app
from service.context import AppContext
from service.db.models import Letter
from service.engine.dice import Dice
from service.engine.registry import GAMES
from service.mail.letters import compose

_BIN: Final = Path(sys.executable).parent
_FETCH: Final = """
import sys, typer, rich, requests
session = requests.Session()
session.headers["Authorization"] = "Bearer " + sys.argv[3]
for path in ("", "/board.txt"):
    print(session.get(sys.argv[1] + "/api/v1/games/" + sys.argv[2] + path, timeout=30).text)
"""


def games_per_second(games: int = 60) -> float:
    """Random games of four players through `decide` and `evolve`; the best of five rounds, in processor time."""
    random = Random(7)
    return max(games / _seconds(lambda: [_play(f"game-{number}", random) for number in range(games)]) for _ in range(5))


def _play(game_id: str, random: Random) -> Any:
    """Play a game and return its last state."""
    rules, seats = GAMES["marrakech"], 4
    options, dice = rules.read_options({}, seats), Dice(game_id, random.randbytes(32))
    state = rules.set_up(options, seats)
    for event in rules.new_game(options, seats, dice):
        state = rules.evolve(state, event)
    while waiting := rules.to_act(state):
        seat = min(waiting)
        for event in rules.decide(state, seat, random.choice(rules.legal_actions(state, seat)), dice):
            state = rules.evolve(state, event)
    return state


def _seconds(work: Callable[[], object]) -> float:
    """The processor time of the work, which other programs hardly change."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _fastest(work: Callable[[], object], times: int) -> float:
    return min(_seconds(work) for _ in range(times)) * 1000


def letter_milliseconds(ctx: AppContext) -> float:
    """Composing one turn letter with its picture."""
    letter = Letter.select().where(Letter.kind == "turn").order_by(Letter.id.desc()).first(ctx.database)
    return _fastest(lambda: compose(ctx, letter), 20)


def page_milliseconds(ctx: AppContext) -> tuple[float, float]:
    """The page of a game for its player, and a bare Flask page with one template."""
    (table,) = new_tables(ctx, 1)[0]
    client = create_app(ctx).test_client()
    path, accept = f"/s/{ctx.tokens.seat(table.game, 0, 0)}", {"Accept": "text/html"}
    bare = Flask(__name__)
    bare.add_url_rule("/", "bare", lambda: render_template_string("<p>{{ 1 + 1 }}"))
    other = bare.test_client()
    return _fastest(lambda: client.get(path, headers=accept), 30), _fastest(lambda: other.get("/"), 30)


def client_seconds(stage: Stage, folder: Path) -> dict[str, tuple[float, float]]:
    """`--version` next to `import typer`, and `show` next to a script that fetches the same data."""
    (table,) = new_tables(stage.ctx, 1)[0]
    address, script = f"http://127.0.0.1:{stage.port}", folder / "fetch.py"
    script.write_text(_FETCH)
    environ = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    cli, python = str(_BIN / "marrakech-cli"), sys.executable
    link = f"{address}/s/{stage.ctx.tokens.seat(table.game, 0, 0)}"
    subprocess.run([cli, "use", link], env=environ, check=True, capture_output=True)
    pairs: dict[str, tuple[list[str], list[str]]] = {
        "version": ([cli, "--version"], [python, "-c", "import typer"]),
        "show": ([cli, "show"], [python, str(script), address, table.game, table.tokens[0]]),
    }
    return {name: _alternate(*commands, environ) for name, commands in pairs.items()}


def _alternate(ours: list[str], other: list[str], environ: dict[str, str], rounds: int = 15) -> tuple[float, float]:
    """The median seconds of processor time of two commands that run alternately."""

    def run(words: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, env=environ, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    times = [(run(ours), run(other)) for _ in range(rounds)]
    return median(each[0] for each in times), median(each[1] for each in times)
