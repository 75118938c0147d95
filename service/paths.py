"""Paths of files that are not code."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_LOCALES: Final = _HERE / "locale"


def templates() -> Path:
    """The folder of the templates: inside the package in a wheel, in the repository root in a checkout."""
    packed = _HERE / "templates"
    return packed if packed.is_dir() else _HERE.parent / "templates"


def has_rules_page(folder: str) -> bool:
    """Whether the game with this folder of templates has a page with its rules."""
    return (templates() / "pages" / folder / "rules.html").is_file()


def locales() -> Path:
    """The folder of the translations: LANGUAGE/LC_MESSAGES/messages.mo."""
    return _LOCALES


def mailbox(data_dir: Path) -> Path:
    """The folder of the development mailbox: TIME-LETTER.eml."""
    return data_dir / "mailbox"
