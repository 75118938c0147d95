"""Signing in and out in the browser: an address, then the code or the link from the letter.

Opening the link uses nothing up, since mail scanners open links; pressing the button does.
"""

import re
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request

from service.errors import Problem
from service.identity import sign_in_with_link
from service.models import Player
from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import check_form, close_session, open_session, visitor
from service.signing_in import confirm_code, mail_code

_WAY: Final = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~-]*")
"""A way on this server; anything else could lead somewhere else."""


def sign_in_pages(office: Office) -> Blueprint:
    """`/login`, `/login/TOKEN` and `/logout`."""
    pages = sealed_pages("sign_in")

    @pages.get("/login")
    def ask() -> Any:
        if visitor(office) is not None:
            return redirect(_onward(), 303)
        return _page()

    @pages.post("/login")
    def sign_in() -> Any:
        email, code = request.form.get("email", ""), request.form.get("code", "")
        try:
            if code:
                return _welcome(office, confirm_code(office, email, code))
            mail_code(office, email, request.remote_addr)
        except Problem as problem:
            return _page(email=email if code else "", refusal=problem.detail), problem.status
        return _page(email=email)

    @pages.get("/login/<token>")
    def ask_with_link(token: str) -> str:
        office.links.read_sign_in(token, office.clock())
        return _page(link=True)

    @pages.post("/login/<token>")
    def sign_in_by_link(token: str) -> Any:
        return _welcome(office, sign_in_with_link(office, token))

    @pages.post("/logout")
    def sign_out() -> Any:
        check_form(office)
        response: Any = redirect("/", 303)
        close_session(response)
        return response

    return pages


def _page(email: str = "", refusal: str = "", link: bool = False) -> str:
    return render_template("sign_in.html", email=email, refusal=refusal, link=link, onward=_onward())


def _welcome(office: Office, player: Player) -> Any:
    response: Any = redirect(_onward(), 303)
    open_session(office, response, player)
    return response


def _onward() -> str:
    """Where to go once signed in: where the visitor came from, or the front door."""
    way = request.values.get("next", "")
    return way if _WAY.fullmatch(way) else "/"
