"""Two web servers and three workers on one PostgreSQL; each can be killed, frozen and replaced."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from service.context import AppContext
from tests.durability.processes import Process, gunicorn_server, wait_for
from tests.support.servers import free_port


class Cluster:
    """The processes, started and ended together."""

    def __init__(self, ctx: AppContext, smtp_url: str, folder: Path) -> None:
        environ = {
            "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
            "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
            "MARRAKECH_SMTP_URL": smtp_url,
            "MARRAKECH_RATE_LIMITS": "off",
        }
        self.webs = [gunicorn_server(environ, folder, free_port()) for _ in range(2)]
        words = ["python", "-m", "tests.durability.fast_worker"]
        self.workers = [Process(words, environ, folder / f"worker-{number}.log") for number in range(3)]
        self.worker_deaths = 0

    @property
    def addresses(self) -> list[str]:
        return [web.address for web in self.webs]

    def __enter__(self) -> "Cluster":
        for process in (*self.webs, *self.workers):
            process.start()
        for web in self.webs:
            web.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.webs, *self.workers):
            process.end()

    def replace_worker(self, number: int) -> None:
        """Kill a worker, whatever it is doing, and start another."""
        self.workers[number].kill()
        self.worker_deaths += 1
        self.workers[number].start()

    def freeze(self, number: int) -> float:
        """Stop a worker with SIGSTOP; returns the time."""
        self.workers[number].signal(signal.SIGSTOP)
        return time.monotonic()

    def thaw(self, number: int, frozen: float, at_least: float) -> None:
        """Continue a worker after it has been frozen for longer than its claims last."""
        time.sleep(max(0.0, frozen + at_least - time.monotonic()))
        self.workers[number].signal(signal.SIGCONT)
        self.worker_deaths += 1  # a letter that it had sent and not marked yet is sent again, as after a kill

    def wait_until_all_answer(self) -> None:
        for web in self.webs:
            web.wait_until_ready()

    def logs(self) -> str:
        return "\n".join(process.log()[-3000:] for process in (*self.webs, *self.workers))


def crash_and_restart(postgres: Any) -> None:
    """Make PostgreSQL exit at once, as if its machine failed, and recover from its log."""
    process = postgres.get_postmaster_info().process
    os.kill(process.pid, signal.SIGQUIT)
    wait_for(lambda: not process.is_running(), "PostgreSQL did not end")
    postgres.ensure_postgres_running()
