"""Who you are: `login`, `logout`, `whoami`, and `use` for a link from a letter."""

from contextlib import suppress
from gettext import gettext as say
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import NotSignedIn, UsageError
from cli.links import Link, is_link, is_seat_token, read_link
from cli.options import DebugOption, JsonOption, ServerOption, VerboseOption, complete_game
from cli.text import one_line, seat_names

if TYPE_CHECKING:
    from cli.api import HttpClient

app = typer.Typer()


@app.command(epilog="Example: marrakech-cli login ann@example.org")
def login(
    email: Annotated[str | None, typer.Argument(help="Your address; asked for where it is left out.")] = None,
    code: Annotated[
        str | None, typer.Option("--code", help="The code out of the letter, where you have it already.")
    ] = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Sign in with a code that is mailed to your address.

    The token is kept in this user's settings, for each server its own, and never shown.
    """
    ctx = CliContext(None, server, json, verbose)
    if email is None and not ctx.output.interactive:
        raise UsageError(say("Name your address: marrakech-cli login you@example.org"))
    if code is None:
        email, detail = _request_code(ctx, email) if email else _ask_email(ctx)
        if not ctx.output.interactive:
            hint = say("Then type: marrakech-cli login %(email)s --code CODE") % {"email": email}
            ctx.output.result({"server": ctx.server, "email": email, "signed_in": False}, lambda: [detail, hint])
            return
        ctx.output.note(detail)
        answer = _ask_code(ctx, email)
    else:
        email = email or prompts.ask(say("Your e-mail address?"))
        answer = ctx.account().confirm(email, "".join(code.split()))
    ctx.server_config.token, ctx.server_config.email = answer["token"], answer["player"]["email"]
    ctx.config.current = ctx.server
    ctx.config.save()
    words = {"server": ctx.server, "email": ctx.server_config.email}
    done = say("You are signed in at %(server)s as %(email)s.") % words
    ctx.output.result({**words, "signed_in": True}, lambda: [done])
    if ctx.output.interactive and not answer["player"].get("name"):
        _ask_name(ctx)


def _request_code(ctx: CliContext, email: str) -> tuple[str, str]:
    """Have a code mailed; returns the address and what the server says."""
    return email, str(ctx.account().request_code(email)["detail"])


def _ask_email(ctx: CliContext) -> tuple[str, str]:
    """Ask for the address until it is one, and have a code mailed to it."""
    while True:
        try:
            return _request_code(ctx, prompts.ask(say("Your e-mail address?")))
        except UsageError as error:
            ctx.output.note(error.message)


def _ask_name(ctx: CliContext) -> None:
    """Ask for the name that the other players see, after the first sign-in."""
    question = say("Your name? The people you play with see it. (Enter: choose one later)")
    with suppress(EOFError):
        while name := prompts.ask(question):
            try:
                ctx.account().rename(name)
            except UsageError as error:
                ctx.output.note(error.message)
            else:
                return


def _ask_code(ctx: CliContext, email: str) -> dict[str, Any]:
    """Ask for the code until it is right; without one, a new one is mailed."""
    question = say("The code in it?")
    while True:
        code = "".join(prompts.ask(question).split())
        try:
            if code:
                return ctx.account().confirm(email, code)
            ctx.output.note(ctx.account().request_code(email)["detail"])
        except NotSignedIn as error:
            ctx.output.note(error.message)
            question = say("The code? (Enter alone: mail me a new one)")


@app.command(epilog="Example: marrakech-cli logout")
def logout(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Sign out: forget the token and the links of this server.

    Other servers stay as they are.
    """
    ctx = CliContext(None, server, json, verbose)
    had = ctx.config.servers.pop(ctx.server, None)
    if ctx.config.current == ctx.server:
        ctx.config.current = min(ctx.config.servers, default=None)
    ctx.config.save()
    done = say("Forgotten: you are signed out of %(server)s.") if had else say("You were not signed in at %(server)s.")
    ctx.output.result({"server": ctx.server, "signed_in": False}, lambda: [done % {"server": ctx.server}])


@app.command(epilog="Example: marrakech-cli whoami")
def whoami(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Say who you are on which server, and which links you hold."""
    ctx = CliContext(None, server, json, verbose)
    kept = ctx.server_config
    value: dict[str, Any] = {"server": ctx.server, "email": None, "name": None, "game": kept.game}
    lines = [say("Server: %(server)s") % {"server": ctx.server}]
    if ctx.token is not None and not is_seat_token(ctx.token):
        me = ctx.account().me()
        value |= {"email": me["email"], "name": me["name"]}
        lines.append(
            say("Signed in as %(email)s")
            % {"email": one_line(f"{me['name']} <{me['email']}>" if me["name"] else me["email"], 100)}
        )
    elif not kept.links and ctx.token is None:
        raise NotSignedIn
    value["links"] = sorted(kept.links)
    lines += [say("A link for the game %(game)s") % {"game": game} for game in sorted(kept.links)]
    if kept.game:
        lines.append(say("Current game: %(game)s") % {"game": kept.game})
    value["others"] = [other for other in sorted(ctx.config.servers) if other != ctx.server]
    lines += [say("Also known: %(server)s") % {"server": other} for other in value["others"]]
    ctx.output.result(value, lambda: lines)


@app.command(epilog="Example: marrakech-cli use https://marrakech.example.org/t/TOKEN")
def use(
    link: Annotated[
        str | None,
        typer.Argument(
            metavar="LINK",
            help="A link out of a letter, or the name or id of a game; asked for where it is left out.",
            autocompletion=complete_game,
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Have no current game again.")] = False,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Choose the current game, which commands without --game are about.

    A link out of a letter is enough to play, without signing in; a link of another server takes that server. Left out,
    the link is asked for and not shown, so that it stays out of your shell's history.
    """
    ctx = CliContext(None, server, json, verbose)
    if clear:
        ctx.server_config.game = None
        ctx.config.save()
        ctx.output.result({"server": ctx.server, "game": None}, lambda: [say("There is no current game now.")])
        return
    _choose_game(ctx, _read(ctx, link or prompts.ask_secret(say("The link?"))))


def _read(ctx: CliContext, words: str) -> Link:
    if not is_link(words):
        return Link(ctx.server, "g", None, ctx.find_game(words))
    link = read_link(words)
    if link.kind == "login":
        raise UsageError(
            say("That link signs you in in the browser; here type the code of that letter: marrakech-cli login")
        )
    return link


def _choose_game(ctx: CliContext, link: Link) -> None:
    """Make the link's game the current one and keep the link, if the seat can't be played without it."""
    from cli.api import Game

    kept, game = ctx.config.server(link.server), str(link.game)
    http = ctx.http if link.server == ctx.server else ctx.http_for(link.server)
    saved = kept.links.get(game, "").partition("/")[2]
    token = link.token if link.kind in {"t", "s"} else saved or kept.token
    view = Game(http, token, game).view()
    if link.kind in {"t", "s"} and not _has_seat(http, kept.token, game, view["you"]):
        kept.links[game] = f"{link.kind}/{link.token}"
    kept.game, ctx.config.current = game, link.server
    ctx.config.save()
    value = {"server": link.server, "game": game, "name": view["name"], "you": view["you"], "status": view["status"]}
    ctx.output.result(value, lambda: _describe(link, view))


def _has_seat(http: "HttpClient", token: str | None, game: str, seat: int | None) -> bool:
    """Whether the player who is signed in has that seat anyway."""
    from cli.api import Game

    return token is not None and seat is not None and bool(Game(http, token, game).view()["you"] == seat)


def _describe(link: Link, view: dict[str, Any]) -> list[str]:
    words = {"name": one_line(view["name"], 48), "server": link.server}
    if view["you"] is None:
        lines = [say("Current game: %(name)s at %(server)s, as an onlooker.") % words]
    else:
        words["who"] = seat_names(view["seats"])[view["you"]]
        lines = [say("Current game: %(name)s at %(server)s, as %(who)s.") % words]
    if link.kind == "join":
        lines.append(say("Take an open seat with: marrakech-cli join"))
    return [*lines, say("See it with: marrakech-cli show")]
