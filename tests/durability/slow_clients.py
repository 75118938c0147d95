"""Clients that misbehave: they send slowly, flood the server, send large bodies or never read responses."""

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


def send_slowly(address: str, stop: threading.Event, clients: int) -> None:
    """Open many connections, each with half a request, and send one more byte now and then (slow loris)."""
    lines = []
    with suppress(OSError):
        for _ in range(clients):
            line = connect(address)
            lines.append(line)
            line.sendall(f"POST {API}/login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\nX-Slow: ".encode())
    while not stop.wait(0.5):
        for line in lines:
            with suppress(OSError):
                line.sendall(b"a")
    for line in lines:
        line.close()


def flood(address: str, stop: threading.Event, answers: Counter[int]) -> None:
    """Send requests as fast as they are answered."""
    with requests.Session() as session:
        while not stop.is_set():
            with suppress(requests.RequestException):
                answers[session.get(f"{address}{API}/games/nothing", timeout=10).status_code] += 1


def send_large_bodies(address: str, stop: threading.Event, answers: Counter[int]) -> None:
    """Send bodies of ten megabytes; a connection that is closed meanwhile counts as an answer, too."""
    while not stop.is_set():
        try:
            answer = requests.post(f"{address}{API}/login", data=b"x" * LARGE, timeout=10)
            answers[answer.status_code] += 1
        except requests.ConnectionError:
            answers[0] += 1
        time.sleep(0.05)


def never_read(address: str, stop: threading.Event) -> None:
    """Request the largest response again and again on one connection without reading it."""
    with suppress(OSError), connect(address) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.settimeout(0.2)
        while not stop.wait(0.05):
            with suppress(TimeoutError):
                line.sendall(f"GET {API}/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def pipeline(address: str, path: str, count: int) -> socket.socket:
    """Send many requests at once on one connection and read no response."""
    line = connect(address)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    line.sendall(f"GET {path} HTTP/1.1\r\n\r\n".encode() * count)
    return line


def ask(address: str, path: str) -> bytes:
    """The beginning of the response to one request on a connection of its own."""
    with connect(address) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return line.recv(100)


def connect(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=5)


@contextmanager
def run_clients(*clients: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run all of them at the same time, each in a thread."""
    stop = threading.Event()
    threads = [threading.Thread(target=client, args=(stop,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
