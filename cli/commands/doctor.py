"""`doctor` checks the server, its version, the clocks and the token."""

import time
from typing import Any, Final

import typer

from cli import __version__
from cli.context import CliContext
from cli.errors import CliError, ExitCode
from cli.links import is_seat_token
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption
from cli.text import count

app = typer.Typer()

_MAX_CLOCK_DIFFERENCE: Final = 60.0


@app.command(epilog="Example: marrakech-cli doctor")
def doctor(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Check the connection to the server, and say how to fix problems."""
    ctx = CliContext(None, server, json, verbose)
    checks = _Checks(ctx)
    if checks.check_server():
        checks.check_version()
        checks.check_clocks()
        checks.check_token()
    code = int(checks.exit_code)
    value = {"server": ctx.server, "checks": checks.found, "exit": code, **ctx.config.without_secrets()}
    ctx.output.result(value, checks.lines)
    if code:
        raise typer.Exit(code)


class _Checks:
    """The results so far. The first failed check decides the exit code."""

    def __init__(self, ctx: CliContext) -> None:
        self._ctx = ctx
        self.found: list[dict[str, Any]] = []
        self.exit_code = ExitCode.DONE
        self._date = ""
        self._version: object = None

    def lines(self) -> list[str]:
        stored = f"Your tokens and links are in {self._ctx.config.path}."
        return [f"{'ok' if check['ok'] else 'failed':6}  {check['detail']}" for check in self.found] + [stored]

    def check_server(self) -> bool:
        from cli.api import OPENAPI, Request

        http, start = self._ctx.http, time.monotonic()
        try:
            response = http.send(Request("GET", OPENAPI))
            self._version = http.read_json(response).get("info", {}).get("version")
        except CliError as error:
            return self._add("server", error.message, error.exit_code)
        self._date = response.headers.get("Date", "")
        return self._add("server", f"Reached {http.server} in {(time.monotonic() - start) * 1000:.0f} ms.")

    def check_version(self) -> None:
        if self._version == __version__:
            self._add("version", f"The server and this client have the same version, {__version__}.")
        else:
            versions = f"The server has version {self._version}, this client {__version__}."
            self._add("version", f"{versions} Most things will work, but update the older one.")

    def check_clocks(self) -> None:
        from email.utils import parsedate_to_datetime

        try:
            apart = abs(time.time() - parsedate_to_datetime(self._date).timestamp())
        except (ValueError, TypeError):
            self._add("clocks", "The server didn't send its time.")
            return
        if apart <= _MAX_CLOCK_DIFFERENCE:
            self._add("clocks", "Your clock and the server's agree.")
        else:
            message = (
                f"Your clock and the server's differ by {round(apart)} seconds, so deadlines look wrong. Set yours."
            )
            self._add("clocks", message, ExitCode.UNEXPECTED)

    def check_token(self) -> None:
        token = self._ctx.token
        if token is None:
            links = len(self._ctx.server_config.links)
            some = f"You have links for {count(links, 'game')}. " if links else ""
            self._add("token", f"{some}You're not signed in. Sign in with: marrakech-cli login")
            return
        if is_seat_token(token):
            self._add("token", "MARRAKECH_TOKEN is a token for one seat.")
            return
        try:
            email = self._ctx.account().me()["email"]
        except CliError as error:
            self._add("token", error.message, error.exit_code)
        else:
            self._add("token", f"You're signed in as {email}.")

    def _add(self, check: str, detail: str, failed: ExitCode = ExitCode.DONE) -> bool:
        self.found.append({"check": check, "ok": failed is ExitCode.DONE, "detail": detail})
        if self.exit_code is ExitCode.DONE:
            self.exit_code = failed
        return failed is ExitCode.DONE
