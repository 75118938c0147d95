"""Caddy and nginx with the files in deploy/, in front of a real server. Only ports and names differ."""

import os
import re
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests

from service.context import AppContext
from tests.deploy.reading import DEPLOY, compose, program
from tests.deploy.test_commands import environ_of
from tests.durability.processes import wait_for
from tests.support.servers import free_port, serving

BAD_CLIENTS, UNREAD = 40, 8


@pytest.fixture
def server(ctx: AppContext, tmp_path: Path) -> Iterator[int]:
    """The port of a server behind a proxy."""
    port = free_port()
    environ = environ_of(ctx, MARRAKECH_PROXIES="1", MARRAKECH_BASE_URL="https://localhost")
    with serving(["marrakech-server", "run", "--port", str(port)], port, environ, tmp_path):
        yield port


@contextmanager
def running(words: list[str], environ: dict[str, str], folder: Path, port: int) -> Iterator[None]:
    """A proxy that responds."""
    log = folder / "proxy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(words, env={**os.environ, **environ}, cwd=folder, stdout=output, stderr=output)

    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            ssl.get_server_certificate(("localhost", port), timeout=5)
        except OSError:
            return False
        return True

    try:
        wait_for(answers, "the proxy does not answer")
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def check_what_the_world_sees(address: str, authority: Path) -> None:
    with requests.Session() as world:
        world.trust_env, world.verify = False, str(authority)
        assert world.get(f"{address}/healthz", timeout=30).json() == {"status": "alive"}
        assert world.get(f"{address}/rules", timeout=30).status_code == 200
        for path in ("/metrics", "/mailbox"):
            assert world.get(address + path, timeout=30).status_code == 404, "it must not be public"
        claimed = {"X-Forwarded-For": "127.0.0.1"}
        assert world.get(f"{address}/mailbox", headers=claimed, timeout=30).status_code == 404
        # A page that writes: the server takes it for its own address, through TLS and the proxy.
        asked = world.post(f"{address}/api/v1/login", json={"email": "ann@example.org"}, timeout=30)
        assert asked.status_code == 202, asked.text
        large = world.post(f"{address}/api/v1/login", json={"email": "x" * 80_000}, timeout=30)
        assert large.status_code == 413


def check_bad_clients(port: int, authority: Path, both_lengths: bytes) -> None:
    """Broken, pipelined and unread requests wait in the proxy, and other clients get responses."""
    trusting = ssl.create_default_context(cafile=str(authority))
    trusting.set_alpn_protocols(["http/1.1"])

    def connect() -> ssl.SSLSocket:
        line = socket.create_connection(("localhost", port), timeout=10)
        return trusting.wrap_socket(line, server_hostname="localhost")

    good = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    pages = good.replace(b"/healthz", b"/rules")
    with ExitStack() as clients:
        for number in range(BAD_CLIENTS):
            line = clients.enter_context(connect())
            line.sendall(pages * 199 if number < UNREAD else good + b"BROKEN\r\n\r\n")
        line = clients.enter_context(connect())
        line.sendall(good.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert line.recv(100).startswith(b"HTTP/1.1 200 ")
    with connect() as line:
        lengths = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(good), good)
        line.sendall(b"POST /healthz HTTP/1.1\r\nHost: localhost\r\n" + lengths + chunks)
        received = b"".join(iter(lambda: line.recv(65536), b""))
    assert received.count(b"HTTP/1.1 ") == 1
    assert received.startswith(both_lengths), received[:100]


def test_caddy_passes_on_what_it_should(server: int, tmp_path: Path) -> None:
    caddy, port = program("caddy"), free_port()
    text = (DEPLOY / "Caddyfile").read_text()
    for old, new in (
        ("dynamic a web 8000", f"dynamic a localhost {server}"),
        ("{\n\tservers {", f"{{\n\tadmin off\n\tskip_install_trust\n\thttps_port {port}\n\tservers {{"),
        ("{\n\tadmin off", "{\n\tauto_https disable_redirects\n\tadmin off"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "Caddyfile").write_text(text)
    environ = {"DOMAIN": "localhost", "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    words = [caddy, "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
    with running(words, environ, tmp_path, port):
        authority = tmp_path / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        check_what_the_world_sees(f"https://localhost:{port}", authority)
        # Caddy passes only the chunks on; the other length is gone.
        check_bad_clients(port, authority, both_lengths=b"HTTP/1.1 405 ")


def test_caddy_understands_the_file_as_it_is_and_would_write_it_so(ctx: AppContext, tmp_path: Path) -> None:
    caddy, file = program("caddy"), str(DEPLOY / "Caddyfile")
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for name in ("localhost", "marrakech.example.org"):
        adapted = subprocess.run(
            [caddy, "adapt", "--config", file, "--adapter", "caddyfile", "--validate"],
            env={**environ, "DOMAIN": name},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert adapted.returncode == 0, adapted.stderr
        assert name in adapted.stdout
    subprocess.run([caddy, "fmt", "--diff", file], env=environ, check=True, capture_output=True, timeout=60)
    for each in ("compose.yaml", "compose.many.yaml"):
        assert "./Caddyfile:/etc/caddy/Caddyfile:ro" in compose(each)["services"]["caddy"]["volumes"]


def test_nginx_passes_on_what_it_should(server: int, tmp_path: Path) -> None:
    nginx, openssl, port = program("nginx"), program("openssl"), free_port()
    name = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    made = [openssl, "req", "-x509", "-nodes", "-days", "2", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run([*made, *name.split()], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    text = (DEPLOY / "nginx.conf").read_text()
    for old, new in (
        ("127.0.0.1:8000", f"127.0.0.1:{server}"),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("/etc/letsencrypt/live/marrakech.example.org", str(tmp_path)),
        ("server_name marrakech.example.org;", "server_name localhost;"),
    ):
        assert old in text
        text = text.replace(old, new)
    text = re.sub(r" *listen \[::\]:.*\n", "", text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    scratch = "".join(f"{kind}_temp_path scratch-{kind};\n" for kind in kinds)
    head = f"daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{scratch}{text}}}\n"
    (tmp_path / "nginx.conf").write_text(head)
    with running([nginx, "-p", str(tmp_path), "-c", "nginx.conf"], {}, tmp_path, port):
        check_what_the_world_sees(f"https://localhost:{port}", tmp_path / "fullchain.pem")
        check_bad_clients(port, tmp_path / "fullchain.pem", both_lengths=b"HTTP/1.1 400 ")
