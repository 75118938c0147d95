"""Which version of this program is installed."""

import sys
from pathlib import Path
from typing import Final

_INFO: Final = "marrakech_by_mail-*.dist-info"


def installed_version() -> str:
    """The version, which stands in the name of the folder that pip leaves beside a package.

    Importing importlib.metadata takes a hundred times as long as reading that name; it is asked where there is no such
    folder, as in a zipped application.
    """
    for place in sys.path:
        for found in Path(place).glob(_INFO):
            return found.name.removesuffix(".dist-info").partition("-")[2]
    from importlib.metadata import version  # noqa: PLC0415 - as the text above says

    return version("marrakech-by-mail")
