"""The audit of the locks, with the real pip-audit and a small service that knows of weaknesses as the real one does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools.audit import main

HASH = "0" * 64
WEAKNESS = {
    "id": "GHSA-0000",
    "summary": "A hole",
    "affected": [
        {
            "package": {"name": "left-pad", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


@contextmanager
def service(known: dict[str, Any], status: int = 200) -> Iterator[str]:
    """Its address; it answers what is known of a package."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found = known.get(asked["package"]["name"])
            body = json.dumps({"vulns": [found]} if found else {}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """It has nothing to say."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A house with two packages."""
    (tmp_path / "locks").mkdir()
    lines = [f"{name}==1.0 --hash=sha256:{HASH}\n" for name in ("flask", "left-pad")]
    (tmp_path / "locks" / "dev.txt").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("more", [[], ["--where-possible"]])
def test_a_known_weakness_fails(more: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with service({"left-pad": WEAKNESS}) as address:
        assert main(["--osv-url", address, *more]) == 1
    assert capfd.readouterr().err == "left-pad 1.0 has a known weakness, GHSA-0000; 1.1 is sound.\n"


def test_where_nothing_is_known_nothing_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with service({}) as address:
        assert main(["--osv-url", address]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("more", "ends"), [([], 1), (["--where-possible"], 0)])
def test_where_nobody_can_be_asked_lint_says_so_and_goes_on(
    more: list[str], ends: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with service({}, status=404) as address:
        pass
    assert main(["--osv-url", address, *more]) == ends
    assert capfd.readouterr().err == (
        "The locks were not audited for known weaknesses: who knows of them cannot be reached from here\n"
    )


def test_a_service_that_answers_nonsense_is_nobody_to_ask(capfd: pytest.CaptureFixture[str]) -> None:
    with service({}, status=404) as address:
        assert main(["--osv-url", address, "--where-possible"]) == 0
    assert capfd.readouterr().err.startswith("The locks were not audited")
