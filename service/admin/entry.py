"""The console script `marrakech-server`: says how to get the server where only the client is installed."""

import sys
from importlib.util import find_spec
from typing import Final

_NEEDED: Final = ("flask", "peewee", "itsdangerous", "waitress")
_SENTENCE: Final = "The server is not installed here; get it with: pip install 'marrakech-by-mail[server]'"


def main() -> None:
    """Run the server's command line."""
    if any(find_spec(package) is None for package in _NEEDED):
        sys.exit(_SENTENCE)
    from service.admin.main import program  # noqa: PLC0415 - only now is it known that it can be imported

    program()
