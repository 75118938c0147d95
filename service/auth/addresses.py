"""E-mail addresses as people type them: checked for form and length, compared without case."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from service.db.models import LONGEST_ADDRESS
from service.errors import BadRequest, Forbidden

_LONGEST_LOCAL_PART: Final = 64
_LOCAL_PART: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN: Final = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LOCAL_NAMES: Final = frozenset({"localhost", "localdomain", "local", "internal", "invalid"})
"""Names that end like this are never on the internet; mail to them would go to accounts of this machine or network."""


def read_address(text: str, where: str = "email") -> str:
    """The address in lower case, its domain in ASCII; raises `BadRequest`."""
    local, at, domain = text.strip().lower().rpartition("@")
    try:
        domain = domain.encode("idna").decode()
    except UnicodeError:
        domain = ""
    address = f"{local}@{domain}"
    sound = at and _LOCAL_PART.fullmatch(local) and _DOMAIN.fullmatch(domain)
    if not sound or len(local) > _LONGEST_LOCAL_PART or len(address) > LONGEST_ADDRESS:
        raise BadRequest(f"{where} must be an e-mail address such as ann@example.org.")
    if not _is_public(domain):
        raise BadRequest(
            f"{where} must be an e-mail address at a public domain such as example.org, not at an IP address or a local"
            " name."
        )
    return address


def _is_public(domain: str) -> bool:
    """Whether this may be a domain on the internet: not a single name, an IP address or a name for local use."""
    _, dot, last = domain.rpartition(".")
    return bool(dot) and not last[0].isdigit() and last not in _LOCAL_NAMES


def check_allowed(address: str, patterns: Iterable[str]) -> None:
    """Refuse an address that the settings don't allow."""
    if not any(fnmatchcase(address, pattern.lower()) for pattern in patterns):
        raise Forbidden("This address can't be used on this server. Ask the person who runs it to allow it.")
