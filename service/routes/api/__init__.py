"""The HTTP API under /api/v1: importing the package adds every call to its blueprint."""

from service.routes.api import account, boards, clocks, games, group, play
from service.routes.api.blueprint import api, openapi

__all__ = ["account", "api", "boards", "clocks", "games", "group", "openapi", "play"]
