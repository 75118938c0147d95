"""What happens by itself: one `tick` does whatever is due, and one loop runs it in a thread or as a process."""

import logging
import signal
import threading
from contextlib import closing
from typing import Final, NamedTuple

from service.clocks.alarms import ring
from service.lobby import expire
from service.mail.delivery import Delivery
from service.office import Office

SECONDS_BETWEEN_TICKS: Final = 1.0
_SECONDS_TO_END: Final = 10.0


def tick(office: Office, delivery: Delivery | None = None) -> bool:
    """Do what is due now: call off tables, remind and stand in, send letters. Says whether there are more to send."""
    if delivery is None:
        with closing(Delivery(office)) as own:
            return tick(office, own)
    try:
        expire(office)
        ring(office)
    finally:
        more = delivery.deliver()  # whatever else goes wrong, letters are sent
    return more


def work(office: Office, stop: threading.Event) -> None:
    """Tick until told to stop, at once again while there is more to do; a tick that fails is noted and repeated."""
    with closing(Delivery(office, stop)) as delivery:
        while not stop.is_set():
            more = False
            try:
                more = tick(office, delivery)
            except Exception:
                logging.getLogger("service").exception("a tick of the worker failed")
                office.database.close()
            if not more:
                stop.wait(SECONDS_BETWEEN_TICKS)
    office.database.close()


class Embedded(NamedTuple):
    """The worker as a thread of this process."""

    stop: threading.Event
    thread: threading.Thread

    def end(self) -> None:
        """Have it finish the letter it is at and give the others back."""
        self.stop.set()
        self.thread.join(_SECONDS_TO_END)


def start_embedded(office: Office) -> Embedded:
    """Run the worker beside whatever else this process does."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(office, stop), name="worker", daemon=True)
    thread.start()
    return Embedded(stop, thread)


def work_until_signalled(office: Office) -> None:
    """Run the worker as this process: SIGTERM or Ctrl-C ends it after the letter it is at."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    work(office, stop)
