"""Every error the client reports: each class owns its exit code, its code for programs and its sentence."""

from enum import IntEnum
from gettext import gettext as say
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
    ExitCode.UNEXPECTED: "something unexpected, or the server asks for too long a pause",
    ExitCode.USAGE: "wrong usage, or there is no such game",
    ExitCode.REFUSED: "refused by the rules, not your turn, or `verify` found a roll that differs",
    ExitCode.STALE: "stale: the game has moved on, look again",
    ExitCode.NOT_ALLOWED: "not signed in, or not allowed",
    ExitCode.NOT_REACHED: "the server was not reached",
    ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
}


def later(sentence: str) -> str:
    """Mark a sentence for translation; it is translated when the error is raised."""
    return sentence


class CliError(Exception):
    """An error that is reported in one sentence, which says what to do next."""

    exit_code: ClassVar[ExitCode] = ExitCode.UNEXPECTED
    code: str = "unexpected"
    template: ClassVar[str] = ""

    def __init__(self, message: str = "", **values: object) -> None:
        self.message = message or say(self.template) % values
        super().__init__(self.message)

    def to_json(self) -> dict[str, Any]:
        """The object that is written to standard error with `--json`."""
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
    template = later("You are not signed in here; run marrakech-cli login, or marrakech-cli use with a link.")


class NotAllowed(CliError):
    exit_code, code = ExitCode.NOT_ALLOWED, "forbidden"


class RateLimited(CliError):
    code = "rate_limited"
    template = later("The server is asked too often; try again in a while.")


class ServerError(CliError):
    code = "internal"
    template = later("%(server)s has a fault (%(status)s); try again in a while, or tell its host.")


class ServerUnreachable(CliError):
    exit_code, code = ExitCode.NOT_REACHED, "not_reached"


class UnknownHost(ServerUnreachable):
    code = "no_such_host"
    template = later("There is no host of the name in %(server)s; check the address, or name another with --server.")


class NoAnswer(ServerUnreachable):
    """The connection failed, or no response came in time."""

    template = later("%(server)s does not answer; see that the server runs and that you are online, then try again.")


class LostResponse(ServerUnreachable):
    """A request was sent, perhaps more than once, and no response came: the server may have done it."""

    code = "answer_lost"
    template = later(
        "No answer came from %(server)s, so it may or may not be done; look with marrakech-cli show: nothing rolls"
        " twice."
    )


class TlsError(ServerUnreachable):
    code = "tls"
    template = later(
        "The secure connection to %(server)s failed: its certificate or its TLS is not in order; tell its host."
    )


class BadAddress(ServerUnreachable):
    code = "bad_address"
    template = later("%(server)s is not the address of a server; write it like https://marrakech.example.org.")


class NotAnApi(ServerUnreachable):
    code = "not_an_api"
    template = later(
        "%(server)s answers with a web page and not as a game server; check the address (marrakech-cli doctor)."
    )


class Redirected(ServerUnreachable):
    code = "moved"
    template = later("%(server)s sends you on to %(to)s; if you trust that address, name it with --server.")


class VersionMismatch(CliError):
    """The response is not what this version of the client expects."""

    code = "other_version"

    def __init__(self, server: str, theirs: str | None, ours: str) -> None:
        if theirs is None:
            sentence = say(
                "%(server)s speaks another version of the API than this client (%(ours)s); update one of both."
            )
        elif _version_key(theirs) > _version_key(ours):
            sentence = say(
                "%(server)s is newer (%(theirs)s) than this client (%(ours)s); update marrakech-by-mail here."
            )
        else:
            sentence = say("%(server)s is older (%(theirs)s) than this client (%(ours)s); ask its host to update it.")
        super().__init__(sentence % {"server": server, "theirs": theirs, "ours": ours})


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
    """The error for a problem+json response; an unknown code is kept and counts as unexpected."""
    error = _BY_CODE.get(code, CliError)(detail)
    error.code = code
    return error
