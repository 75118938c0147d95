"""Many who want something at the same moment: threads of one server, or servers of their own."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

from service.app import build_context
from service.config import Settings
from service.context import AppContext
from service.db.connection import open_database
from service.errors import Problem

T = TypeVar("T")
_PATIENCE = 60


def at_once(ctx: AppContext, wants: Sequence[Callable[[], T]]) -> list[T | Problem]:
    """What each gets, or how each is refused, when all come at the same moment, each in a thread."""
    barrier = Barrier(len(wants))

    def come(want: Callable[[], T]) -> T | Problem:
        ctx.database.connect(reuse_if_open=True)
        try:
            barrier.wait(_PATIENCE)
            return want()
        except Problem as problem:
            return problem
        finally:
            ctx.database.close()

    with ThreadPoolExecutor(len(wants)) as threads:
        return list(threads.map(come, wants))


def in_processes(work: Callable[..., T], calls: Sequence[tuple[object, ...]]) -> list[T]:
    """What comes of each call in a process of its own; they know nothing of each other and begin together."""
    # They are born of a process that has imported the work already and never done any.
    born = multiprocessing.get_context("forkserver")
    born.set_forkserver_preload([work.__module__])
    with ProcessPoolExecutor(len(calls), born, _gather, (born.Barrier(len(calls)),)) as processes:
        jobs = [processes.submit(_together, work, *arguments) for arguments in calls]
        return [job.result(_PATIENCE) for job in jobs]


_gathered: list[Any] = []


def _gather(barrier: Any) -> None:
    _gathered.append(barrier)


def _together(work: Callable[..., T], *args: object) -> T:
    together()
    return work(*args)


def together() -> None:
    """Wait in one of the processes until all of them have come as far."""
    _gathered[0].wait(_PATIENCE)


def another_context(settings: Settings, now: float) -> AppContext:
    """The same server once more, as another process has it."""
    return build_context(settings, open_database(settings.database_url), lambda: now)
