"""Each way to score is explained with the squares that it is about."""

from gettext import NullTranslations

import pytest

from service.engine.json_reader import Json
from service.ui.kilim.figures import example_carpet, lay_carpet
from service.ui.kilim.points import Explanation, explain_points
from tests.ui.kilim.positions import PATCHED, played, seen_by

ENGLISH = NullTranslations()


def explain(*carpets: Json) -> dict[str, Explanation]:
    """The explanations of the first carpet; points don't matter here."""
    points = dict.fromkeys(("rectangle", "motifs", "groups", "largest", "torn"), 0)
    seats = [{"seat": seat, "out": False, "carpet": each, "points": points} for seat, each in enumerate(carpets)]
    return {each.field: each for each in explain_points({"seats": seats}, 0, ENGLISH)}


def test_the_points_are_those_of_the_view_in_the_order_of_the_standings() -> None:
    view = seen_by(played(), 1)
    explained = explain_points(view, 1, ENGLISH)
    assert [each.field for each in explained] == ["rectangle", "motifs", "groups", "largest", "torn"]
    assert [each.points for each in explained] == [view["seats"][1]["points"][each.field] for each in explained]


def test_an_empty_loom_has_nothing_to_point_at() -> None:
    explained = explain({}, {})
    assert all(not each.squares for each in explained.values())
    assert all(each.words.endswith(".") for each in explained.values())


def test_what_is_missing_to_a_rectangle_is_pointed_at() -> None:
    missing = explain(example_carpet(32))["rectangle"]
    assert missing.words == "A full rectangle counts 10. One square of 7 by 3 is missing."
    assert missing.squares == "p14"
    several = explain(lay_carpet([("BE1", "m13-n13"), ("HS1", "o13-o14")]))["rectangle"]
    assert several.words.startswith("A full rectangle counts 10. 2 squares of 3 by 2 are missing")
    assert set(several.squares.split()) == {"m14", "n14"}


def test_a_full_rectangle_is_pointed_at_as_a_whole() -> None:
    full = explain(example_carpet(41))["rectangle"]
    assert full.words == "Your carpet fills a rectangle of 6 by 4 squares."
    assert len(full.squares.split()) == 24


def test_the_motifs_are_named() -> None:
    assert explain(example_carpet(32))["motifs"].words.endswith("You show bird, horn and star.")


def test_groups_are_told_by_their_sizes() -> None:
    groups = explain(example_carpet(32))["groups"]
    assert groups.words.endswith("The sizes of your groups: 6, 5, 3, 2, 2.")
    assert len(groups.squares.split()) == 18


@pytest.mark.parametrize(("own", "other", "motifs"), [(32, 41, "bird, horn and star"), (41, 32, "eye and tree")])
def test_the_largest_groups_are_named_and_pointed_at(own: int, other: int, motifs: str) -> None:
    largest = explain(example_carpet(own), example_carpet(other))["largest"]
    assert largest.words.endswith(f"You have the largest: {motifs}.")
    assert largest.squares


def test_an_equal_group_of_another_player_counts_nothing() -> None:
    largest = explain(example_carpet(32), example_carpet(32))["largest"]
    assert "You have the largest" not in largest.words
    assert not largest.squares


def test_a_player_who_is_out_has_no_largest_group() -> None:
    points = dict.fromkeys(("rectangle", "motifs", "groups", "largest", "torn"), 0)
    seats = [
        {"seat": 0, "out": False, "carpet": lay_carpet([("SS1", "m13-n13")]), "points": points},
        {"seat": 1, "out": True, "carpet": example_carpet(32), "points": points},
    ]
    explained = explain_points({"seats": seats}, 0, ENGLISH)
    assert explained[3].words.endswith("You have the largest: star.")


def test_torn_squares_are_named_unless_a_scrap_covers_them() -> None:
    torn = explain(example_carpet(32))["torn"]
    assert set(torn.squares.split()) == {"m15", "s14"}
    assert "Torn: " in torn.words
    assert not explain(PATCHED)["torn"].squares
