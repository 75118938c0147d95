"""A player's turn: sends choices, shows what happened and asks for the next choice."""

from collections.abc import Callable, Sequence
from typing import Any

from cli import prompts
from cli.context import CliContext
from cli.errors import GameOver, NotAllowed, NotYourTurn, Refused, UsageError, error_from_problem
from cli.table import CURSOR, choice_prompt, first_key, is_my_turn, suggest_choice, table_lines
from cli.text import join_names, one_line, seat_names


class TurnSession:
    """The game as this player sees it, and everything that has happened since the command started."""

    def __init__(self, ctx: CliContext, waits: bool = False, asks: bool = False) -> None:
        """`waits` if the command waits for the other players, `asks` if it asks for choices."""
        self.waits, self.asks = waits, asks or waits
        self._ctx, self.output, self.game = ctx, ctx.output, ctx.current_game()
        self.view = self.game.view()
        self.events: list[dict[str, Any]] = []
        self.story: list[dict[str, Any]] = []
        self.repeated = False
        self.refused: dict[str, Any] | None = None
        """The choice of the last action that was not played, and why."""

    @property
    def my_turn(self) -> bool:
        return is_my_turn(self.view)

    @property
    def prompt(self) -> str:
        """The question to the player."""
        return choice_prompt(self.view, has_help=self.waits)

    def check_turn(self) -> None:
        """Raise an error if this player can't choose anything now."""
        view = self.view
        if view["you"] is None:
            raise self.not_playing()
        self.check_seat()
        if view["status"] == "waiting":
            raise NotYourTurn("The game hasn't started yet. It starts when every seat is taken.")
        if view["status"] == "finished":
            raise GameOver(f"The game is over. Play again with: {self._command('rematch')}")
        if not self.my_turn and not view["choices"]:
            names = seat_names(view["seats"])
            who = join_names([names[seat] for seat in view["to_act"]])
            raise NotYourTurn(f"Waiting for {who}. To wait until it's your turn, run: {self._command('watch')}")

    def check_seat(self) -> None:
        """Raise an error if this player hasn't accepted the invitation yet."""
        if self.view["status"] == "waiting" and self.view["seats"][self.view["you"]].get("accepted") is False:
            raise NotYourTurn(f"You're invited to this game. Accept the invitation with: {self._command('join')}")

    def act(self, words: str) -> None:
        """Send a choice in words for the head that was seen, and show what happened.

        Several lines are several choices. If one is refused, those before it are played and its error is raised.
        """
        import secrets

        try:
            answer = self.game.act(self.view["head"], self._complete(words), secrets.token_hex(8))
        except UsageError as error:
            error.message += f" For example: {first_key(self.view)}"
            raise
        self.view = answer["view"]
        self.events += answer["events"]
        self.story += answer["story"]
        self.repeated = self.repeated or bool(answer.get("repeated"))
        self.refused = answer.get("refused")
        if self.refused is None:
            self.show(answer["story"])
            return
        do, code, detail = (str(self.refused[name]) for name in ("do", "code", "detail"))
        refusal = error_from_problem(code, f'"{one_line(do, 40)}" was not played. {detail}')
        self.show(answer["story"], refusal.message)
        raise refusal

    def _complete(self, words: str) -> str:
        """Complete the start of a key, such as `l` for `left`, if only one listed choice starts with it."""
        word = words.strip().lower()
        listed = [choice["key"] for choice in self.view["choices"] if choice.get("listed", True)]
        keys = [key for key in listed if key.startswith(word)]
        return keys[0] if word.isalpha() and len(keys) == 1 else words

    def show(self, story: Sequence[dict[str, Any]] = (), *notes: str) -> None:
        """Show what has just happened and the game, with a hint if the player waits and when the game is over.

        There is room left for notes and the prompt below.
        """
        hint, below = self._hint(), [*notes, self.prompt if self.asks and self.my_turn else CURSOR]
        self.output.show(lambda: table_lines(self.game, self.view, self.output, story, hint, below))

    def _hint(self) -> str:
        if self.view["status"] == "finished":
            return self._ctx.next_step(self.view)
        if not self.waits or self.my_turn:
            return ""
        if self.view["choices"]:
            return f"Press Ctrl-C to leave. To choose now, run: {self._command('act')}"
        return "You can press Ctrl-C and come back later."

    def catch_up(self, before: int) -> None:
        """Show what has happened since this head."""
        events = [event for event in self.game.events(before) if event["seq"] <= self.view["head"]]
        story = [sentence for sentence in self.game.story(before) if sentence["seq"] <= self.view["head"]]
        self.events += events
        self.story += story
        if self.my_turn:
            self.output.ring()
        self.show(story)

    def ask(self, command: Callable[[str], bool] = lambda words: False) -> None:
        """Ask until the rules allow the choice. `command` may handle the typed words instead."""
        head = self.view["head"]
        while self.view["head"] == head:
            words = prompts.ask(self.prompt)
            if not words:
                self.output.note(suggest_choice(self.view))
                continue
            try:
                if command(words):
                    return
                self.act(words)
            except (UsageError, Refused, NotYourTurn) as error:
                self.output.note(error.message)

    def result(self) -> None:
        """Print the object for programs; people have seen everything already."""
        value: dict[str, Any] = {"events": self.events, "view": self.view, "story": self.story}
        value |= {"repeated": True} if self.repeated else {}
        value |= {"refused": self.refused} if self.refused else {}
        self.output.result(value, list)

    def nothing_chosen(self) -> UsageError:
        command = self._command(f"act {first_key(self.view)}")
        return UsageError(f"You didn't choose anything. Choose with: {command}")

    def not_playing(self) -> NotAllowed:
        return NotAllowed(f"You're not playing in this game. To follow it, run: {self._command('log --follow')}")

    def _command(self, command: str) -> str:
        return self._ctx.command_for(command, self.game.id)
