"""For gunicorn's `--worker-class`: each of its processes serves at our own door, with its threads and its clerk.

Gunicorn sees to it that there are so many processes, and all of them stand at the same place. Its own workers read from
slow guests in a thread that nobody else has meanwhile, and throw out whoever came last when they are asked to stop.
"""

import os
import sys
from typing import Any

from gunicorn.workers.base import Worker

from service.courtesy import Courtesy
from service.door import open_door_at
from service.stopping import Serving


class PatientWorker(Worker):
    """One of gunicorn's processes; of several, the last to stop shuts the door for good."""

    _door: Serving | None = None

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Refuse what this door cannot do."""
        if cfg.is_ssl:
            sys.exit("PatientWorker speaks no TLS; leave --certfile and --keyfile to a proxy in front of gunicorn.")
        if cfg.max_requests:
            sys.exit("PatientWorker does not count requests; leave --max-requests out.")

    def run(self) -> None:
        """Serve until asked to stop, and then whoever is inside."""
        self._door = open_door_at(self.wsgi, [listener.sock for listener in self.sockets], self.cfg.threads)
        courtesy = Courtesy(self._door.listeners)
        while self.alive and self.ppid == os.getppid():
            self.notify()
            self._door.look(courtesy.seconds() or 1.0)
        self._door.end()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Asked to stop, in good order."""
        super().handle_exit(sig, frame)
        if self._door is not None:
            self._door.wake()
