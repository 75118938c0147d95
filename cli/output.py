"""What commands print: text for people on a terminal or a pipe, or one JSON object for programs."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import typer

from cli.errors import CliError
from cli.text import sanitize, sanitize_drawing, without_256_colours, wrap_words

if TYPE_CHECKING:
    from rich.console import Console


class Drawing(NamedTuple):
    """A drawing from the server. It may contain colour codes, and its lines aren't wrapped."""

    text: str


Line: TypeAlias = str | Drawing
Lines: TypeAlias = Callable[[], Iterable[Line]]

USUAL_WIDTH: Final = 80


def _write(text: str) -> None:
    """Write to standard output. If the reader has closed the pipe, as `head` does, end the command quietly."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output again at exit and would print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


class Output:
    """Where a command writes: text for people, JSON for programs."""

    interactive = False
    """Whether the command can ask questions."""
    ansi = False
    """Whether drawings use colour and Unicode instead of plain ASCII."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return USUAL_WIDTH

    @property
    def height(self) -> int | None:
        """The number of rows; None for a pipe, where nothing scrolls away."""
        return None

    def result(self, value: dict[str, Any], lines: Lines) -> None:
        """Print the command's result: the object for programs or the lines for people."""
        raise NotImplementedError

    def error(self, error: CliError) -> None:
        """Report an error on standard error."""
        raise NotImplementedError

    # The following methods are for people only; programs get just the result.

    def show(self, lines: Lines) -> None:
        """Show something before the result."""

    def note(self, sentence: str) -> None:
        """Print a note on standard error."""

    def ring(self) -> None:
        """Ring the terminal's bell."""

    def clear(self) -> None:
        """Clear the screen, if there is one."""


class JsonOutput(Output):
    """One JSON object in ASCII: the result on standard output, or the error on standard error."""

    def result(self, value: dict[str, Any], lines: Lines) -> None:
        _write(json.dumps(value) + "\n")

    def error(self, error: CliError) -> None:
        sys.stderr.write(json.dumps(error.to_json()) + "\n")


class TextOutput(Output):
    """Sentences and drawings: in colour on a terminal, plain in a pipe."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        wanted = self._terminal and os.environ.get("TERM") != "dumb"
        unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        forced = bool(os.environ.get("FORCE_COLOR"))
        self.ansi = unicode and (wanted or forced) and not os.environ.get("NO_COLOR")
        self.interactive = sys.stdin.isatty() and sys.stderr.isatty()

    @property
    def width(self) -> int:
        return shutil.get_terminal_size((USUAL_WIDTH, 24)).columns

    @property
    def height(self) -> int | None:
        return shutil.get_terminal_size().lines if self._terminal else None

    def result(self, value: dict[str, Any], lines: Lines) -> None:
        self.show(lines)

    def show(self, lines: Lines) -> None:
        for line in lines():
            self._line(line)

    def note(self, sentence: str) -> None:
        sys.stdout.flush()
        lines = wrap_words(sanitize(sentence), self.width) if sys.stderr.isatty() else [sanitize(sentence)]
        print(*lines, sep="\n", file=sys.stderr, flush=True)  # noqa: T201 - it is what this class is for

    def error(self, error: CliError) -> None:
        self.note(error.message)

    def ring(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\a")
            sys.stderr.flush()

    def clear(self) -> None:
        if sys.stdout.isatty():
            self._console.clear()

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console  # slow to import, and not needed for a pipe

        return Console(markup=False, highlight=False, emoji=False, width=self.width)

    def _line(self, line: Line) -> None:
        # All text from the server passes through here, so none of its escape sequences reach the terminal.
        if isinstance(line, str):
            clean, drawing = sanitize(line), False
        else:
            clean, drawing = "\n".join(sanitize_drawing(line.text, self.ansi)).rstrip("\n"), True
        if not (self._terminal or self.ansi):
            _write(f"{clean}\n")
            return
        from rich.text import Text

        if drawing and self._console.color_system not in {"256", "truecolor"}:
            clean = without_256_colours(clean)
        shown = Text.from_ansi(clean) if drawing else "\n".join(wrap_words(clean, self.width))
        self._console.print(shown, soft_wrap=True)
