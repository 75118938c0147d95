"""What the program's exit codes mean."""

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended; scripts may rely on the numbers."""

    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    REFUSED = 3
    STALE = 4
    NOT_ALLOWED = 5
    NOT_REACHED = 6
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """The meaning in a few words, for the manual."""
        return _MEANINGS[self]


_MEANINGS = {
    Exit.DONE: "done",
    Exit.UNEXPECTED: "something unexpected, or the server asks for too long a pause",
    Exit.USAGE: "wrong usage, or there is no such game",
    Exit.REFUSED: "refused by the rules, not your turn, or `verify` found a roll that differs",
    Exit.STALE: "stale: the game has moved on, look again",
    Exit.NOT_ALLOWED: "not signed in, or not allowed",
    Exit.NOT_REACHED: "the server was not reached",
    Exit.INTERRUPTED: "interrupted with Ctrl-C",
}
