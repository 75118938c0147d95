"""Characters in lines and columns, with ANSI styles for terminals."""

from collections.abc import Iterator, Sequence


class Canvas:
    """Characters and their styles, line by line."""

    def __init__(self, width: int, height: int, ansi: bool) -> None:
        self._ansi = ansi
        self._characters = [[(" ", "")] * width for _ in range(height)]

    def write(self, line: int, column: int, text: str, style: str = "") -> None:
        """Write text over whatever is there."""
        self._characters[line][column : column + len(text)] = [(character, style) for character in text]

    def lines(self) -> list[str]:
        """All lines, with styles if there are any to be shown."""
        plain = ("".join(character for character, _ in line) for line in self._characters)
        return ["".join(_styled(line)) for line in self._characters] if self._ansi else list(plain)


def _styled(line: Sequence[tuple[str, str]]) -> Iterator[str]:
    last = ""
    for character, style in [*line, ("", "")]:
        if style != last:
            yield f"\x1b[0;{style}m" if style else "\x1b[0m"
            last = style
        yield character
