"""The forms on `/me` for channels besides mail, and the service worker that shows web push messages."""

from flask import Response, current_app, redirect, request
from flask.typing import ResponseReturnValue

from service.errors import BadRequest, Problem
from service.games import channels
from service.routes.current import current_context
from service.routes.pages.forms import NOT_COMPLETE, read_name
from service.routes.pages.responses import create_page_blueprint
from service.routes.pages.session import authenticate_form
from service.routes.pages.settings import settings_page

pages = create_page_blueprint("channels")


@pages.post("/me/channels")
def add_channel() -> ResponseReturnValue:
    """Add a service, or the browser that sends its push subscription."""
    ctx, player, form = current_context(), authenticate_form(), request.form
    field = "subscription" if "subscription" in form else "url"
    try:
        name = read_name(form.get("name", ""))
        if field == "subscription":
            channels.add_browser(ctx, player, form["subscription"], name)
        elif "url" in form:
            channels.add_service(ctx, player, form["url"], name)
        else:
            raise BadRequest(NOT_COMPLETE)
    except Problem as problem:
        return settings_page(player, errors={field: problem}), problem.status
    return _back_to_list("channel-added")


@pages.post("/me/channels/<channel>/test")
def send_test_message(channel: str) -> ResponseReturnValue:
    """Send a test message to a channel."""
    channels.send_test_message(current_context(), authenticate_form(), channel)
    return _back_to_list("channel-tested")


@pages.post("/me/channels/<channel>/remove")
def remove_channel(channel: str) -> ResponseReturnValue:
    """Remove a channel."""
    channels.remove_channel(current_context(), authenticate_form().id, channel)
    return _back_to_list("channel-removed")


def _back_to_list(done: str) -> ResponseReturnValue:
    return redirect(f"/me?done={done}#notifications", 303)


@pages.get("/push-worker.js")
def show_push_worker() -> Response:
    """The service worker; it is here and not below /static, because its path limits the pages that may use it."""
    return current_app.send_static_file("push-worker.js")
