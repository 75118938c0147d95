"""One application for all tests of a process: creating it and compiling its templates takes longer than most tests."""

from flask import Flask

from service.app import create_app
from service.context import AppContext
from service.routes.current import set_context

_apps: dict[bool, Flask] = {}


def app_for(ctx: AppContext, *, mailbox: bool = False) -> Flask:
    """The application, working with this context from now on.

    A test that adds routes, counts requests or needs two contexts at once creates an application of its own.
    """
    if mailbox not in _apps:
        _apps[mailbox] = create_app(ctx, mailbox=mailbox)
    set_context(_apps[mailbox], ctx)
    return _apps[mailbox]
