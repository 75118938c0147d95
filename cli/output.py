"""Where a command's answer goes: on a terminal or a pipe for people, or as one JSON object for programs."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from cli.errors import Trouble
from cli.names import harmless

if TYPE_CHECKING:
    from rich.console import Console

Span: TypeAlias = tuple[str, str]
"""Some text and its style, in the words of rich."""
Line: TypeAlias = str | Sequence[Span]
"""A sentence, which may be wrapped, or a line of a drawing, which may not."""
Lines: TypeAlias = Callable[[], Iterable[Line]]

USUAL_WIDTH: Final = 80


def reader_left() -> None:
    """Whoever read from the pipe has seen enough; Python must not complain about it when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Output(Protocol):
    """What a command writes on."""

    asks: bool
    """Whether a person can be asked something."""

    @property
    def unicode(self) -> bool:
        """Whether a drawing may use more than ASCII."""

    @property
    def width(self) -> int:
        """How many columns there are."""

    def put(self, value: dict[str, Any], lines: Lines) -> None:
        """Answer: the object for programs, the lines for people."""

    def show(self, lines: Lines) -> None:
        """Show people something on the way to the answer."""

    def note(self, sentence: str) -> None:
        """Say something beside the answer."""

    def trouble(self, trouble: Trouble) -> None:
        """Say what went wrong."""

    def ring(self) -> None:
        """Ring the terminal's bell."""

    def clear(self) -> None:
        """Make the screen empty, where there is one."""


class TextOutput:
    """Sentences and drawings; rich colours them on a terminal, a pipe gets plain characters."""

    def __init__(self) -> None:
        forced = bool(os.environ.get("FORCE_COLOR"))
        self._drawn = sys.stdout.isatty() or forced
        self.asks = sys.stdin.isatty() and sys.stderr.isatty()

    @property
    def unicode(self) -> bool:
        return self._drawn and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"

    @property
    def width(self) -> int:
        return shutil.get_terminal_size((USUAL_WIDTH, 24)).columns

    def put(self, value: dict[str, Any], lines: Lines) -> None:
        self.show(lines)

    def show(self, lines: Lines) -> None:
        for line in lines():
            self._write(line)
        sys.stdout.flush()

    def note(self, sentence: str) -> None:
        sys.stdout.flush()
        print(harmless(sentence), file=sys.stderr, flush=True)  # noqa: T201 - it is what this class is for

    def trouble(self, trouble: Trouble) -> None:
        self.note(trouble.sentence)

    def ring(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\a")
            sys.stderr.flush()

    def clear(self) -> None:
        if sys.stdout.isatty():
            self._console.clear()

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console  # noqa: PLC0415 - a pipe needs no colours

        return Console(markup=False, highlight=False, emoji=False, width=self.width)

    def _write(self, line: Line) -> None:
        spans = [(line, "")] if isinstance(line, str) else line
        # Whatever was read from the server passes here, so that no escape of anybody's reaches the terminal.
        clean = [(harmless(text), style) for text, style in spans]
        if not self._drawn:
            sys.stdout.write("".join(text for text, _ in clean).rstrip() + "\n")
            return
        from rich.text import Text  # noqa: PLC0415 - as above

        self._console.print(Text.assemble(*clean), soft_wrap=not isinstance(line, str))


class JsonOutput:
    """One JSON object on standard output, or one on standard error where something went wrong; in ASCII."""

    asks = False
    unicode = False
    width = USUAL_WIDTH

    def put(self, value: dict[str, Any], lines: Lines) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    def show(self, lines: Lines) -> None:
        """Programs wait for the end."""

    def note(self, sentence: str) -> None:
        """And need no company meanwhile."""

    def trouble(self, trouble: Trouble) -> None:
        sys.stderr.write(json.dumps(trouble.to_json()) + "\n")

    def ring(self) -> None:
        """Nor do they hear."""

    def clear(self) -> None:
        """Nor have they a screen."""
