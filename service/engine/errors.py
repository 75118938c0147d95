"""The errors of the engine: a value that can't be read, and an action that the rules forbid."""

from typing import Any, ClassVar


class Malformed(ValueError):
    """A value can't be read. The sentence names the field; `line` is set for text records."""

    code: ClassVar[str] = "bad_request"

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence if line is None else f"Line {line}: {sentence}")
        self.sentence = sentence
        self.line = line


class IllegalAction(Exception):
    """The action is well-formed, but the rules forbid it now; nothing has changed.

    `words` and `values` are kept apart so that the layers above can translate the sentence.
    """

    code: ClassVar[str] = "illegal_action"

    def __init__(self, words: str, **values: Any) -> None:
        self.words = words
        self.values = values
        self.sentence = words % values if values else words
        super().__init__(self.sentence)


class NotYourTurn(IllegalAction):
    """It is another seat's turn."""

    code: ClassVar[str] = "not_your_turn"


class GameOver(IllegalAction):
    """The game has ended."""

    code: ClassVar[str] = "game_over"
