"""Old names of `service.routes.pages.session`, for pages that still use them."""

from service.context import AppContext
from service.db.models import Player
from service.routes.pages.session import adopt_browser_settings
from service.routes.pages.session import has_default_settings as has_said_nothing

__all__ = ["has_said_nothing", "settle_in"]


def settle_in(_ctx: AppContext, player: Player) -> None:
    adopt_browser_settings(player)
