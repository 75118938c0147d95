"""Every error the client reports: each class owns its exit code, its code for programs and its message."""

from enum import IntEnum
from typing import Any, ClassVar, Final


class ExitCode(IntEnum):
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


_MEANINGS: Final = {
    ExitCode.DONE: "done",
    ExitCode.UNEXPECTED: "unexpected error, or too many requests",
    ExitCode.USAGE: "wrong usage, or no such game",
    ExitCode.REFUSED: "refused by the rules, not your turn, or `verify` found a difference",
    ExitCode.STALE: "the game has moved on: look again",
    ExitCode.NOT_ALLOWED: "not signed in, or not allowed",
    ExitCode.NOT_REACHED: "server unreachable",
    ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
}


class CliError(Exception):
    """An error that says what happened and what to do next."""

    exit_code: ClassVar[ExitCode] = ExitCode.UNEXPECTED
    code: str = "unexpected"
    template: ClassVar[str] = ""

    def __init__(self, message: str = "", **values: object) -> None:
        self.message = message or self.template.format(**values)
        super().__init__(self.message)

    def to_json(self) -> dict[str, Any]:
        """The object on standard error with `--json`."""
        return {"code": self.code, "exit": int(self.exit_code), "detail": self.message}


class UsageError(CliError):
    exit_code, code = ExitCode.USAGE, "usage"


class NotFound(CliError):
    exit_code, code = ExitCode.USAGE, "not_found"


class Refused(CliError):
    exit_code, code = ExitCode.REFUSED, "refused"


class NotYourTurn(CliError):
    exit_code, code = ExitCode.REFUSED, "not_your_turn"


class GameOver(CliError):
    exit_code, code = ExitCode.REFUSED, "game_over"


class DiceDiffer(CliError):
    exit_code, code = ExitCode.REFUSED, "dice_differ"


class Stale(CliError):
    exit_code, code = ExitCode.STALE, "stale"


class NotSignedIn(CliError):
    exit_code, code = ExitCode.NOT_ALLOWED, "unauthorised"
    template = "You're not signed in. Run marrakech-cli login, or marrakech-cli use with a link from an e-mail."


class NotAllowed(CliError):
    exit_code, code = ExitCode.NOT_ALLOWED, "forbidden"


class RateLimited(CliError):
    code = "rate_limited"
    template = "Too many requests. Wait a few minutes, then try again."


class ServerError(CliError):
    code = "internal"
    template = "The server {server} has a problem (status {status}). Try again later, or tell the server host."


class ServerUnreachable(CliError):
    exit_code, code = ExitCode.NOT_REACHED, "not_reached"


class UnknownHost(ServerUnreachable):
    code = "no_such_host"
    template = "Can't find {server}. Check the address, or choose another server with --server."


class NoAnswer(ServerUnreachable):
    """The connection failed, or no response came in time."""

    template = "Can't reach {server}. Check that it's running and you're online, or choose another with --server."


class LostResponse(ServerUnreachable):
    """A request was sent, perhaps more than once, and no response came. The server may have carried it out."""

    code = "answer_lost"
    template = (
        "No response from {server}, so we can't tell whether it worked. Check with marrakech-cli show before you try"
        " again."
    )


class TlsError(ServerUnreachable):
    code = "tls"
    template = "Can't connect securely to {server}. Check the address, or tell the server host that TLS fails."


class BadAddress(ServerUnreachable):
    code = "bad_address"
    template = "'{server}' isn't a server address. Write it like https://marrakech.example.org."


class NotAnApi(ServerUnreachable):
    code = "not_an_api"
    template = "There's no Marrakech server at {server}. Check the address, or choose another with --server."


class Redirected(ServerUnreachable):
    code = "moved"
    template = "The server {server} redirects to {to}. If you trust that address, use it with --server."


class VersionMismatch(CliError):
    """The response is not what this version of the client expects."""

    code = "other_version"

    def __init__(self, server: str, theirs: str | None, ours: str) -> None:
        if theirs is None:
            message = f"The server {server} and this client ({ours}) use different versions of the API. Update both."
        elif _version_key(theirs) > _version_key(ours):
            message = (
                f"The server {server} is newer ({theirs}) than this client ({ours})."
                " Update the client: pip install -U marrakech-by-mail"
            )
        else:
            message = (
                f"The server {server} is older ({theirs}) than this client ({ours}). Ask the server host to update it."
            )
        super().__init__(message)


def _version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


_BY_CODE: Final[dict[str, type[CliError]]] = {
    "bad_request": UsageError,
    "unauthorised": NotSignedIn,
    "forbidden": NotAllowed,
    "not_found": NotFound,
    "stale": Stale,
    "not_your_turn": NotYourTurn,
    "game_over": GameOver,
    "too_large": UsageError,
    "illegal_action": Refused,
    "rate_limited": RateLimited,
    "internal": ServerError,
}


def error_from_problem(code: str, detail: str) -> CliError:
    """The error for a problem+json response. An unknown code is kept and counts as unexpected."""
    error = _BY_CODE.get(code, CliError)(detail)
    error.code = code
    return error
