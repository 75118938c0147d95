"""Run functions at the same moment, in threads or in processes."""

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
_TIMEOUT = 60


def run_at_once(ctx: AppContext, functions: Sequence[Callable[[], T]]) -> list[T | Problem]:
    """Call all functions at the same moment, each in a thread, and return their results or problems."""
    barrier = Barrier(len(functions))

    def call(function: Callable[[], T]) -> T | Problem:
        ctx.database.connect(reuse_if_open=True)
        try:
            barrier.wait(_TIMEOUT)
            return function()
        except Problem as problem:
            return problem
        finally:
            ctx.database.close()

    with ThreadPoolExecutor(len(functions)) as threads:
        return list(threads.map(call, functions))


def run_in_processes(work: Callable[..., T], calls: Sequence[tuple[object, ...]]) -> list[T]:
    """Call a function with each of the arguments at the same moment, each in a process of its own."""
    # A fork server that has imported the module makes the processes start quickly.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    with ProcessPoolExecutor(len(calls), context, _keep_barrier, (context.Barrier(len(calls)),)) as processes:
        jobs = [processes.submit(_wait_and_call, work, *arguments) for arguments in calls]
        return [job.result(_TIMEOUT) for job in jobs]


_barriers: list[Any] = []


def _keep_barrier(barrier: Any) -> None:
    _barriers.append(barrier)


def _wait_and_call(work: Callable[..., T], *args: object) -> T:
    wait_for_all()
    return work(*args)


def wait_for_all() -> None:
    """Wait in one of the processes until all of them have reached this point."""
    _barriers[0].wait(_TIMEOUT)


def another_context(settings: Settings, now: float) -> AppContext:
    """A context of its own on the same database, as another process has it."""
    return build_context(settings, open_database(settings.database_url), lambda: now)
