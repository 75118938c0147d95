"""What happens by itself: one `tick` does whatever is due, and one loop runs it in a thread or as a process."""

import logging
import signal
import threading
from contextlib import closing
from typing import Final, NamedTuple

from service.clocks.deadlines import run_due_clocks
from service.context import AppContext
from service.db.heartbeat import Heartbeat
from service.games.lobby import expire
from service.mail.delivery import Delivery

SECONDS_BETWEEN_TICKS: Final = 1.0
SECONDS_BETWEEN_POLLS: Final = 60.0
_SECONDS_TO_END: Final = 10.0


def tick(ctx: AppContext, delivery: Delivery | None = None) -> bool:
    """Do what is due now: call off tables, remind and stand in, send letters. Says whether there are more to send."""
    if delivery is None:
        with closing(Delivery(ctx)) as own:
            return tick(ctx, own)
    try:
        expire(ctx)
        run_due_clocks(ctx)
    finally:
        more = delivery.deliver()  # whatever else goes wrong, letters are sent
    return more


def work(ctx: AppContext, stop: threading.Event) -> None:
    """Tick until told to stop, at once again while there is more to do; a tick that fails is noted and repeated."""
    heart = Heartbeat(ctx)
    with closing(Delivery(ctx, stop)) as delivery:
        while not stop.is_set():
            more = False
            try:
                heart.beat()
                more = tick(ctx, delivery)
            except Exception:
                logging.getLogger("service").exception("a tick of the worker failed")
                ctx.database.close()
            if not more:
                stop.wait(SECONDS_BETWEEN_TICKS)
    ctx.database.close()


def fetch_replies(ctx: AppContext, stop: threading.Event) -> None:
    """Look into the mailbox for replies until told to stop; a thread of its own, for a mail server may be slow."""
    from service.mail.inbound.imap import MailboxTrouble, poll  # noqa: PLC0415 - only a host with a mailbox needs it

    while not stop.is_set():
        try:
            poll(ctx)
        except MailboxTrouble as trouble:
            logging.getLogger("service").warning(str(trouble))
        except Exception:
            logging.getLogger("service").exception("looking for replies failed")
            ctx.database.close()
        stop.wait(SECONDS_BETWEEN_POLLS)
    ctx.database.close()


class Embedded(NamedTuple):
    """The worker as threads of this process."""

    stop: threading.Event
    threads: list[threading.Thread]

    def end(self) -> None:
        """Have it finish the letter it is at and give the others back."""
        self.stop.set()
        for thread in self.threads:
            thread.join(_SECONDS_TO_END)


def start_embedded(ctx: AppContext) -> Embedded:
    """Run the worker beside whatever else this process does."""
    stop = threading.Event()
    jobs = [work, *([fetch_replies] if ctx.settings.imap_url else [])]
    threads = [threading.Thread(target=job, args=(ctx, stop), name=job.__name__, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return Embedded(stop, threads)


def work_until_signalled(ctx: AppContext) -> None:
    """Run the worker as this process: SIGTERM or Ctrl-C ends it after the letter it is at."""
    asked = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.set())
    worker = start_embedded(ctx)
    asked.wait()
    worker.end()
