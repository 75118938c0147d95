"""Every way in which the client gives up: each class owns its exit code and its sentence for people."""

from gettext import gettext as say
from typing import Any, ClassVar, Final

from cli.exits import Exit


class Trouble(Exception):
    """What is said in one sentence on standard error; the sentence tells what to do next."""

    exit: ClassVar[Exit] = Exit.UNEXPECTED
    code: str = "unexpected"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence

    def to_json(self) -> dict[str, Any]:
        """The object that stands on standard error with `--json`."""
        return {"code": self.code, "exit": int(self.exit), "detail": self.sentence}


class Usage(Trouble):
    exit, code = Exit.USAGE, "usage"


class NotFound(Trouble):
    exit, code = Exit.USAGE, "not_found"


class Refused(Trouble):
    exit, code = Exit.REFUSED, "refused"


class NotYourTurn(Trouble):
    exit, code = Exit.REFUSED, "not_your_turn"


class GameOver(Trouble):
    exit, code = Exit.REFUSED, "game_over"


class DiceDiffer(Trouble):
    exit, code = Exit.REFUSED, "dice_differ"


class Stale(Trouble):
    exit, code = Exit.STALE, "stale"


class NotSignedIn(Trouble):
    exit, code = Exit.NOT_ALLOWED, "unauthorised"

    def __init__(self, sentence: str = "") -> None:
        super().__init__(
            sentence or say("You are not signed in here; run marrakech-cli login, or marrakech-cli use with a link.")
        )


class NotAllowed(Trouble):
    exit, code = Exit.NOT_ALLOWED, "forbidden"


class NotReached(Trouble):
    exit, code = Exit.NOT_REACHED, "not_reached"


class NoSuchServer(NotReached):
    """The host has no address."""

    code = "no_such_host"

    def __init__(self, server: str) -> None:
        super().__init__(
            say("There is no host of the name in %(server)s; check the address, or name another with --server.")
            % {"server": server}
        )


class NobodyThere(NotReached):
    """Nobody listens, or nobody answers in time."""

    def __init__(self, server: str) -> None:
        super().__init__(
            say("%(server)s does not answer; see that the server runs and that you are online, then try again.")
            % {"server": server}
        )


class LostAnswer(NotReached):
    """Something was sent, perhaps more than once, and no answer came."""

    code = "answer_lost"

    def __init__(self, server: str) -> None:
        super().__init__(
            say(
                "No answer came from %(server)s, so it may or may not be done; look with marrakech-cli show: nothing"
                " rolls twice."
            )
            % {"server": server}
        )


class BadCertificate(NotReached):
    code = "tls"

    def __init__(self, server: str) -> None:
        super().__init__(
            say(
                "The secure connection to %(server)s failed: its certificate or its TLS is not in order; tell its host."
            )
            % {"server": server}
        )


class BadAddress(NotReached):
    code = "bad_address"

    def __init__(self, server: str) -> None:
        super().__init__(
            say("%(server)s is not the address of a server; write it like https://marrakech.example.org.")
            % {"server": server}
        )


class WebPage(NotReached):
    code = "not_an_api"

    def __init__(self, server: str) -> None:
        super().__init__(
            say(
                "%(server)s answers with a web page and not as a game server; check the address (marrakech-cli doctor)."
            )
            % {"server": server}
        )


class SentElsewhere(NotReached):
    code = "moved"

    def __init__(self, server: str, to: str) -> None:
        super().__init__(
            say("%(server)s sends you on to %(to)s; if you trust that address, name it with --server.")
            % {"server": server, "to": to}
        )


class OtherVersion(Trouble):
    code = "other_version"

    def __init__(self, server: str, theirs: str | None, ours: str) -> None:
        words = {"server": server, "theirs": theirs, "ours": ours}
        if theirs is None:
            sentence = say(
                "%(server)s speaks another version of the API than this client (%(ours)s); update one of both."
            )
        elif _numbers(theirs) > _numbers(ours):
            sentence = say(
                "%(server)s is newer (%(theirs)s) than this client (%(ours)s); update marrakech-by-mail here."
            )
        else:
            sentence = say("%(server)s is older (%(theirs)s) than this client (%(ours)s); ask its host to update it.")
        super().__init__(sentence % words)


class TooOften(Trouble):
    code = "rate_limited"


class ServerFault(Trouble):
    code = "internal"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


_BY_CODE: Final[dict[str, type[Trouble]]] = {
    "bad_request": Usage,
    "unauthorised": NotSignedIn,
    "forbidden": NotAllowed,
    "not_found": NotFound,
    "stale": Stale,
    "not_your_turn": NotYourTurn,
    "game_over": GameOver,
    "too_large": Usage,
    "illegal_action": Refused,
    "rate_limited": TooOften,
    "internal": ServerFault,
}


def refusal(code: str, detail: str) -> Trouble:
    """What the server's refusal is here; a code that is not known keeps its name and is unexpected."""
    trouble = _BY_CODE.get(code, Trouble)(detail)
    trouble.code = code
    return trouble
