"""Waiting for one's turn."""

import time
from collections.abc import Callable
from gettext import gettext as say
from typing import Annotated, Any

import typer

from cli.context import CliContext, check_drawn
from cli.errors import GameOver, NotReached, NotYourTurn
from cli.names import one_line
from cli.program import command
from cli.table_text import next_step


@command("marrakech-cli watch && marrakech-cli move --dir ahead")
def watch_(
    desk: CliContext,
    every: Annotated[float, typer.Option("--every", min=1, max=3600, help="Look every so many seconds.")] = 10.0,
    most: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Give up after so many seconds, with exit code 3.")
    ] = None,
) -> None:
    """Wait until it is your turn; then ring and end with exit code 0.

    Without --game and with none in hand it waits for any of your games. A server that is away is waited
    for.
    """
    look = _looker(desk)
    until = None if most is None else time.monotonic() + most
    found = look()
    while found is None:
        if until is not None and time.monotonic() >= until:
            raise NotYourTurn(say("It has not become your turn in that time; watch again, or look with show."))
        time.sleep(every if until is None else max(0.0, min(every, until - time.monotonic())))
        try:
            found = look()
        except NotReached as trouble:
            desk.paper.note(trouble.sentence)
    desk.paper.ring()
    desk.paper.put(found, lambda: [_told(found)])


def _looker(desk: CliContext) -> Callable[[], dict[str, Any] | None]:
    """What looks once: at one game, or through all of the player's."""
    if desk.names_a_game or desk.own_token is None:
        play = desk.play()

        def look() -> dict[str, Any] | None:
            view = check_drawn(play.view())
            if view["status"] == "finished":
                raise GameOver(
                    say("The game is over, so there is nothing to wait for; see it with marrakech-cli show.")
                )
            return view if view["you"] is not None and view["you"] in view["to_act"] else None

        return look
    tables = desk.tables()

    def look_through() -> dict[str, Any] | None:
        found = next(tables.all("my-turn"), None)
        if found is None and all(next(tables.all(status), None) is None for status in ("playing", "waiting")):
            raise GameOver(say("No game of yours goes on, so there is nothing to wait for; begin one with new."))
        return found

    return look_through


def _told(found: dict[str, Any]) -> str:
    words = {"name": one_line(found["name"], 48), "id": found["id"]}
    sentence = say("It is your turn in %(name)s (%(id)s).") % words
    return f"{sentence} {next_step(found)}" if "phase" in found else sentence
