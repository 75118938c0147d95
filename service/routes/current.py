"""The application's context, for the request that is being handled."""

from typing import Final

from flask import Flask, current_app

from service.context import AppContext

_EXTENSION: Final = "marrakech"


def set_context(app: Flask, ctx: AppContext) -> None:
    """Have the routes of this application work with this context."""
    app.extensions[_EXTENSION] = ctx


def current_context() -> AppContext:
    """The context of the application that handles the current request."""
    ctx: AppContext = current_app.extensions[_EXTENSION]
    return ctx
