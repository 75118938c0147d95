"""A player's session in a game: takes actions, shows what came of them, asks for what is still to be chosen."""

import secrets
from collections.abc import Callable
from gettext import gettext as say
from typing import Any

from cli import prompts
from cli.choices import Action, View, read_direction, read_place
from cli.context import CliContext
from cli.errors import Refused, UsageError
from cli.output import Line
from cli.story import told_together
from cli.table_text import die_lines, place_lines, places_of, table_lines
from cli.text import seat_names

Reader = Callable[[str, View], Action]


class TurnSession:
    """The game as it stands for this player, and all that has happened since the session was taken."""

    def __init__(self, ctx: CliContext) -> None:
        self.output, self.game = ctx.output, ctx.current_game()
        self.view = self.game.view()
        self.events: list[dict[str, Any]] = []
        self.repeated = False

    @property
    def my_turn(self) -> bool:
        return self.view["you"] is not None and self.view["you"] in self.view["to_act"]

    def act(self, action: Action) -> None:
        """Take the action at the head that was seen, and show what came of it."""
        answer = self.game.act(self.view["head"], action, secrets.token_hex(8))
        self.view = answer["view"]
        self.events += answer["events"]
        self.repeated = self.repeated or bool(answer.get("repeated"))
        self.output.show(lambda: self._outcome(answer["events"]))

    def answer(self) -> dict[str, Any]:
        """What a program is told at the end."""
        return {"events": self.events, "view": self.view} | ({"repeated": True} if self.repeated else {})

    def show_table(self) -> None:
        """The table as it stands."""
        self.output.show(lambda: table_lines(self.view, self.output))

    def choose(self, given: str | None) -> bool:
        """Do what the phase asks for, as given or as somebody says when asked; false where nobody can be asked."""
        if given is not None:
            _, read = self._question()
            self.act(read(given, self.view))
        elif self.output.interactive:
            self.ask()
        else:
            return False
        return True

    def ask(self, command: Callable[[str], bool] = lambda words: False) -> None:
        """Ask until the rules allow what was chosen, which a refusal does not change; `command` may take the answer."""
        question, read = self._question()
        while True:
            words = prompts.ask(question)
            try:
                if not command(words):
                    self.act(read(words, self.view))
            except (UsageError, Refused) as error:
                self.output.note(error.message)
            else:
                return

    def _question(self) -> tuple[str, Reader]:
        phase = self.view["phase"]
        if phase == "placement":
            return say("Where shall the rug lie? (1-%(last)s)") % {"last": len(places_of(self.view))}, read_place
        if phase == "rotation":
            return say("Turn Assam left or right?"), read_direction
        return say("Send Assam left, ahead or right?"), read_direction

    def _outcome(self, events: list[dict[str, Any]]) -> list[Line]:
        """The die of this player's own roll, the story, and the board with Assam's way and the numbered places."""
        own = [event for event in events if event["type"] == "rolled" and event["seat"] == self.view["you"]]
        lines: list[Line] = die_lines(own[-1]["die"], self.output.unicode) if own else []
        lines += told_together(events, seat_names(self.view["seats"]))
        last = self.view["last_roll"]
        path = last["path"] if last and any(event["type"] == "moved" for event in events) else ()
        return [*lines, "", *table_lines(self.view, self.output, path), *place_lines(self.view, self.output.width)]
