"""The API as the commands use it: a class for each of its areas, a method for each call."""

from collections.abc import Iterator
from typing import Any, Final

from cli.connection import Connection, Json, Request, filled

_VIEW: Final = frozenset(
    (
        *("id", "game", "name", "status", "head", "turn", "phase", "to_act", "you", "deadline", "options", "assam"),
        *("seats", "board", "legal", "last_roll", "dice", "result"),
    )
)
_ACTED: Final = frozenset({"events", "view"})


class Area:
    """A part of the API; `token` is who asks."""

    def __init__(self, connection: Connection, token: str | None) -> None:
        self._connection, self._token = connection, token

    def _ask(self, method: str, path: str, wanted: frozenset[str], **more: Any) -> Json:
        """The answer, which must have these fields: another version of the server may have others."""
        answer = self._connection.json(Request(method, path, self._token, **more))
        return self._complete(answer, wanted)

    def _complete(self, answer: Any, wanted: frozenset[str]) -> Json:
        if not isinstance(answer, dict) or not wanted <= answer.keys():
            raise self._connection.other_version()
        return answer


class Account(Area):
    """Signing in, and oneself."""

    def ask_for_code(self, email: str) -> Json:
        return self._ask("POST", "/login", frozenset({"detail"}), body={"email": email})

    def confirm(self, email: str, code: str) -> Json:
        return self._ask("POST", "/login/confirm", frozenset({"token", "player"}), body={"email": email, "code": code})

    def me(self) -> Json:
        return self._ask("GET", "/me", frozenset({"email", "name"}))


class Tables(Area):
    """Tables: set up, listed, joined."""

    def create(self, wish: Json) -> Json:
        return self._ask("POST", "/games", _VIEW, body=wish)

    def all(self, status: str | None = None) -> Iterator[Json]:
        """The player's games, page after page."""
        cursor: str | None = None
        while True:
            query = {name: value for name, value in (("status", status), ("cursor", cursor)) if value}
            page = self._ask("GET", "/games", frozenset({"games", "cursor"}), query=query)
            yield from page["games"]
            cursor = page["cursor"]
            if not cursor:
                return

    def join(self, game: str) -> Json:
        return self._ask("POST", filled("/games/{id}/join", id=game), _VIEW)

    def accept(self, game: str, seat: int) -> Json:
        return self._ask("POST", filled("/games/{id}/seats/{seat}/accept", id=game, seat=seat), _VIEW)

    def decline(self, game: str, seat: int) -> Json:
        return self._ask("POST", filled("/games/{id}/seats/{seat}/decline", id=game, seat=seat), _VIEW)


class Play(Area):
    """One game: how it stands, what happened, and what is done in it."""

    def __init__(self, connection: Connection, token: str | None, game: str) -> None:
        super().__init__(connection, token)
        self.game = game
        self._seen: tuple[str, Json] | None = None

    def view(self) -> Json:
        """The game as it stands; one that has not changed since the last time is not sent again."""
        etag = self._seen[0] if self._seen else None
        response = self._connection.answer(Request("GET", filled("/games/{id}", id=self.game), self._token, etag=etag))
        if response.status_code == 304 and self._seen:
            return self._seen[1]
        view = self._complete(self._connection.object_in(response), _VIEW)
        if "ETag" in response.headers:
            self._seen = response.headers["ETag"], view
        return view

    def act(self, head: int, action: Json, salt: str) -> Json:
        """Take an action. It is sent again with the same head and salt where no answer came: it happens once."""
        body = {"head": head, "action": action, "salt": salt}
        answer = self._ask("POST", filled("/games/{id}/actions", id=self.game), _ACTED, body=body, again=True)
        self._complete(answer["view"], _VIEW)
        return answer

    def events(self, after: int = 0) -> list[Json]:
        answer = self._ask(
            "GET", filled("/games/{id}/events", id=self.game), frozenset({"events"}), query={"after": after}
        )
        events: list[Json] = answer["events"]
        return events

    def record(self) -> Json:
        return self._ask("GET", filled("/games/{id}/record", id=self.game), frozenset({"format", "events", "dice"}))

    def record_text(self) -> str:
        return self._connection.text(Request("GET", filled("/games/{id}/record.txt", id=self.game), self._token))

    def talk(self) -> Iterator[Json]:
        """The table's talk, page after page."""
        wanted = frozenset({"messages", "cursor"})
        cursor: int | None = None
        while True:
            query = {"cursor": cursor} if cursor else {}
            page = self._ask("GET", filled("/games/{id}/messages", id=self.game), wanted, query=query)
            yield from page["messages"]
            cursor = page["cursor"]
            if not cursor:
                return

    def say(self, text: str) -> Json:
        return self._ask("POST", filled("/games/{id}/messages", id=self.game), frozenset({"text"}), body={"text": text})
