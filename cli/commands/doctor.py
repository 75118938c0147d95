"""A look at everything that has to work: the server, its version, the clocks and the token."""

import time
from email.utils import parsedate_to_datetime
from gettext import gettext as say
from typing import Any, Final

import typer

from cli.connection import DESCRIPTION, Request
from cli.context import CliContext
from cli.errors import Trouble
from cli.exits import Exit
from cli.links import is_seat_token
from cli.program import command
from cli.version import installed_version

_SECONDS_APART: Final = 60.0


@command("marrakech-cli doctor", game=False)
def doctor_(desk: CliContext) -> None:
    """Check the server, its version, the clocks and your token, and say what to do where something is amiss."""
    checks = _Checks(desk)
    if checks.server():
        checks.version()
        checks.clocks()
        checks.token()
    value = {"server": desk.server, "checks": checks.found, "exit": int(checks.exit), **desk.memory.as_shown()}
    desk.paper.put(value, checks.lines)
    if checks.exit is not Exit.DONE:
        raise typer.Exit(checks.exit)


class _Checks:
    """The checks so far; the first that failed says how the command ends."""

    def __init__(self, desk: CliContext) -> None:
        self._desk = desk
        self.found: list[dict[str, Any]] = []
        self.exit = Exit.DONE
        self._date = ""
        self._version: object = None

    def lines(self) -> list[str]:
        kept = say("Tokens are kept in %(path)s.") % {"path": self._desk.memory.path}
        return [f"{'ok ' if check['ok'] else 'NO '} {check['detail']}" for check in self.found] + [kept]

    def server(self) -> bool:
        connection = self._desk.connection
        start = time.monotonic()
        try:
            response = connection.answer(Request("GET", DESCRIPTION))
            self._version = connection.object_in(response).get("info", {}).get("version")
        except Trouble as trouble:
            return self._note("server", trouble.sentence, trouble.exit)
        self._date = response.headers.get("Date", "")
        words = {"server": connection.server, "ms": round((time.monotonic() - start) * 1000)}
        return self._note("server", say("%(server)s answers (%(ms)s ms).") % words)

    def version(self) -> None:
        ours = installed_version()
        words = {"theirs": self._version, "ours": ours}
        if self._version == ours:
            self._note("version", say("Server and client are both version %(ours)s.") % words)
        else:
            sentence = say(
                "The server is version %(theirs)s, this client %(ours)s; most things work, update the older one."
            )
            self._note("version", sentence % words)

    def clocks(self) -> None:
        try:
            apart = time.time() - parsedate_to_datetime(self._date).timestamp()
        except (ValueError, TypeError):
            self._note("clocks", say("The server does not say what time it has."))
            return
        words = {"seconds": round(abs(apart))}
        if abs(apart) <= _SECONDS_APART:
            self._note("clocks", say("Both clocks agree."))
        else:
            sentence = say("The clocks are %(seconds)s seconds apart; set yours right, or deadlines look wrong.")
            self._note("clocks", sentence % words, Exit.UNEXPECTED)

    def token(self) -> None:
        desk = self._desk
        token = desk.own_token
        if token is None:
            kept = len(desk.known.links)
            told = say("You are not signed in; links of %(count)s games are kept.") % {"count": kept}
            self._note("token", told)
            return
        if is_seat_token(token):
            self._note("token", say("MARRAKECH_TOKEN holds a link of one game."))
            return
        try:
            email = desk.account().me()["email"]
        except Trouble as trouble:
            self._note("token", trouble.sentence, trouble.exit)
        else:
            self._note("token", say("You are signed in as %(email)s.") % {"email": email})

    def _note(self, what: str, detail: str, failed: Exit = Exit.DONE) -> bool:
        self.found.append({"check": what, "ok": failed is Exit.DONE, "detail": detail})
        if self.exit is Exit.DONE:
            self.exit = failed
        return failed is Exit.DONE
