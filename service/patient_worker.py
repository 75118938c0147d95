"""For gunicorn's `--worker-class`: asked to stop, a worker lets in whoever stands at the door, and shuts it then.

Gunicorn's own worker leaves the door open behind it until it has ended: whoever came last waits, and is thrown out.
"""

from typing import Any

from gunicorn.workers.gthread import ThreadWorker


class PatientWorker(ThreadWorker):
    """Gunicorn's worker with threads; of several workers, the last to stop shuts the door for good."""

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                self._shut(listener)

    def _shut(self, listener: Any) -> None:
        if listener.sock is None:
            return
        listener.setblocking(False)
        inside = -1
        while self.nr_conns != inside:
            inside = self.nr_conns
            self.accept(listener)
        listener.close()
