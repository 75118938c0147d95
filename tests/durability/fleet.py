"""A fleet: two web machines and three workers on one PostgreSQL, any of which can be killed, frozen and replaced."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from service.context import AppContext
from tests.durability.processes import Machine, gunicorn_server, wait_for
from tests.support.servers import free_port


class Fleet:
    """The machines, started and ended together; in between each has its own fate."""

    def __init__(self, ctx: AppContext, smtp_url: str, folder: Path) -> None:
        environ = {
            "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
            "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
            "MARRAKECH_SMTP_URL": smtp_url,
            "MARRAKECH_RATE_LIMITS": "off",
        }
        self.webs = [gunicorn_server(environ, folder, free_port()) for _ in range(2)]
        words = ["python", "-m", "tests.durability.hasty_worker"]
        self.workers = [Machine(words, environ, folder / f"worker-{number}.log") for number in range(3)]
        self.worker_deaths = 0

    @property
    def addresses(self) -> list[str]:
        return [web.address for web in self.webs]

    def __enter__(self) -> "Fleet":
        for machine in (*self.webs, *self.workers):
            machine.start()
        for web in self.webs:
            web.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        for machine in (*self.webs, *self.workers):
            machine.end()

    def replace_worker(self, number: int) -> None:
        """Kill a worker, whatever it is at, and start another."""
        self.workers[number].kill()
        self.worker_deaths += 1
        self.workers[number].start()

    def freeze(self, number: int) -> float:
        """A worker stands still; says since when."""
        self.workers[number].signal(signal.SIGSTOP)
        return time.monotonic()

    def thaw(self, number: int, frozen: float, at_least: float) -> None:
        """Let it go on once it has stood still for longer than any claim of it can hold."""
        time.sleep(max(0.0, frozen + at_least - time.monotonic()))
        self.workers[number].signal(signal.SIGCONT)
        self.worker_deaths += 1  # what it had handed over and not marked yet goes out again, as after a death

    def wait_until_all_answer(self) -> None:
        for web in self.webs:
            web.wait_until_ready()

    def logs(self) -> str:
        return "\n".join(machine.log()[-3000:] for machine in (*self.webs, *self.workers))


def crash_and_restart(postgres: Any) -> None:
    """PostgreSQL drops everything at once, as when its machine fails, and comes back from its log."""
    process = postgres.get_postmaster_info().process
    os.kill(process.pid, signal.SIGQUIT)
    wait_for(lambda: not process.is_running(), "PostgreSQL did not end")
    postgres.ensure_postgres_running()
