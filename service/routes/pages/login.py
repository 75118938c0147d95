"""Signing in and out in the browser: an address, then the code or the link from the letter, at first also a name.

Opening the link does not sign in, because mail scanners open links; pressing the button does.
"""

import re
from collections.abc import Callable
from typing import Final

from flask import Response, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from service.auth.addresses import read_address
from service.auth.login import confirm_code, find_next_path, log_in_with_link, send_login_code
from service.db.models import LONGEST_PATH, Player
from service.errors import BadRequest, Problem
from service.games.names import suggest_name
from service.games.players import set_name
from service.routes.current import current_context, current_player, current_reader
from service.routes.pages.forms import NO_ADDRESS, read_player_name
from service.routes.pages.mailbox import mailbox_link
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import (
    adopt_browser_settings,
    authenticate_form,
    delete_session_cookie,
    login_browser,
    set_login_cookie,
    set_session_cookie,
)

_PATH: Final = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~-]*(?:\?[a-z]+=[A-Za-z0-9-]+)?")
"""A path on this server, with at most one parameter; anything else could lead to another site."""


pages = create_page_blueprint("sign_in")


@pages.get("/login")
def show_login() -> ResponseReturnValue:
    """Ask for an address; a player who is already signed in is redirected."""
    if current_player() is not None:
        return redirect(onward(), 303)
    return _page()


@pages.post("/login")
def submit_login() -> ResponseReturnValue:
    """Send a code to the address, or sign in with the code."""
    ctx, email, code = current_context(), request.form.get("email", ""), request.form.get("code", "")
    try:
        if code:
            return _sign_in(lambda: _confirm_code(email, code))
        send_login_code(ctx, email, request.remote_addr, current_reader().language, login_browser(), onward())
    except BadRequest:  # its sentence names a field of the API, which the page does not have
        return _page(typed=email, refusal=NO_ADDRESS), BadRequest.status
    except Problem as problem:
        return _page(email=email if code else "", typed=email, refusal=problem), problem.status
    return _page(email=email)


@pages.get("/login/<token>")
def show_login_link(token: str) -> ResponseReturnValue:
    """Show the button that signs in; opening the link must not use it up."""
    return _page(link=True, wanted=find_next_path(current_context(), token))


@pages.post("/login/<token>")
def submit_login_link(token: str) -> ResponseReturnValue:
    """Sign in with the link from the letter."""
    return _sign_in(lambda: log_in_with_link(current_context(), token))


@pages.post("/logout")
def submit_logout() -> ResponseReturnValue:
    """Sign out of this browser."""
    authenticate_form()
    response = redirect("/", 303)
    delete_session_cookie(response)
    return response


@pages.get("/welcome")
def show_welcome() -> ResponseReturnValue:
    """Ask for the name of a player who has just signed in for the first time."""
    player = current_player()
    if player is None:
        return redirect(f"/login?next={onward()}", 303)
    if player.name:
        return redirect(onward(), 303)
    return render_template("welcome.html", name=suggest_name(player.email), onward=onward(), errors={})


@pages.post("/welcome")
def submit_welcome() -> ResponseReturnValue:
    """Store the name, and redirect to the requested page."""
    player, name = authenticate_form(), request.form.get("name", "")
    try:
        set_name(current_context(), player, read_player_name(name))
    except BadRequest as problem:
        return render_template("welcome.html", name=name, onward=onward(), errors={"name": problem}), problem.status
    return redirect(onward(), 303)


def _page(
    email: str = "",
    typed: str = "",
    refusal: Problem | str | None = None,
    link: bool = False,
    wanted: str = "",
) -> Response:
    page = render_template(
        "sign_in.html",
        email=email,
        typed=typed,
        refusal=refusal,
        link=link,
        onward=wanted or onward(),
        mailbox=mailbox_link(),
    )
    response = make_response(page)
    set_login_cookie(response)
    return response


def _confirm_code(email: str, code: str) -> Player:
    """The player with this code; in another tab, the link from the same letter may have signed them in already."""
    player = current_player()
    if player is not None and player.email == read_address(email):
        return player
    return confirm_code(current_context(), email, code, request.remote_addr, login_browser())


def _sign_in(identify: Callable[[], Player]) -> ResponseReturnValue:
    started = current_context().clock()
    player = identify()
    if player.created >= started:
        adopt_browser_settings(player)
    response = redirect(onward() if player.name else f"/welcome?next={onward()}", 303)
    set_session_cookie(response, player)
    return response


def onward() -> str:
    """Where to go after signing in: where the player came from, or the start page."""
    path = request.values.get("next", "")
    return path if len(path) <= LONGEST_PATH and _PATH.fullmatch(path) else "/"
