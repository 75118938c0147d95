"""A game step by step."""

import time
from gettext import gettext as say
from typing import Annotated, Any

import typer

from cli import keys
from cli.context import CliContext, check_drawn
from cli.errors import Refused
from cli.names import names_of
from cli.output import Line
from cli.program import command
from cli.replay import steps_of, view_after
from cli.story import told_together
from cli.table_text import table_lines


class _Film:
    """All the steps of a game, each with the view after it."""

    def __init__(self, desk: CliContext) -> None:
        play = desk.play()
        self._paper, self._view = desk.paper, check_drawn(play.view())
        self._events = play.events()
        self.steps = steps_of(self._events)
        if not self.steps:
            raise Refused(say("Nothing has happened in this game yet; it starts when every seat is taken."))

    def lines(self, number: int) -> list[Line]:
        step, view = self.steps[number], self._after(number)
        walked = [event["path"] for event in step if event["type"] == "moved"]
        title = say("Step %(number)s of %(all)s") % {"number": number + 1, "all": len(self.steps)}
        told = told_together(step, names_of(view["seats"]))
        return [*table_lines(view, self._paper, walked[-1] if walked else ()), "", f"{title}: {' '.join(told)}"]

    def to_json(self) -> dict[str, Any]:
        names = names_of(self._view["seats"])
        steps = []
        for number, step in enumerate(self.steps):
            view = self._after(number)
            position = {key: view[key] for key in ("turn", "assam", "board", "seats")}
            steps.append({"after": view["head"], "told": told_together(step, names), **position})
        return {"id": self._view["id"], "steps": steps}

    def _after(self, number: int) -> dict[str, Any]:
        return view_after(self._view, self._events, self.steps[number][-1]["seq"])


@command("marrakech-cli replay --speed 1")
def replay_(
    desk: CliContext,
    speed: Annotated[
        float | None, typer.Option("--speed", min=0, max=60, help="Go on by itself after so many seconds.")
    ] = None,
) -> None:
    """Look at a game step by step, with the arrow keys or by itself.

    Right, space or n goes on, left or p goes back, g and G go to the first and the last step, q ends. Outside of a
    terminal all steps are printed one after the other.
    """
    film = _Film(desk)
    if desk.wants_json:
        desk.paper.put(film.to_json(), list)
    elif desk.paper.asks and speed is None:
        _by_keys(desk, film)
    else:
        _by_itself(desk, film, speed or 0.0)


def _by_itself(desk: CliContext, film: _Film, speed: float) -> None:
    for number in range(len(film.steps)):
        if number and speed:
            time.sleep(speed)
            desk.paper.clear()
        desk.paper.show(lambda number=number: [*film.lines(number), ""])  # type: ignore[misc]


def _by_keys(desk: CliContext, film: _Film) -> None:
    number, last = 0, len(film.steps) - 1
    hint = say("(arrow keys: on and back, g and G: first and last, q: end)")
    with keys.listening() as pressed:
        while True:
            drawn = [*film.lines(number), hint]
            desk.paper.clear()
            desk.paper.show(lambda drawn=drawn: drawn)  # type: ignore[misc]
            match keys.meaning(pressed()):
                case keys.NEXT:
                    number = min(last, number + 1)
                case keys.BACK:
                    number = max(0, number - 1)
                case keys.FIRST:
                    number = 0
                case keys.LAST:
                    number = last
                case keys.QUIT:
                    return
