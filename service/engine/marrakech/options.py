"""The options of a table: read, written and put into words."""

from service.engine.json_reader import Fields, Json, number, one_of, or_null
from service.engine.marrakech.state import PILE_KINDS, VARIANTS, Options


def read_options(value: object, seats: int, where: str = "options") -> Options:
    """The options of a table with so many seats, defaults filled in; raises `Malformed`."""
    fields = Fields(value, where)
    usual = Options()
    options = Options(
        fields.take_or("variant", one_of(VARIANTS), usual.variant),
        fields.take_or("pile", one_of(PILE_KINDS), usual.pile),
        fields.take_or("first", or_null(number(0, seats - 1)), usual.first),
    )
    fields.end()
    return options


def write_options(options: Options) -> Json:
    """The options as JSON; who begins is there only where the host has named somebody."""
    named = {} if options.first is None else {"first": options.first}
    return {"variant": options.variant, "pile": options.pile} | named
