"""The two ways in which a game can say no: it cannot read that, or it may not be done."""

from typing import Any, ClassVar


class Malformed(ValueError):
    """What was given cannot be read: a sentence that names the field, and the line where it has one."""

    code: ClassVar[str] = "bad_request"

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence if line is None else f"Line {line}: {sentence}")
        self.sentence = sentence
        self.line = line


class IllegalAction(Exception):
    """The action reads well, but the rules do not allow it now; nothing has changed.

    The words and what is put into them are kept apart, so that whoever shows them can say them in another language.
    """

    code: ClassVar[str] = "illegal_action"

    def __init__(self, words: str, **values: Any) -> None:
        self.words = words
        self.values = values
        self.sentence = words % values if values else words
        super().__init__(self.sentence)


class NotYourTurn(IllegalAction):
    """The game waits for somebody else."""

    code: ClassVar[str] = "not_your_turn"


class GameOver(IllegalAction):
    """The game has ended; nothing can be done in it any more."""

    code: ClassVar[str] = "game_over"
