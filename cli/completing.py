"""What the shell can complete: games, servers, directions and places. It never says anything and never takes long."""

from typing import Any, Final

DIRECTIONS: Final = ("left", "ahead", "right")


def games(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
    """The player's games by id, with their names; those with a link first."""
    from cli.errors import Trouble  # noqa: PLC0415 - only the shell asks

    desk = _desk(ctx)
    try:
        found = dict.fromkeys(desk.known.links, "")
        if desk.own_token is not None:
            found |= {game["id"]: game["name"] for game in desk.tables().all()}
    except Trouble:
        return []
    return [(id_, name) for id_, name in found.items() if id_.startswith(incomplete)]


def servers(incomplete: str) -> list[str]:
    """The servers that are remembered."""
    from cli.config import Memory  # noqa: PLC0415 - as above
    from cli.errors import Trouble  # noqa: PLC0415 - as above
    from cli.links import LOCAL  # noqa: PLC0415 - as above

    try:
        known = sorted({LOCAL, *Memory().servers})
    except Trouble:
        return []
    return [server for server in known if server.startswith(incomplete)]


def directions(incomplete: str) -> list[str]:
    """The ways to send Assam."""
    return [each for each in DIRECTIONS if each.startswith(incomplete)]


def turns(incomplete: str) -> list[str]:
    """The ways to turn him."""
    return [each for each in ("left", "right") if each.startswith(incomplete)]


def places(ctx: Any, incomplete: str) -> list[str]:
    """The places where a rug may lie now."""
    from cli.errors import Trouble  # noqa: PLC0415 - as above
    from cli.table_text import places_of  # noqa: PLC0415 - as above

    try:
        found = ["-".join(place) for place in places_of(_desk(ctx).play().view())]
    except Trouble:
        return []
    return [place for place in found if place.startswith(incomplete)]


def _desk(ctx: Any) -> Any:
    from cli.context import CliContext, GlobalOptions  # noqa: PLC0415 - as above

    desk = CliContext(GlobalOptions(ctx.params.get("game"), ctx.params.get("server"), json=True))
    desk.connection.hurry()
    return desk
