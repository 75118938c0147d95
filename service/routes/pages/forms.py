"""Texts that people type into forms: names, messages and addresses; errors are sentences for people."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from service.auth.addresses import read_address
from service.db.models import LONGEST_INVITATION, LONGEST_NAME
from service.errors import BadRequest
from service.i18n import marked
from service.routes.api.schemas import InvitationMessage, Name

NO_ADDRESS: Final = marked("Enter an e-mail address such as ann@example.org.")
NOT_COMPLETE: Final = marked("Something is missing in this form. Open the page again and fill it in.")
_NAME: Final[TypeAdapter[str]] = TypeAdapter(Name)
_MESSAGE: Final[TypeAdapter[str]] = TypeAdapter(InvitationMessage)


def read_name(text: str) -> str:
    """The name of a player or a game; raises `BadRequest`."""
    return _read(_NAME, text.strip(), LONGEST_NAME)


def read_player_name(text: str) -> str:
    """The name of a player, which must not be empty; raises `BadRequest`."""
    name = read_name(text)
    if not name:
        raise BadRequest("Enter a name.")
    return name


def read_message(text: str) -> str:
    """A message to the people who are invited; raises `BadRequest`."""
    return _read(_MESSAGE, text.replace("\r\n", "\n"), LONGEST_INVITATION)


def _read(adapter: TypeAdapter[str], text: str, longest: int) -> str:
    if len(text) > longest:
        raise BadRequest("This is too long. Use at most %(most)s characters.", most=longest)
    try:
        return adapter.validate_python(text)
    except ValidationError:
        raise BadRequest("This text contains invisible characters. Please type it again.") from None


def read_typed_address(text: str) -> str:
    """An e-mail address; raises `BadRequest` with a sentence for a page, which doesn't name a field of the API."""
    try:
        return read_address(text)
    except BadRequest:
        raise BadRequest(NO_ADDRESS) from None
