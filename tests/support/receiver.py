"""A web server that stands for a push service or a chat service, and the subscription of a browser to it."""

import base64
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class Received(NamedTuple):
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """What arrived, and with which status the next requests are answered."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.received: list[Received] = []
        self.status = 201
        self.location = ""

    @property
    def host(self) -> str:
        return self.address.removeprefix("http://").partition(":")[0]

    @property
    def json_url(self) -> str:
        """The Apprise URL of a web hook here."""
        return self.address.replace("http://", "json://") + "/hook"


@contextmanager
def open_receiver() -> Iterator[Receiver]:
    """Run a receiver on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            """Nothing: the tests look at what was received."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


class BrowserSubscription:
    """A browser's subscription to a push service, with the keys that only the browser has."""

    def __init__(self, endpoint: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = secrets.token_bytes(16)
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.json = json.dumps(
            {
                "endpoint": endpoint,
                "expirationTime": None,
                "keys": {"p256dh": _encode(point), "auth": _encode(self._auth)},
            }
        )

    def read(self, message: Received) -> Any:
        """What the browser's service worker gets."""
        plain = http_ece.decrypt(message.body, private_key=self._key, auth_secret=self._auth, version="aes128gcm")
        return json.loads(plain)


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
