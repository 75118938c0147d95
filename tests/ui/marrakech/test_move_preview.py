"""What each direction costs, in a few words."""

from service.engine.marrakech.game import MARRAKECH
from service.i18n import translations_for
from service.ui.marrakech.move_preview import describe_costs
from tests.ui.marrakech.positions import new_table, played

NAMES = ("Ann", "Bob", "Cleo", "Dan")


def test_at_the_start_no_direction_costs_anything() -> None:
    costs = describe_costs(new_table().state, NAMES, translations_for("en"))
    assert costs == dict.fromkeys(("left", "ahead", "right"), "costs nothing")


def test_a_direction_has_its_average_and_its_highest_cost_in_the_readers_language() -> None:
    state = played(new_table(), 20).state
    english, french = (describe_costs(state, NAMES, translations_for(language)) for language in ("en", "fr"))
    assert any("dirhams on average, at most" in cost for cost in english.values())
    assert any("dirhams en moyenne" in cost and "," in cost for cost in french.values())


def test_while_a_rug_is_to_be_laid_nothing_is_said() -> None:
    table = new_table()
    seat = min(MARRAKECH.to_act(table.state))
    table = table.act(seat, {"type": "face", "direction": "left"}, "", "2000-01-01T00:00:00Z")
    assert describe_costs(table.state, NAMES, translations_for("en")) == {}
