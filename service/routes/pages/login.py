"""Signing in and out in the browser: an address, then the code or the link from the letter.

Opening the link uses nothing up, since mail scanners open links; pressing the button does.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request

from service.auth.identity import sign_in_with_link
from service.auth.login import confirm_code, send_login_code
from service.context import AppContext
from service.db.models import Player
from service.errors import BadRequest, Problem
from service.i18n import marked
from service.routes.pages.browser_defaults import settle_in
from service.routes.pages.page_language import reader_here
from service.routes.pages.security_headers import sealed_pages
from service.routes.pages.sessions import check_form, close_session, open_session, visitor

NO_ADDRESS: Final = marked("Write an address such as ann@example.org.")
_WAY: Final = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~-]*")
"""A way on this server; anything else could lead somewhere else."""


def sign_in_pages(ctx: AppContext) -> Blueprint:
    """`/login`, `/login/TOKEN` and `/logout`."""
    pages = sealed_pages("sign_in")

    @pages.get("/login")
    def ask() -> Any:
        if visitor(ctx) is not None:
            return redirect(onward(), 303)
        return _page()

    @pages.post("/login")
    def sign_in() -> Any:
        email, code = request.form.get("email", ""), request.form.get("code", "")
        try:
            if code:
                return _welcome(ctx, lambda: confirm_code(ctx, email, code))
            send_login_code(ctx, email, request.remote_addr, reader_here(ctx).language)
        except BadRequest:  # its sentence names a field of the API, which the page does not have
            return _page(typed=email, refusal=NO_ADDRESS), BadRequest.status
        except Problem as problem:
            return _page(email=email if code else "", typed=email, refusal=problem), problem.status
        return _page(email=email)

    @pages.get("/login/<token>")
    def ask_with_link(token: str) -> str:
        ctx.links.read_sign_in(token, ctx.clock())
        return _page(link=True)

    @pages.post("/login/<token>")
    def sign_in_by_link(token: str) -> Any:
        return _welcome(ctx, lambda: sign_in_with_link(ctx, token))

    @pages.post("/logout")
    def sign_out() -> Any:
        check_form(ctx)
        response: Any = redirect("/", 303)
        close_session(response)
        return response

    return pages


def _page(email: str = "", typed: str = "", refusal: Problem | str | None = None, link: bool = False) -> str:
    return render_template("sign_in.html", email=email, typed=typed, refusal=refusal, link=link, onward=onward())


def _welcome(ctx: AppContext, identify: Callable[[], Player]) -> Any:
    came = ctx.clock()
    player = identify()
    if player.created >= came:
        settle_in(ctx, player)
    response: Any = redirect(onward(), 303)
    open_session(ctx, response, player)
    return response


def onward() -> str:
    """Where to go once signed in: where the visitor came from, or the front door."""
    way = request.values.get("next", "")
    return way if _WAY.fullmatch(way) else "/"
