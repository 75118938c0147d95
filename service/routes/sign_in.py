"""Signing in and out in the browser: an address, then the code or the link from the letter.

Opening the link uses nothing up, since mail scanners open links; pressing the button does.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request

from service.errors import BadRequest, Problem
from service.identity import sign_in_with_link
from service.languages import marked
from service.models import Player
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import check_form, close_session, open_session, visitor
from service.routes.settling import settle_in
from service.routes.speaking import reader_here
from service.signing_in import confirm_code, mail_code

NO_ADDRESS: Final = marked("Write an address such as ann@example.org.")
_WAY: Final = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~-]*")
"""A way on this server; anything else could lead somewhere else."""


def sign_in_pages(office: Office) -> Blueprint:
    """`/login`, `/login/TOKEN` and `/logout`."""
    pages = sealed_pages("sign_in")

    @pages.get("/login")
    def ask() -> Any:
        if visitor(office) is not None:
            return redirect(onward(), 303)
        return _page()

    @pages.post("/login")
    def sign_in() -> Any:
        email, code = request.form.get("email", ""), request.form.get("code", "")
        try:
            if code:
                return _welcome(office, lambda: confirm_code(office, email, code))
            mail_code(office, email, request.remote_addr, reader_here(office).language)
        except BadRequest:  # its sentence names a field of the API, which the page does not have
            return _page(typed=email, refusal=NO_ADDRESS), BadRequest.status
        except Problem as problem:
            return _page(email=email if code else "", typed=email, refusal=problem), problem.status
        return _page(email=email)

    @pages.get("/login/<token>")
    def ask_with_link(token: str) -> str:
        office.links.read_sign_in(token, office.clock())
        return _page(link=True)

    @pages.post("/login/<token>")
    def sign_in_by_link(token: str) -> Any:
        return _welcome(office, lambda: sign_in_with_link(office, token))

    @pages.post("/logout")
    def sign_out() -> Any:
        check_form(office)
        response: Any = redirect("/", 303)
        close_session(response)
        return response

    return pages


def _page(email: str = "", typed: str = "", refusal: Problem | str | None = None, link: bool = False) -> str:
    return render_template("sign_in.html", email=email, typed=typed, refusal=refusal, link=link, onward=onward())


def _welcome(office: Office, identify: Callable[[], Player]) -> Any:
    came = office.clock()
    player = identify()
    if player.created >= came:
        settle_in(office, player)
    response: Any = redirect(onward(), 303)
    open_session(office, response, player)
    return response


def onward() -> str:
    """Where to go once signed in: where the visitor came from, or the front door."""
    way = request.values.get("next", "")
    return way if _WAY.fullmatch(way) else "/"
