"""What a command works with: configuration, server, output and game."""

import os
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from cli.config import Config, ServerConfig
from cli.errors import NotSignedIn, UsageError
from cli.game_choice import choose_game, match_games
from cli.links import LOCAL, Link, game_of, is_game_id, is_link, is_seat_token, read_game, read_link, read_server
from cli.output import JsonOutput, Output, TextOutput
from cli.table import is_my_turn
from cli.text import one_line

if TYPE_CHECKING:
    from cli.api import Account, Game, Group, HttpClient, Lobby

_MAX_SEARCHED: Final = 200
"""How many of the player's games are searched for a name, the last changed first."""


class CliContext:
    """Built from the options that all commands share. Nothing is read or requested before it's needed."""

    def __init__(
        self,
        game: str | None = None,
        server: str | None = None,
        json: bool = False,
        verbose: bool = False,
        environ: Mapping[str, str] = os.environ,
        patient: bool = True,
        finished: bool = False,
    ) -> None:
        """`finished` is for commands about finished games; all others prefer running games."""
        self._game, self._server, self._verbose, self._environ = game, server, verbose, environ
        self._patient, self._finished = patient, finished
        self.json = json
        self.output: Output = JsonOutput() if json else TextOutput()

    @cached_property
    def config(self) -> Config:
        return Config()

    @cached_property
    def _link(self) -> Link | None:
        """The link, if `--game` is one."""
        return read_link(self._game) if self._game and is_link(self._game) else None

    @cached_property
    def server(self) -> str:
        """The server to use."""
        if self._server:
            return read_server(self._server)
        if self._link:
            return self._link.server
        if self._environ.get("MARRAKECH_SERVER"):
            return read_server(self._environ["MARRAKECH_SERVER"])
        return self.config.current or LOCAL

    @property
    def server_config(self) -> ServerConfig:
        return self.config.server(self.server)

    @cached_property
    def http(self) -> "HttpClient":
        return self.http_for(self.server)

    def http_for(self, server: str) -> "HttpClient":
        from cli.api import HttpClient  # requests is slow to import, and not every command needs it

        return HttpClient(server, self.output.note, self._trace, patient=self._patient)

    def _trace(self, line: str) -> None:
        if self._verbose:
            self.output.note(line)

    @property
    def _given_token(self) -> str | None:
        return self._environ.get("MARRAKECH_TOKEN") or None

    @property
    def token(self) -> str | None:
        """The token of the player who has signed in."""
        return self._given_token or self.server_config.token

    @property
    def is_signed_in(self) -> bool:
        """Whether there's a player's token, not just the token of a seat."""
        return self.token is not None and not is_seat_token(self.token)

    def token_for(self, game: str) -> str | None:
        """The token for this game: a stored link takes precedence over the player's token."""
        if self._link and self._link.token and self._link.kind in {"t", "s"}:
            return self._link.token
        return self._given_token or self.link_for(game).partition("/")[2] or self.server_config.token

    def link_for(self, game: str) -> str:
        """The end of the stored link for the game, such as `t/TOKEN`, or an empty string."""
        return self.server_config.links.get(game, "")

    @property
    def invitation(self) -> str | None:
        """The token of an invitation link, if `--game` is one."""
        return self._link.token if self._link and self._link.kind == "join" else None

    @property
    def names_a_game(self) -> bool:
        """Whether the game is known without searching the player's games."""
        given = self._given_token
        return bool(self._game or self.server_config.game or (given and is_seat_token(given)))

    def account(self) -> "Account":
        from cli.api import Account

        return Account(self.http, self.token)

    def group(self) -> "Group":
        from cli.api import Group

        if self.token is None:
            raise NotSignedIn
        return Group(self.http, self.token)

    def lobby(self, game: str | None = None) -> "Lobby":
        """The lobby, with the player's token or with the link for a game."""
        from cli.api import Lobby

        token = self.token_for(game) if game else self.token
        if token is None:
            raise NotSignedIn
        return Lobby(self.http, token)

    def current_game(self) -> "Game":
        """The game that the command is about."""
        from cli.api import Game

        return Game(self.http, self.token_for(self.game_id), self.game_id)

    @cached_property
    def game_id(self) -> str:
        """The id of the game: given with `--game`, chosen with `use`, or the only possible one."""
        if self._game:
            return self._link.game if self._link and self._link.game else self.find_game(self._game)
        given = self._given_token
        if given and is_seat_token(given):
            return game_of(given)
        return self.server_config.game or self._only_game()

    def command_for(self, command: str, game: str) -> str:
        """How to run a command for this game: with `-g` if it isn't the current one."""
        return f"marrakech-cli {command}" if self.server_config.game == game else f"marrakech-cli {command} -g {game}"

    def how_to_play(self, game: str) -> str:
        return f"Play with: {self.command_for('play', game)}"

    def next_step(self, view: dict[str, Any]) -> str:
        """A sentence that says how to go on with this game, or an empty string."""
        if view["you"] is None:
            return ""
        if is_my_turn(view):
            return self.how_to_play(view["id"])
        if view["status"] == "finished" and self.is_signed_in:
            return f"Play again with: {self.command_for('rematch', view['id'])}"
        return ""

    def find_game(self, words: str) -> str:
        """The id of the game with this id or name. Names are searched among the player's own games."""
        if is_game_id(words) or not self.is_signed_in:
            return read_game(words)
        found = match_games(words, list(islice(self.lobby().list(), _MAX_SEARCHED)), self._finished)
        if not found:
            raise UsageError(f"You have no game called {one_line(words, 48)!r}. List yours with: marrakech-cli games")
        return choose_game(found, self.output)

    def _only_game(self) -> str:
        if self.token is None:
            links = [{"id": id_, "name": ""} for id_ in sorted(self.server_config.links)]
            if not links:
                raise NotSignedIn
            return choose_game(links, self.output)
        for status in ("finished",) if self._finished else ("my-turn", "playing", "waiting", "finished"):
            found = list(islice(self.lobby().list(status), _MAX_SEARCHED))
            if found:
                return choose_game(found, self.output)
        if self._finished:
            raise UsageError("You haven't finished a game yet. List your games with: marrakech-cli games")
        raise UsageError("You have no games yet. Start one with: marrakech-cli new")
