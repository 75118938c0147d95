"""The line to one guest at waitress's door, and the answers that go out on it."""

from typing import Any, Final, NamedTuple

from waitress.channel import HTTPChannel
from waitress.task import WSGITask

_Channel: Final[Any] = HTTPChannel
_Task: Final[Any] = WSGITask
"""Waitress has no types."""


class Draft(NamedTuple):
    """An answer that is ready and has not been sent."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


class Answer(_Task):  # type: ignore[misc]
    """An answer, asked of the application now or drafted before; once the door is shut it says that it is the last."""

    def draft(self) -> Draft:
        """What the application answers."""
        said: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], error: object = None) -> None:
            said[:] = status, headers

        body = self.channel.server.application(self.get_environment(), start_response)
        try:
            return Draft(said[0], said[1], b"".join(body))
        finally:
            if hasattr(body, "close"):
                body.close()

    def execute(self) -> None:
        draft = self.channel.take_draft()
        if draft is None:
            super().execute()
            return
        self.status, self.content_length, self.complete = draft.status, len(draft.body), True
        self.response_headers.extend(draft.headers)
        self.write(draft.body)

    def build_response_header(self) -> Any:
        if not self.channel.server.accepting:
            self.set_close_on_finish()
        return super().build_response_header()


class Line(_Channel):  # type: ignore[misc]
    """The line to one guest.

    Whatever a thread writes it sends itself, and calls the main loop where something is left over. Waitress's own line
    has the main loop look again and again meanwhile whether it may send it instead, for half of all the time there is.
    """

    task_class = Answer
    _draft: Draft | None = None

    def writable(self) -> bool:
        """Whether the main loop has something to do: not while a thread is at it."""
        if self.will_close or self.close_when_flushed:
            return True
        if not self.total_outbufs_len or not self.outbuf_lock.acquire(blocking=False):
            return False
        self.outbuf_lock.release()
        return True

    def draft(self) -> Draft:
        """Have the request that is next answered, and keep the answer until `service` sends it."""
        self._draft = Answer(self, self.requests[0]).draft()
        return self._draft

    def take_draft(self) -> Draft | None:
        """The answer that was kept, once."""
        draft, self._draft = self._draft, None
        return draft

    def tear_up(self) -> None:
        """Forget the answer, and have the request as if nobody had read it."""
        self._draft = None
        self.requests[0].get_body_stream().seek(0)
