"""`doctor` checks what has to work: the server, its version, the clocks and the token."""

import time
from gettext import gettext as say
from typing import Any, Final

import typer

from cli import __version__
from cli.context import CliContext
from cli.errors import CliError, ExitCode
from cli.links import is_seat_token
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption

app = typer.Typer()

_MAX_CLOCK_DIFFERENCE: Final = 60.0


@app.command(epilog="Example: marrakech-cli doctor")
def doctor(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Check the server, its version, the clocks and your token.

    Says what to do if something is wrong.
    """
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
    """The checks so far; the first that failed decides the exit code."""

    def __init__(self, ctx: CliContext) -> None:
        self._ctx = ctx
        self.found: list[dict[str, Any]] = []
        self.exit_code = ExitCode.DONE
        self._date = ""
        self._version: object = None

    def lines(self) -> list[str]:
        kept = say("Tokens are kept in %(path)s.") % {"path": self._ctx.config.path}
        return [f"{'ok ' if check['ok'] else 'NO '} {check['detail']}" for check in self.found] + [kept]

    def check_server(self) -> bool:
        from cli.api import OPENAPI, Request

        http, start = self._ctx.http, time.monotonic()
        try:
            response = http.send(Request("GET", OPENAPI))
            self._version = http.read_json(response).get("info", {}).get("version")
        except CliError as error:
            return self._add("server", error.message, error.exit_code)
        self._date = response.headers.get("Date", "")
        words = {"server": http.server, "ms": round((time.monotonic() - start) * 1000)}
        return self._add("server", say("%(server)s answers (%(ms)s ms).") % words)

    def check_version(self) -> None:
        words = {"theirs": self._version, "ours": __version__}
        sentence = say(
            "The server is version %(theirs)s, this client %(ours)s; most things work, update the older one."
        )
        same = say("Server and client are both version %(ours)s.")
        self._add("version", (same if self._version == __version__ else sentence) % words)

    def check_clocks(self) -> None:
        from email.utils import parsedate_to_datetime

        try:
            apart = abs(time.time() - parsedate_to_datetime(self._date).timestamp())
        except (ValueError, TypeError):
            self._add("clocks", say("The server does not say what time it has."))
            return
        if apart <= _MAX_CLOCK_DIFFERENCE:
            self._add("clocks", say("Both clocks agree."))
        else:
            sentence = say("The clocks are %(seconds)s seconds apart; set yours right, or deadlines look wrong.")
            self._add("clocks", sentence % {"seconds": round(apart)}, ExitCode.UNEXPECTED)

    def check_token(self) -> None:
        token = self._ctx.token
        if token is None:
            sentence = say("You are not signed in; links of %(count)s games are kept.")
            self._add("token", sentence % {"count": len(self._ctx.server_config.links)})
            return
        if is_seat_token(token):
            self._add("token", say("MARRAKECH_TOKEN holds a link of one game."))
            return
        try:
            email = self._ctx.account().me()["email"]
        except CliError as error:
            self._add("token", error.message, error.exit_code)
        else:
            self._add("token", say("You are signed in as %(email)s.") % {"email": email})

    def _add(self, check: str, detail: str, failed: ExitCode = ExitCode.DONE) -> bool:
        self.found.append({"check": check, "ok": failed is ExitCode.DONE, "detail": detail})
        if self.exit_code is ExitCode.DONE:
            self.exit_code = failed
        return failed is ExitCode.DONE
