"""The API's call about the group."""

from flask.typing import ResponseReturnValue

from service.routes.api.blueprint import api, call, current_principal
from service.routes.api.group_schemas import Group, GroupQuery
from service.routes.current import current_context, current_reader
from service.routes.group_report import read_report, write_json


@api.get("/group")
@call(Group, query=GroupQuery, also=(403,))
def get_group(query: GroupQuery) -> ResponseReturnValue:
    """How often and how well everybody here has played, with ratings, head to head and records."""
    player = current_principal().require_login()
    report = read_report(current_context(), player, current_reader(), query.game, query.since, query.until)
    return write_json(report, player)
