"""Old names of `service.routes.pages.responses`, for pages that still use them."""

from service.routes.pages.responses import problem_page, wants_page
from service.routes.pages.responses import problem_sentence as in_words

__all__ = ["in_words", "problem_page", "wants_page"]
