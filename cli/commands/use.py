"""Taking a game in hand by a link out of a letter, or by its id."""

from gettext import gettext as say
from typing import Annotated

import typer

from cli import prompts
from cli.client import Play
from cli.completing import games
from cli.connection import Connection
from cli.context import CliContext, check_drawn
from cli.errors import Usage
from cli.links import Link, is_link, read_game, read_link
from cli.names import names_of, one_line
from cli.program import command


@command("marrakech-cli use https://marrakech.example.org/t/TOKEN", game=False)
def use_(
    desk: CliContext,
    link: Annotated[
        str | None,
        typer.Argument(
            metavar="LINK",
            help="A link out of a letter, or the id of a game; asked for where it is left out.",
            autocompletion=games,
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Put the game out of hand again.")] = False,
) -> None:
    """Take a game in hand: commands without --game are about it then.

    A link out of a letter is enough to play, without signing in; a link of another server takes that server. Left out,
    the link is asked for and not shown, so that it stays out of your shell's history.
    """
    if clear:
        desk.known.game = None
        desk.memory.save()
        desk.paper.put({"server": desk.server, "game": None}, lambda: [say("No game is in hand now.")])
        return
    words = link or prompts.secret(say("The link?"))
    _take(desk, _meant(desk, words))


def _meant(desk: CliContext, words: str) -> Link:
    if not is_link(words):
        return Link(desk.server, "g", None, read_game(words))
    link = read_link(words)
    if link.kind == "login":
        raise Usage(
            say("That link signs you in in the browser; here type the code of that letter: marrakech-cli login")
        )
    return link


def _take(desk: CliContext, link: Link) -> None:
    known, game = desk.memory.known(link.server), str(link.game)
    connection = desk.connection if link.server == desk.server else Connection(link.server, desk.paper.note, desk.trace)
    kept = known.links.get(game, "").partition("/")[2]
    token = link.token if link.kind in {"t", "s"} else kept or known.token
    view = check_drawn(Play(connection, token, game).view())
    if link.kind in {"t", "s"} and not _sits_there(connection, known.token, game, view["you"]):
        known.links[game] = f"{link.kind}/{link.token}"
    known.game, desk.memory.current = game, link.server
    desk.memory.save()
    value = {"server": link.server, "game": game, "name": view["name"], "you": view["you"], "status": view["status"]}
    desk.paper.put(value, lambda: _told(link, view))


def _sits_there(connection: Connection, token: str | None, game: str, seat: int | None) -> bool:
    """Whether the player who is signed in sits in that seat anyway: then there is no need to keep the link."""
    return token is not None and seat is not None and Play(connection, token, game).view()["you"] == seat


def _told(link: Link, view: dict[str, object]) -> list[str]:
    words = {"name": one_line(str(view["name"]), 48), "server": link.server}
    seats, you = view["seats"], view["you"]
    if isinstance(you, int) and isinstance(seats, list):
        words["who"] = names_of(seats)[you]
        lines = [say("In hand: %(name)s at %(server)s, as %(who)s.") % words]
    else:
        lines = [say("In hand: %(name)s at %(server)s, as an onlooker.") % words]
    if link.kind == "join":
        lines.append(say("Take an open seat with: marrakech-cli join"))
    return [*lines, say("See it with: marrakech-cli show")]
