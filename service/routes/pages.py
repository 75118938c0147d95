"""The pages; so far the front door only."""

from flask import Blueprint, render_template


def pages(*, mailbox: bool) -> Blueprint:
    """The front door; it shows the way to the mailbox where there is one."""
    blueprint = Blueprint("pages", __name__)

    @blueprint.get("/")
    def home() -> str:
        return render_template("home.html", mailbox=mailbox)

    return blueprint
