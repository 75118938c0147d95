"""Old names of `service.routes.pages.session`, for pages that still use them."""

from service.context import AppContext
from service.db.models import Player
from service.routes.current import SESSION_COOKIE as COOKIE
from service.routes.current import current_player
from service.routes.pages import session
from service.routes.pages.session import FORM_FIELD, authenticate_form

__all__ = ["COOKIE", "FORM_FIELD", "check_form", "form_token", "visitor"]


def form_token(_ctx: AppContext) -> str:
    return session.form_token()


def visitor(_ctx: AppContext) -> Player | None:
    return current_player()


def check_form(_ctx: AppContext) -> Player:
    return authenticate_form()
