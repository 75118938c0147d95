"""Signing in and out, and who one is."""

from gettext import gettext as say
from typing import Annotated

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import NotSignedIn, Usage
from cli.links import is_seat_token
from cli.names import one_line
from cli.program import command


@command("marrakech-cli login ann@example.org", game=False)
def login_(
    desk: CliContext,
    email: Annotated[str | None, typer.Argument(help="Your address; asked for where it is left out.")] = None,
    code: Annotated[
        str | None, typer.Option("--code", help="The code out of the letter, where you have it already.")
    ] = None,
) -> None:
    """Sign in: have a code mailed to your address, and type it in.

    The token is kept in this user's settings, for each server its own, and never shown.
    """
    if email is None:
        if not desk.paper.asks:
            raise Usage(say("Name your address: marrakech-cli login you@example.org"))
        email = prompts.line(say("Your e-mail address?"))
    account = desk.account()
    if code is None:
        detail = account.ask_for_code(email)["detail"]
        if not desk.paper.asks:
            hint = say("Then type: marrakech-cli login %(email)s --code CODE") % {"email": email}
            desk.paper.put({"server": desk.server, "email": email, "signed_in": False}, lambda: [detail, hint])
            return
        desk.paper.note(detail)
        code = prompts.line(say("The code in it?"))
    player = _confirmed(desk, email, code)
    told = say("You are signed in at %(server)s as %(email)s.") % {"server": desk.server, "email": player["email"]}
    desk.paper.put({"server": desk.server, "email": player["email"], "signed_in": True}, lambda: [told])


def _confirmed(desk: CliContext, email: str, code: str) -> dict[str, str]:
    answer = desk.account().confirm(email, "".join(code.split()))
    player: dict[str, str] = answer["player"]
    desk.known.token, desk.known.email = answer["token"], player["email"]
    desk.memory.current = desk.server
    desk.memory.save()
    return player


@command("marrakech-cli logout", game=False)
def logout_(desk: CliContext) -> None:
    """Forget the token and the links of this server; other servers stay as they are."""
    had = desk.memory.servers.pop(desk.server, None)
    if desk.memory.current == desk.server:
        desk.memory.current = next(iter(sorted(desk.memory.servers)), None)
    desk.memory.save()
    told = say("Forgotten: you are signed out of %(server)s.") if had else say("You were not signed in at %(server)s.")
    desk.paper.put({"server": desk.server, "signed_in": False}, lambda: [told % {"server": desk.server}])


@command("marrakech-cli whoami", game=False)
def whoami_(desk: CliContext) -> None:
    """Say who you are on which server, and which links you hold."""
    known = desk.known
    value: dict[str, object] = {"server": desk.server, "email": None, "name": None, "game": known.game}
    lines = [say("Server: %(server)s") % {"server": desk.server}]
    if desk.own_token is not None and not is_seat_token(desk.own_token):
        me = desk.account().me()
        value |= {"email": me["email"], "name": me["name"]}
        lines.append(say("Signed in as %(email)s") % {"email": one_line(f"{me['name']} <{me['email']}>".strip(), 100)})
    elif not known.links and desk.own_token is None:
        raise NotSignedIn
    value["links"] = sorted(known.links)
    lines += [say("A link for the game %(game)s") % {"game": game} for game in sorted(known.links)]
    if known.game:
        lines.append(say("In hand: the game %(game)s") % {"game": known.game})
    others = [server for server in sorted(desk.memory.servers) if server != desk.server]
    value["others"] = others
    lines += [say("Also known: %(server)s") % {"server": server} for server in others]
    desk.paper.put(value, lambda: lines)
