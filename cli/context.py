"""What a command works with: the memory, the server, the paper, and the game that is meant."""

import os
from collections.abc import Mapping
from functools import cached_property
from gettext import gettext as say
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cli.config import Known, Memory
from cli.errors import NotSignedIn, Trouble, Usage
from cli.links import LOCAL, Link, game_of, is_link, is_seat_token, read_game, read_link, read_server
from cli.names import one_line
from cli.output import JsonOutput, Output, TextOutput

if TYPE_CHECKING:
    from cli.client import Account, Play, Tables
    from cli.connection import Connection

_MOST_NAMED: Final = 8


class GlobalOptions(NamedTuple):
    """The options that every command has."""

    game: str | None = None
    server: str | None = None
    json: bool = False
    verbose: bool = False
    debug: bool = False


class CliContext:
    """Where a command sits; nothing is read or asked before it is needed."""

    def __init__(self, wishes: GlobalOptions, environ: Mapping[str, str] = os.environ) -> None:
        self._wishes, self._environ = wishes, environ
        self.paper: Output = JsonOutput() if wishes.json else TextOutput()

    @property
    def wants_json(self) -> bool:
        return self._wishes.json

    @cached_property
    def memory(self) -> Memory:
        return Memory()

    @cached_property
    def _named(self) -> Link | None:
        """The link, where the game was named by one."""
        named = self._wishes.game
        return read_link(named) if named and is_link(named) else None

    @cached_property
    def server(self) -> str:
        """The server that is meant."""
        if self._wishes.server:
            return read_server(self._wishes.server)
        if self._named:
            return self._named.server
        if self._environ.get("MARRAKECH_SERVER"):
            return read_server(self._environ["MARRAKECH_SERVER"])
        return self.memory.current or LOCAL

    @property
    def known(self) -> Known:
        """What is remembered of that server."""
        return self.memory.known(self.server)

    @cached_property
    def connection(self) -> "Connection":
        from cli.connection import Connection  # noqa: PLC0415 - requests is slow to import, and not always needed

        return Connection(self.server, self.paper.note, self.trace)

    def trace(self, line: str) -> None:
        """Say what goes on, with `--verbose`."""
        if self._wishes.verbose:
            self.paper.note(line)

    @property
    def own_token(self) -> str | None:
        """The token of the player who has signed in."""
        given = self._environ.get("MARRAKECH_TOKEN")
        return given or self.known.token

    def token_for(self, game: str) -> str | None:
        """Who asks about this game: a link that was pasted for it goes before the player who is signed in."""
        given = self._environ.get("MARRAKECH_TOKEN")
        if self._named and self._named.token and self._named.kind in {"t", "s"}:
            return self._named.token
        return given or self.link_for(game).partition("/")[2] or self.known.token

    def link_for(self, game: str) -> str:
        """The end of the link that is kept for the game, such as `t/TOKEN`; empty where there is none."""
        return self.known.links.get(game, "")

    @property
    def names_a_game(self) -> bool:
        """Whether one game is meant without looking through the player's games."""
        given = self._environ.get("MARRAKECH_TOKEN")
        return bool(self._wishes.game or self.known.game or (given and is_seat_token(given)))

    def about(self, game: str) -> "CliContext":
        """The same desk for another game."""
        return CliContext(self._wishes._replace(game=game), self._environ)

    def account(self) -> "Account":
        from cli.client import Account  # noqa: PLC0415 - as above

        return Account(self.connection, self.own_token)

    def tables(self, game: str | None = None) -> "Tables":
        """The tables, as the player or as who holds the link of a game."""
        from cli.client import Tables  # noqa: PLC0415 - as above

        token = self.token_for(game) if game else self.own_token
        if token is None:
            raise NotSignedIn
        return Tables(self.connection, token)

    def play(self) -> "Play":
        """The game that is meant."""
        from cli.client import Play  # noqa: PLC0415 - as above

        return Play(self.connection, self.token_for(self.game), self.game)

    @cached_property
    def game(self) -> str:
        """The id of the game that is meant: named, in hand, or the only one that it can be."""
        if self._wishes.game:
            return self._named.game if self._named and self._named.game else read_game(self._wishes.game)
        given = self._environ.get("MARRAKECH_TOKEN")
        if given and is_seat_token(given):
            return game_of(given)
        return self.known.game or self._only_game()

    def _only_game(self) -> str:
        if self.own_token is None:
            return _only(sorted(self.known.links), [])
        for status in ("my-turn", "playing", "waiting", "finished"):
            found = list(islice(self.tables().all(status), _MOST_NAMED + 1))
            if found:
                return _only([game["id"] for game in found], [one_line(game["name"], 40) for game in found])
        raise Usage(say("You have no game yet; begin one with marrakech-cli new, or name one with --game."))


def _only(ids: list[str], names: list[str]) -> str:
    if not ids:
        raise NotSignedIn
    if len(ids) == 1:
        return ids[0]
    described = [f"{id_} ({names[place]})" if names else id_ for place, id_ in enumerate(ids[:_MOST_NAMED])]
    more = say(", and more") if len(ids) > _MOST_NAMED else ""
    sentence = say("Several games are possible; name one with --game: %(games)s.")
    raise Usage(sentence % {"games": ", ".join(described) + more})


def check_drawn(view: dict[str, Any]) -> dict[str, Any]:
    """The view, where it is of a game that this client can draw."""
    if view["game"] != "marrakech":
        sentence = say("This client does not know the game %(game)s; play it in the browser: marrakech-cli open")
        raise Trouble(sentence % {"game": one_line(str(view["game"]), 20)})
    return view
