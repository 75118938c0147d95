"""Old names of `service.routes.current`, for pages that still use them."""

from service.context import AppContext
from service.i18n import Reader
from service.routes.current import current_reader
from service.routes.current import query_language as language_named
from service.routes.current import set_reader as speak_to
from service.routes.pages.responses import CACHE_FOR_A_DAY as FOR_A_DAY

__all__ = ["FOR_A_DAY", "language_named", "reader_here", "speak_to"]


def reader_here(_ctx: AppContext) -> Reader:
    return current_reader()
