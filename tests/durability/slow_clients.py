"""Guests that no server likes: who never finish a sentence, who shout, who bring too much, who do not listen."""

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import requests

from tests.support.people import API

LARGE = 10 * 1024 * 1024


def never_finish(address: str, stop: threading.Event, guests: int) -> None:
    """Slow loris: many connections, each with half a request and another letter of it now and then."""
    lines = []
    with suppress(OSError):
        for _ in range(guests):
            line = _connect(address)
            lines.append(line)
            line.sendall(f"POST {API}/login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\nX-Slow: ".encode())
    while not stop.wait(0.5):
        for line in lines:
            with suppress(OSError):
                line.sendall(b"a")
    for line in lines:
        line.close()


def shout(address: str, stop: threading.Event, answers: Counter[int]) -> None:
    """A flood of calls, as fast as they are answered."""
    with requests.Session() as session:
        while not stop.is_set():
            with suppress(requests.RequestException):
                answers[session.get(f"{address}{API}/games/nothing", timeout=10).status_code] += 1


def bring_too_much(address: str, stop: threading.Event, answers: Counter[int]) -> None:
    """Bodies of ten megabytes; whoever is shown the door in the middle of it has been answered, too."""
    while not stop.is_set():
        try:
            answer = requests.post(f"{address}{API}/login", data=b"x" * LARGE, timeout=10)
            answers[answer.status_code] += 1
        except requests.ConnectionError:
            answers[0] += 1
        time.sleep(0.05)


def never_listen(address: str, stop: threading.Event) -> None:
    """Ask for the largest answer there is again and again, on one line, and read nothing of it."""
    with suppress(OSError), _connect(address) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.settimeout(0.2)
        while not stop.wait(0.05):
            with suppress(TimeoutError):
                line.sendall(f"GET {API}/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def _connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=5)


@contextmanager
def at_the_door(*guests: Callable[[threading.Event], None]) -> Iterator[None]:
    """All of them at once, each in a thread."""
    stop = threading.Event()
    threads = [threading.Thread(target=guest, args=(stop,), daemon=True) for guest in guests]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
