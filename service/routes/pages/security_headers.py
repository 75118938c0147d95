"""Old names of `service.routes.pages.responses`, for pages that still use them."""

from service.routes.pages.responses import add_security_headers as seal
from service.routes.pages.responses import create_page_blueprint as sealed_pages

__all__ = ["seal", "sealed_pages"]
