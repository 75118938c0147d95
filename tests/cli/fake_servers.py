"""Fake and unreliable servers: real sockets on loopback, each in a thread."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

Answer = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; None closes the connection without a response."""


class Received:
    """A request that the server received."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.path, self.headers, self.body = method, path, headers, body


@contextmanager
def fake_server(answer: Callable[[Received], Answer]) -> Iterator[str]:
    """Serve these responses; yields the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            given = answer(Received(self.command, self.path, dict(self.headers), body))
            self.close_connection = True
            if given is None:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, headers, text = given
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text)), "Connection": "close"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_PATCH = do_GET  # noqa: N815 - http.server wants it so

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def lossy_proxy(to: str, lose: Callable[[Received], bool]) -> Iterator[str]:
    """A proxy that loses some responses after the real server has handled the request."""

    def answer(asked: Received) -> Answer:
        passed = {name: value for name, value in asked.headers.items() if name in {"Authorization", "Content-Type"}}
        got = requests.request(asked.method, to + asked.path, data=asked.body, headers=passed, timeout=30)
        return None if lose(asked) else (got.status_code, {"Content-Type": got.headers["Content-Type"]}, got.content)

    with fake_server(answer) as address:
        yield address
