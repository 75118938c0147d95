"""The servers that are measured, each a process of its own on loopback: the real one, and a bare one beside it.

`python -m bench.servers waitress|gunicorn real|bare PORT` is what such a process runs.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import psycopg
from flask import Flask, Response, jsonify, request

from service.config import load_settings
from service.door import open_door
from service.server import serve

Kind = Literal["waitress", "gunicorn"]
App = Literal["real", "bare"]

GUNICORN_WORKERS: Final = 2
GUNICORN_THREADS: Final = 8
GUNICORN_CLASS: Final = "service.patient_worker.PatientWorker"
"""What deploy/ has gunicorn use; the real server and the bare one alike."""
_HOST: Final = "127.0.0.1"
_ROOT: Final = Path(__file__).parent.parent
_DATABASE: Final = "BENCH_DATABASE_URL"
_SECONDS_TO_START: Final = 30
_SECONDS_TO_STOP: Final = 10
_LIFETIME: Final = 900
"""A server whose benchmark was killed ends by itself after so many seconds."""


class Server(NamedTuple):
    """A server that listens."""

    kind: Kind
    port: int
    pid: int

    def resident(self) -> float | None:
        """Megabytes that it has in memory, of gunicorn's workers the largest; None where the system does not say."""
        if not Path("/proc/self/status").exists():
            return None
        pids = [self.pid] if self.kind == "waitress" else _children(self.pid)
        return max(_resident(pid) for pid in pids)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return int(kilobytes) / 1024


@contextmanager
def running(kind: Kind, app: App, database_url: str, folder: Path) -> Iterator[Server]:
    """A server on this database, for as long as it is needed."""
    if app == "bare":
        _make_table(database_url)
    port = _free_port()
    command = [sys.executable, "-m", "bench.servers", kind, app, str(port)]
    log = folder / f"{kind}-{app}-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(app, database_url, folder), stdout=output, stderr=output
        )
        try:
            _wait_for(process, port, log)
            yield Server(kind, port, process.pid)
        finally:
            _stop(process)


def settings_of(database_url: str, folder: Path) -> dict[str, str]:
    """What the real server finds in its environment."""
    return {
        "MARRAKECH_DATA_DIR": str(folder / "var"),
        "MARRAKECH_DATABASE_URL": database_url,
        "MARRAKECH_RATE_LIMITS": "off",
        "MARRAKECH_WORKER": "off",
    }


def _environment(app: App, database_url: str, folder: Path) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MARRAKECH_")}
    own = settings_of(database_url, folder) if app == "real" else {_DATABASE: database_url}
    return {**inherited, "PYTHONPATH": str(_ROOT), **own}


def _free_port() -> int:
    with socket.create_server((_HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_for(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    patience = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < patience and process.poll() is None:
        try:
            socket.create_connection((_HOST, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"The server did not start: {log.read_text()[-2000:]}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_SECONDS_TO_STOP)


def _make_table(database_url: str) -> None:
    key = "integer primary key autoincrement" if database_url.startswith("sqlite") else "serial primary key"
    connection = _connect(database_url)
    connection.execute(f"create table insertion (id {key}, body text not null)")
    connection.close()


def _connect(database_url: str) -> Any:
    """A connection that commits each statement, as durably as the service does it."""
    if not database_url.startswith("sqlite"):
        return psycopg.connect(database_url, autocommit=True)
    connection = sqlite3.connect(database_url.removeprefix("sqlite:///"), timeout=10, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    return connection


def bare() -> Flask:
    """The yardstick: a route that reads JSON, does one committed INSERT, and answers JSON. Nothing else."""
    app = Flask("bare")
    database_url = os.environ[_DATABASE]
    place = "?" if database_url.startswith("sqlite") else "%s"
    insert = f"insert into insertion (body) values ({place}) returning id"  # noqa: S608 - no value stands in it
    kept = threading.local()

    @app.post("/insert")
    def insert_one() -> Response:
        if not hasattr(kept, "connection"):
            kept.connection = _connect(database_url)
        rows = kept.connection.execute(insert, (json.dumps(request.get_json()),)).fetchall()
        return jsonify({"id": rows[0][0]})

    return app


def _run_waitress(app: App, port: int) -> None:
    if app == "real":
        serve(load_settings(os.environ, Path.cwd()), _HOST, port)
    else:
        open_door(bare(), _HOST, port).run()


def _run_gunicorn(app: App, port: int) -> None:
    factory = {"real": "service.server:application()", "bare": "bench.servers:bare()"}[app]
    options = f"--workers {GUNICORN_WORKERS} --threads {GUNICORN_THREADS} --worker-class {GUNICORN_CLASS}"
    command = ["-m", "gunicorn", *options.split(), "--no-control-socket", "--bind", f"{_HOST}:{port}", factory]
    os.execv(sys.executable, [sys.executable, *command])  # noqa: S606 - no shell is wanted


def main(kind: str, app: App, port: int) -> None:
    """Serve until somebody ends it, or for its lifetime."""
    signal.alarm(_LIFETIME)  # it outlives the execv as well
    if kind == "waitress":
        _run_waitress(app, port)
    else:
        _run_gunicorn(app, port)


if __name__ == "__main__":
    main(sys.argv[1], "real" if sys.argv[2] == "real" else "bare", int(sys.argv[3]))
