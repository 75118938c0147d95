"""The page behind the link in a sign-in letter: a button, and then the token for programs.

Opening the link uses nothing up, since mail scanners open links; pressing the button does.
"""

from flask import Blueprint, render_template

from service.identity import sign_in_with_link
from service.office import Office
from service.routes.sealing import sealed_pages


def sign_in_pages(office: Office) -> Blueprint:
    """`/login/TOKEN`."""
    pages = sealed_pages("sign_in")

    @pages.get("/login/<token>")
    def ask(token: str) -> str:
        office.links.read_sign_in(token, office.clock())
        return render_template("sign_in.html", player=None)

    @pages.post("/login/<token>")
    def sign_in(token: str) -> str:
        player = sign_in_with_link(office, token)
        return render_template("sign_in.html", player=player, token=office.links.api(player.id, player.token_version))

    return pages
