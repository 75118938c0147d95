"""How long `marrakech-cli` takes to start and to show a game, beside scripts that import the same and do no more."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from bench.servers import running, settings_of
from bench.table import Row
from service.auth.identity import player_with
from service.config import load_settings
from service.context import create_context
from service.games.lobby import SeatRequest, Wish, create

ROUNDS: Final = 21
_SCRIPT: Final = str(Path(sys.executable).with_name("marrakech-cli"))
_FETCH: Final = """
import sys, typer, requests, rich
address, token = sys.argv[1:]
print(requests.get(address, headers={"Authorization": f"Bearer {token}"}, timeout=30).text)
"""


def cli_rows() -> list[Row]:
    """The rows of the client."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as folder:
        return [_version_row(), _show_row(Path(folder))]


def _version_row() -> Row:
    bare, ours = _interleaved([sys.executable, "-c", "import typer"], [_SCRIPT, "--version"], dict(os.environ))
    return _row("cli: --version beside `import typer`", bare, ours, 1.5)


def _show_row(folder: Path) -> Row:
    """`show` of a game of four beside a script that fetches the same URL."""
    url = f"sqlite:///{folder}/cli.db"
    ctx = create_context(load_settings(settings_of(url, folder), folder), time.time)
    ann = player_with(ctx, "ann@example.org")
    game = create(ctx, ann, Wish("marrakech", "", [SeatRequest(bot="random")] * 3, {}, None))
    token = ctx.links.api(ann.id, ann.token_version)
    ctx.database.close()
    with running("waitress", "real", url, folder) as server:
        address = f"http://127.0.0.1:{server.port}"
        fetch = [sys.executable, "-c", _FETCH, f"{address}/api/v1/games/{game.id}", token]
        environ = {**os.environ, "MARRAKECH_SERVER": address, "MARRAKECH_TOKEN": token, "XDG_CONFIG_HOME": str(folder)}
        bare, ours = _interleaved(fetch, [_SCRIPT, "show", "--game", game.id], environ)
    return _row("cli: show beside a script that fetches the same", bare, ours, 1.3)


def _interleaved(bare: Sequence[str], ours: Sequence[str], environ: dict[str, str]) -> tuple[float, float]:
    """The medians of both, measured in turn so that a busy moment of the machine meets both alike."""
    times = [(_seconds(bare, environ), _seconds(ours, environ)) for _ in range(ROUNDS)]
    return median(one for one, _ in times), median(other for _, other in times)


def _seconds(command: Sequence[str], environ: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environ, check=True, capture_output=True)
    return time.perf_counter() - start


def _row(what: str, bare: float, ours: float, most: float) -> Row:
    figure = f"{ours * 1e3:.0f} ms, {ours / bare:.2f} times {bare * 1e3:.0f} ms"
    return Row(what, figure, f"within {most} times", ours <= most * bare)
