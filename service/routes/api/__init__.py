"""The HTTP API under /api/v1: importing the package adds every call to its blueprint."""

from service.routes.api import account, analysis, boards, clocks, games, group, play
from service.routes.api.blueprint import api, openapi

__all__ = ["account", "analysis", "api", "boards", "clocks", "games", "group", "openapi", "play"]
