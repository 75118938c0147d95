"""The console script `marrakech-server`. If only the client is installed, it says how to get the server."""

import sys
from importlib.util import find_spec
from typing import Final

_NEEDED: Final = ("flask", "peewee", "itsdangerous", "waitress")
_SENTENCE: Final = "The server isn't installed. Get it with: pip install 'marrakech-by-mail[server]'"


def main() -> None:
    """Run the server's command line."""
    if any(find_spec(package) is None for package in _NEEDED):
        sys.exit(_SENTENCE)
    from service.admin.main import program  # noqa: PLC0415 - imports what was just looked for

    program()
