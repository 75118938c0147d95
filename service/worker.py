"""The worker: `tick` does everything that is due. A loop runs it in a thread or in a separate process."""

import logging
import signal
import threading
from contextlib import closing
from typing import Final, NamedTuple

from service.clocks.deadlines import run_due_clocks
from service.context import AppContext
from service.db.heartbeat import Heartbeat
from service.games.analysis import compute_next, enqueue_outdated
from service.games.high_scores import store_high_scores
from service.games.lobby import expire
from service.mail.delivery import Delivery
from service.mail.inbound.imap import MailboxError, fetch

SECONDS_BETWEEN_TICKS: Final = 1.0
SECONDS_BETWEEN_FETCHES: Final = 60.0
"""The pause after an error, or if the mail server can't announce new messages."""
_SECONDS_TO_END: Final = 10.0

_logger = logging.getLogger("service")


def tick(ctx: AppContext, delivery: Delivery | None = None) -> bool:
    """Do what is due now: expire games, remind, stand in, analyse a game, store high scores, send letters.

    Returns whether more letters are due. At most one game is analysed, so that letters don't wait for many.
    """
    if delivery is None:
        with closing(Delivery(ctx)) as own:
            return tick(ctx, own)
    try:
        expire(ctx)
        run_due_clocks(ctx)
        compute_next(ctx)
        store_high_scores(ctx)
    finally:
        more = delivery.deliver()  # even if the above fails
    return more


def work(ctx: AppContext, stop: threading.Event) -> None:
    """Tick until stopped, without a pause while more is due. A tick that fails is logged and repeated."""
    heartbeat, is_first = Heartbeat(ctx.database), True
    with closing(Delivery(ctx, stop)) as delivery:
        while not stop.is_set():
            more = False
            try:
                heartbeat.beat(ctx.clock())
                if is_first:
                    enqueue_outdated(ctx)
                    is_first = False
                more = tick(ctx, delivery)
            except Exception:
                _logger.exception("worker tick failed")
                ctx.database.close()
            if not more:
                stop.wait(SECONDS_BETWEEN_TICKS)
    ctx.database.close()


def fetch_replies(ctx: AppContext, stop: threading.Event) -> None:
    """Fetch replies from the IMAP mailbox until stopped, in a separate thread because mail servers may be slow."""
    while not stop.is_set():
        try:
            fetch(ctx, stop)
        except MailboxError as error:
            _logger.warning(str(error))
        except Exception:
            _logger.exception("fetching replies failed")
            ctx.database.close()
        stop.wait(SECONDS_BETWEEN_FETCHES)
    ctx.database.close()


class Embedded(NamedTuple):
    """The worker in threads of this process."""

    stop: threading.Event
    threads: list[threading.Thread]

    def end(self) -> None:
        """Finish the letter that is being sent, and release the claims on all others."""
        self.stop.set()
        for thread in self.threads:
            thread.join(_SECONDS_TO_END)


def start_embedded(ctx: AppContext) -> Embedded:
    """Start the worker in threads of this process."""
    stop = threading.Event()
    jobs = [work, *([fetch_replies] if ctx.settings.imap_url else [])]
    threads = [threading.Thread(target=job, args=(ctx, stop), name=job.__name__, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return Embedded(stop, threads)


def work_until_signalled(ctx: AppContext) -> None:
    """Run the worker as this process until SIGTERM or Ctrl-C."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    worker = start_embedded(ctx)
    stop.wait()
    worker.end()
