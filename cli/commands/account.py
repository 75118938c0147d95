"""Signing in and choosing a game: `login`, `logout`, `whoami` and `use`."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final

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

_EMAIL: Final = "Your e-mail address:"


@app.command(epilog="Example: marrakech-cli login ann@example.org")
def login(
    email: Annotated[str | None, typer.Argument(metavar="EMAIL", help="Your e-mail address.")] = None,
    code: Annotated[
        str | None, typer.Option("--code", metavar="CODE", help="The code, if you already have it.")
    ] = None,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Sign in with a code that we send you by e-mail."""
    ctx = CliContext(None, server, json, verbose)
    if email is None and not ctx.output.interactive:
        raise UsageError("Add your e-mail address: marrakech-cli login you@example.org")
    if code is None:
        email, detail = _request_code(ctx, email) if email else _ask_email(ctx)
        if not ctx.output.interactive:
            hint = f"Then run: marrakech-cli login {email} --code CODE"
            ctx.output.result({"server": ctx.server, "email": email, "signed_in": False}, lambda: [detail, hint])
            return
        ctx.output.note(detail)
        answer = _ask_code(ctx, email)
    else:
        email = email or prompts.ask(_EMAIL)
        answer = ctx.account().confirm(email, "".join(code.split()))
    ctx.server_config.token, ctx.server_config.email = answer["token"], answer["player"]["email"]
    ctx.config.current = ctx.server
    ctx.config.save()
    value = {"server": ctx.server, "email": ctx.server_config.email, "signed_in": True}
    ctx.output.result(value, lambda: [f"You're signed in to {ctx.server} as {ctx.server_config.email}."])
    if ctx.output.interactive:
        if not answer["player"].get("name"):
            _ask_name(ctx)
        ctx.output.note("List your games with marrakech-cli games, or start one with marrakech-cli new.")


def _request_code(ctx: CliContext, email: str) -> tuple[str, str]:
    """Have a code sent; return the address and the server's message."""
    if "@" not in email:
        raise UsageError(f"{email[:60]!r} isn't an e-mail address. Write it like you@example.org.")
    return email, str(ctx.account().request_code(email)["detail"])


def _ask_email(ctx: CliContext) -> tuple[str, str]:
    """Ask for the address until it is valid, and have a code sent to it."""
    while True:
        try:
            return _request_code(ctx, prompts.ask(_EMAIL))
        except UsageError as error:
            ctx.output.note(error.message)


def _ask_name(ctx: CliContext) -> None:
    """After the first sign-in, ask for the name that the other players see."""
    question = "Your name, as other players see it (Enter to skip):"
    with suppress(EOFError):
        while name := prompts.ask(question):
            try:
                ctx.account().rename(name)
            except UsageError as error:
                ctx.output.note(error.message)
            else:
                return


def _ask_code(ctx: CliContext, email: str) -> dict[str, Any]:
    """Ask for the code until it is right. An empty line has a new one sent."""
    question = "Code:"
    while True:
        code = "".join(prompts.ask(question).split())
        try:
            if code:
                return ctx.account().confirm(email, code)
            ctx.output.note(ctx.account().request_code(email)["detail"])
        except NotSignedIn as error:
            ctx.output.note(error.message)
            question = "Code (Enter to get a new one):"


@app.command(epilog="Example: marrakech-cli logout")
def logout(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Sign out, and forget the links you've used on this server."""
    ctx = CliContext(None, server, json, verbose)
    had = ctx.config.servers.pop(ctx.server, None)
    if ctx.config.current == ctx.server:
        ctx.config.current = min(ctx.config.servers, default=None)
    ctx.config.save()
    done = f"You're signed out of {ctx.server}." if had else f"You weren't signed in to {ctx.server}."
    ctx.output.result({"server": ctx.server, "signed_in": False}, lambda: [done])


@app.command(epilog="Example: marrakech-cli whoami")
def whoami(
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Show your server, your name and your current game."""
    ctx = CliContext(None, server, json, verbose)
    kept = ctx.server_config
    value: dict[str, Any] = {"server": ctx.server, "email": None, "name": None, "game": kept.game}
    lines = [f"Server: {ctx.server}"]
    if ctx.token is not None and not is_seat_token(ctx.token):
        me = ctx.account().me()
        value |= {"email": me["email"], "name": me["name"]}
        shown = f"{me['name']} <{me['email']}>" if me["name"] else me["email"]
        lines.append(f"Signed in as {one_line(shown, 100)}")
    elif not kept.links and ctx.token is None:
        raise NotSignedIn
    value["links"] = sorted(kept.links)
    lines += [f"Link for game {game}" for game in sorted(kept.links)]
    if kept.game:
        lines.append(f"Current game: {kept.game}")
    value["others"] = [other for other in sorted(ctx.config.servers) if other != ctx.server]
    lines += [f"Other server: {other}" for other in value["others"]]
    ctx.output.result(value, lambda: lines)


@app.command(epilog="Example: marrakech-cli use https://marrakech.example.org/t/TOKEN")
def use(
    link: Annotated[
        str | None,
        typer.Argument(
            metavar="LINK",
            help="A link from an e-mail, or a game's name or id.",
            autocompletion=complete_game,
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget the current game.")] = False,
    server: ServerOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
    debug: DebugOption = False,
) -> None:
    """Choose the current game. With a link from an e-mail, you don't have to sign in."""
    ctx = CliContext(None, server, json, verbose)
    if clear:
        ctx.server_config.game = None
        ctx.config.save()
        ctx.output.result({"server": ctx.server, "game": None}, lambda: ["You have no current game now."])
        return
    _choose_game(ctx, _read(ctx, link or prompts.ask_secret("Paste the link (it isn't shown):")))


def _read(ctx: CliContext, words: str) -> Link:
    if not is_link(words):
        return Link(ctx.server, "g", None, ctx.find_game(words))
    link = read_link(words)
    if link.kind == "login":
        raise UsageError(
            "That link signs you in on the web. Here, run marrakech-cli login and type the code from the same e-mail."
        )
    return link


def _choose_game(ctx: CliContext, link: Link) -> None:
    """Make the link's game the current one. Store the link if the seat can't be played without it."""
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
    """Whether the player's own token is for this seat too."""
    from cli.api import Game

    return token is not None and seat is not None and bool(Game(http, token, game).view()["you"] == seat)


def _describe(link: Link, view: dict[str, Any]) -> list[str]:
    you = "watching" if view["you"] is None else f"playing as {seat_names(view['seats'])[view['you']]}"
    lines = [f'Current game: "{one_line(view["name"], 48)}" on {link.server}', f"You're {you}."]
    if link.kind == "join":
        lines.append("Take an open seat with: marrakech-cli join --game LINK")
    return [*lines, "Show the board with: marrakech-cli show"]
