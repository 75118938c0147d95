"""The pages; so far the front door only."""

from flask import Blueprint, render_template

from service.office import Office
from service.routes.sealing import sealed_pages
from service.routes.sessions import form_token, visitor


def pages(office: Office, *, mailbox: bool) -> Blueprint:
    """The front door; it shows the way to the mailbox where there is one."""
    blueprint = sealed_pages("pages")

    @blueprint.get("/")
    def home() -> str:
        return render_template("home.html", mailbox=mailbox, player=visitor(office), form=form_token(office))

    return blueprint
