"""A player's turn in a game: sends choices, shows what came of them, and asks for the next one."""

from collections.abc import Callable, Sequence
from gettext import gettext as say
from typing import Any

from cli import prompts
from cli.context import CliContext
from cli.errors import GameOver, NotAllowed, NotYourTurn, Refused, UsageError
from cli.table import first_key, is_my_turn, table_lines
from cli.text import join_names, seat_names


class TurnSession:
    """The game as it stands for this player, and everything that has happened since the command began."""

    def __init__(self, ctx: CliContext) -> None:
        self._ctx, self.output, self.game = ctx, ctx.output, ctx.current_game()
        self.view = self.game.view()
        self.events: list[dict[str, Any]] = []
        self.story: list[dict[str, Any]] = []
        self.repeated = False

    @property
    def my_turn(self) -> bool:
        return is_my_turn(self.view)

    def check_turn(self) -> None:
        """Raise the error that says why this player cannot choose now."""
        view = self.view
        if view["you"] is None:
            raise NotAllowed(
                say("You have no seat in this game; you can look on, or take a seat with marrakech-cli use.")
            )
        self.check_seat()
        if view["status"] == "waiting":
            raise NotYourTurn(say("The game has not started yet; it starts by itself when every seat is taken."))
        if view["status"] == "finished":
            raise GameOver(say("The game is over; play again with marrakech-cli rematch, or see marrakech-cli next."))
        if not self.my_turn:
            names = seat_names(view["seats"])
            sentence = say("It is the turn of %(who)s; marrakech-cli watch waits until it is yours.")
            raise NotYourTurn(sentence % {"who": join_names([names[seat] for seat in view["to_act"]])})

    def check_seat(self) -> None:
        """Raise an error if this player has not yet taken the seat that was offered."""
        if self.view["status"] == "waiting" and self.view["seats"][self.view["you"]].get("accepted") is False:
            raise NotYourTurn(say("You are invited to this game; take your seat first with: marrakech-cli join"))

    def act(self, words: str) -> None:
        """Send a choice in words at the head that was seen, and show what came of it."""
        import secrets

        answer = self.game.act(self.view["head"], self._complete(words), secrets.token_hex(8))
        self.view = answer["view"]
        self.events += answer["events"]
        self.story += answer["story"]
        self.repeated = self.repeated or bool(answer.get("repeated"))
        self.show(answer["story"])

    def _complete(self, words: str) -> str:
        """The key of the one choice that begins with the word, such as `left` for `l`; other words as they are."""
        word = words.strip().lower()
        keys = [choice["key"] for choice in self.view["choices"] if choice["key"].startswith(word)]
        return keys[0] if word.isalpha() and len(keys) == 1 else words

    def show(self, story: Sequence[dict[str, Any]] = ()) -> None:
        """Show the game as it stands, below what has just happened and above what comes before or after a game."""
        if self.view["status"] == "waiting":
            hint = say("Waiting for players; Ctrl-C stops waiting, the table stays.")
        else:
            hint = self._ctx.next_step(self.view) if self.view["status"] == "finished" else ""
        self.output.show(lambda: table_lines(self.game, self.view, self.output, story, hint))

    def catch_up(self, before: int) -> None:
        """Show what has happened since."""
        events = [event for event in self.game.events(before) if event["seq"] <= self.view["head"]]
        story = [sentence for sentence in self.game.story(before) if sentence["seq"] <= self.view["head"]]
        self.events += events
        self.story += story
        if self.my_turn:
            self.output.ring()
        self.show(story)

    def ask(self, question: str = "", command: Callable[[str], bool] = lambda words: False) -> None:
        """Ask until the rules allow what was chosen; `command` may take the answer first."""
        suggestion = say("Type a choice, such as %(key)s.") % {"key": first_key(self.view)}
        while True:
            words = prompts.ask(question or say("Your choice?"))
            if not words:
                self.output.note(suggestion)
                continue
            try:
                if not command(words):
                    self.act(words)
            except UsageError as error:
                self.output.note(f"{error.message} {suggestion}")
            except Refused as error:
                self.output.note(error.message)
            else:
                return

    def result(self) -> None:
        """Print the object for programs; people have seen everything."""
        value = {"events": self.events, "view": self.view, "story": self.story}
        self.output.result(value | ({"repeated": True} if self.repeated else {}), list)

    def nothing_chosen(self) -> UsageError:
        command = self._ctx.command_for(f"act {first_key(self.view)}", self.game.id)
        return UsageError(say("Nothing was chosen. Choose with: %(command)s") % {"command": command})
