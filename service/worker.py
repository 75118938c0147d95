"""What happens by itself: one `tick` does whatever is due, and one loop runs it in a thread or as a process."""

import logging
import threading
from typing import Final

from service.clocks.alarms import ring
from service.lobby import expire
from service.office import Office

SECONDS_BETWEEN_TICKS: Final = 5.0


def tick(office: Office) -> None:
    """Do what is due now: call off tables that never filled up, remind and stand in."""
    expire(office)
    ring(office)


def work(office: Office, stop: threading.Event) -> None:
    """Tick until told to stop; a tick that fails is noted, and the next one tries again."""
    while not stop.is_set():
        try:
            tick(office)
        except Exception:
            logging.getLogger("service").exception("a tick of the worker failed")
            office.database.close()
        stop.wait(SECONDS_BETWEEN_TICKS)
    office.database.close()


def start_embedded(office: Office) -> threading.Event:
    """Run the worker as a thread of this process; setting the event ends it."""
    stop = threading.Event()
    threading.Thread(target=work, args=(office, stop), name="worker", daemon=True).start()
    return stop
