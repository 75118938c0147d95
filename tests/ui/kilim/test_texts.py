"""Standings, options, introduction, guide and carpets in words, in English and in French."""

from typing import Any

import pytest

from service.engine.json_reader import Json
from service.engine.kilim.game import KILIM
from service.ui.kilim.alt_text import in_short, in_words
from service.ui.tables import standings_lines
from tests.ui.kilim.words_ui import ENGLISH, FRENCH, NAMES, UI, bid, moments, plain, play, position, seat, weave

SHOWN = {"m13": "bird", "n13": "star", "n14": "torn", "m14": "blank"}
CARPET = {
    square: {"shows": shows, "domino": "BE1", "scrap": square == "n13"} for square, shows in sorted(SHOWN.items())
}
POINTS = {"rectangle": 10, "motifs": 0, "groups": 1, "largest": 5, "torn": -3, "total": 13, "squares": 4}
WOVEN = {"carpet": CARPET, "points": POINTS}
GOAL = "Welcome! In each round you bid for a domino"


# Standings


def test_the_standings_show_every_kind_of_points() -> None:
    view = position(own=WOVEN)
    view["seats"][1]["out"] = True
    standings = UI.standings(view, NAMES, ENGLISH)
    titles = ["Rectangle", "Motifs", "Groups", "Largest groups", "Torn", "Total", "Squares"]
    assert [column.title for column in standings.columns] == titles
    assert [column.title for column in standings.columns if column.decides] == ["Total"]
    first, second, _ = standings.rows
    assert first.cells == ("10", "0", "1", "5", "-3", "13", "4")
    assert [(chip.colour, chip.label) for chip in first.chips] == [("red", "red")]
    assert (first.name, first.active, second.active) == ("Ann", True, False)
    french = UI.standings(view, NAMES, FRENCH)
    assert [column.title for column in french.columns] == [
        *("Rectangle", "Motifs", "Groupes", "Plus grands groupes", "Déchiré", "Total", "Cases")
    ]


def test_the_standings_of_five_players_fit_a_letter() -> None:
    *_, (state, _) = moments(5)
    view = KILIM.view(state, None)
    view["seats"] = [{"seat": number, **each} for number, each in enumerate(view["seats"])]
    for translations in (ENGLISH, FRENCH):
        standings = UI.standings(view, ["A player with a long name"] * 5, translations)
        lines = standings_lines(standings, [], translations.gettext)
        assert [len(line) <= 72 for line in lines] == [True] * 6, lines


def test_a_seat_that_is_out_has_a_note_instead_of_points() -> None:
    view = position(own=WOVEN)
    view["seats"][1]["out"] = True
    for translations, note in ((ENGLISH, "(out)"), (FRENCH, "(hors jeu)")):
        lines = standings_lines(UI.standings(view, NAMES, translations), [], translations.gettext)
        assert all(len(line) <= 72 for line in lines), lines
        assert lines[2].split()[1:] == [translations.gettext("blue"), *note.split()]
        assert lines[1].split()[-7:] == ["10", "0", "1", "5", "-3", "13", "4"]


# What players have


def test_a_reader_sees_every_hand_and_only_their_own_scraps() -> None:
    mine = {"card": "spy", "bid": 3, "scraps": ["star", "eye"], "bag": None}
    own = {"gold": [1, 3, 4, 5, 6, 9], "specials": ["spy", "bag"], "scraps": 2, "perfect": ["OO1"]}
    view = position(own=own, mine=mine, bag_left=1, tokens=["turn", "move"], result=None)
    view["seats"][1] |= {"gold": [2], "specials": [], "scraps": 1, "token": {"token": "turn", "used": False}}
    view["seats"][2] |= {"gold": [], "specials": [], "token": {"token": "move", "used": True}}
    assert UI.describe_holdings(view, NAMES, ENGLISH) == (
        "Cards and pieces",
        [
            "You: 1, 4-6, 9, bag + scraps star, eye + OO1",
            "Ben: 2 + 1 scrap + token turn",
            "Salma: no cards",
            "Left to win today: 1 scrap + tokens turn, move",
        ],
    )
    french = UI.describe_holdings({**view, "you": 1, "mine": {**mine, "scraps": ["bird"]}}, NAMES, FRENCH)
    assert french is not None
    assert [plain(line) for line in french.lines] == [
        "Vous : 2 + chute oiseau + jeton tourner",
        "Ann : 1, 3-6, 9, espion, sac + 2 chutes + OO1",
        "Salma : aucune carte",
        "Encore à gagner aujourd'hui : 1 chute + jetons tourner, déplacer",
    ]


def test_what_all_players_have_is_told_once_and_cards_not_in_the_evening() -> None:
    mine: Json = {"card": None, "bid": None, "scraps": [], "bag": None}
    view = position(mine=mine, bag_left=0, tokens=[], result=None)
    told = UI.describe_holdings(view, NAMES, ENGLISH)
    assert told is not None
    assert told.lines == ["Everyone: 1-15, spy, bag, artisan"]
    view |= {"phase": "evening"}
    assert UI.describe_holdings(view, NAMES, ENGLISH) is None
    view["seats"][2]["perfect"] = ["OO2"]
    told = UI.describe_holdings(view, NAMES, ENGLISH)
    assert told is not None
    assert told.lines == ["Salma: OO2"]
    assert UI.describe_holdings(view | {"result": {"winners": [0]}}, NAMES, ENGLISH) is None


# Options and introduction


def test_the_option_is_offered_and_described() -> None:
    (field,) = UI.options_form(ENGLISH)
    assert field.name == "weaving"
    assert [value for value, _ in field.values] == ["relaxed", "strict"]
    assert KILIM.read_options({}, 3) == {"weaving": field.values[0][0]}
    for value, words in field.values:
        (described,) = UI.describe_options({"weaving": value}, 3, ENGLISH)
        assert described == ("Weaving", words, value == "relaxed")
    (french,) = UI.options_form(FRENCH)
    assert plain(french.values[0][1]).startswith("Souple : le domino suivant")


def test_the_game_is_introduced() -> None:
    assert UI.tagline(ENGLISH).startswith("Kilim is a board game about weaving: ")
    assert UI.tagline(FRENCH).startswith("Kilim est un jeu de tissage")
    assert UI.describe_length(2, ENGLISH).startswith("A game has 30 rounds.")
    assert UI.describe_length(4, FRENCH).startswith("Une partie compte 45 manches.")


# Carpets in words


def test_all_carpets_are_described_and_the_reader_s_square_by_square() -> None:
    view = position(own=WOVEN)
    view["seats"][2]["out"] = True
    assert in_words(view, ENGLISH) == UI.alt_text(view, ENGLISH)
    assert UI.alt_text(view, ENGLISH) == (
        "Day 1, round 3 of 45. On offer: HS1."
        " Ann (red): points 13, squares 4 (bird 1, blank 1, star 1, torn 1)."
        " Ben (blue) has no carpet yet. Salma (green) is out."
        " Row 14: m14 blank, n14 torn. Row 13: m13 bird, n13 star (scrap)."
    )
    assert plain(UI.alt_text(view, FRENCH)) == (
        "Jour 1, manche 3 sur 45. En vente : HS1."
        " Ann (rouge) : points 13, cases 4 (oiseau 1, uni 1, étoile 1, déchiré 1)."
        " Ben (bleu) n'a pas encore de tapis. Salma (vert) est hors jeu."
        " Rangée 14 : m14 uni, n14 déchiré. Rangée 13 : m13 oiseau, n13 étoile (chute)."
    )


def test_a_spectator_reads_all_carpets_without_squares() -> None:
    told = UI.alt_text(position(own=WOVEN, you=None), ENGLISH)
    assert "Ann (red): points 13" in told
    assert "Row" not in told


def test_one_carpet_is_described_square_by_square() -> None:
    view = position(own=WOVEN, you=1)
    assert in_words(view, ENGLISH, 0) == (
        "Day 1, round 3 of 45. On offer: HS1."
        " Ann (red): points 13, squares 4 (bird 1, blank 1, star 1, torn 1)."
        " Row 14: m14 blank, n14 torn. Row 13: m13 bird, n13 star (scrap)."
    )
    assert in_words(position(phase="over", offer=[]), ENGLISH, 2) == "Salma (green) has no carpet yet."


def test_rows_go_from_the_top_to_the_bottom_and_squares_from_the_left() -> None:
    squares = {each: {"shows": "eye", "domino": "EE1", "scrap": False} for each in ("m9", "m10", "n10", "l10", "m11")}
    told = in_words(position(you=None, own={"carpet": squares}), ENGLISH, 0)
    assert told.endswith("Row 11: m11 eye. Row 10: l10 eye, m10 eye, n10 eye. Row 9: m9 eye.")


def test_a_picture_has_a_title() -> None:
    assert in_short(position(), ENGLISH) == "Friday: all carpets in round 3"
    assert in_short(position(), ENGLISH, 1) == "Friday: Ben's carpet in round 3"
    assert in_short({**position(), "name": ""}, ENGLISH) == "Kilim: all carpets in round 3"
    assert plain(in_short(position(), FRENCH, 1)) == "Friday : le tapis de Ben à la manche 3"


# Guide


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (position(play(7)), "Play one card, face down: gold, or a special card"),
        (position(weave("BE1", "m14-m13"), own={"owes": {"weave": ["BE1"]}}), "Weave the domino you won"),
        (position({"type": "keep", "scrap": "star"}, own={"owes": {"keep": True}}), "Keep one of the scraps"),
        (position({"type": "take", "token": "turn"}, own={"owes": {"take": True}}), "Take one of the artisan's tokens"),
        (position(bid(7), phase="spy", shown=["spy", 3, 4]), "You've seen the others' gold."),
        (position(bid(7), phase="pay", shown=["bag", 3, 4]), "Pay more gold than the winner"),
        (position(bid(7), phase="pay", shown=["artisan", 3, 4]), "Pay less gold than the winner"),
        (position({"type": "pass"}, phase="evening"), "The day is over. Use what you still want"),
        (position({"type": "patch", "scrap": "star", "square": "m13"}), "You can use your scraps, tokens and perfect"),
        (position(), "The others are choosing."),
        (position(you=None), "The others are choosing."),
        (position(phase="over"), "You score for a full rectangle"),
    ],
)
def test_each_step_is_explained(view: Json, told: str) -> None:
    assert UI.explain_step(view, ENGLISH).startswith(told)
    assert UI.explain_step(view, FRENCH) != UI.explain_step(view, ENGLISH)


def shown(*cards: int | str) -> dict[str, Any]:
    return {"type": "shown", "round": 1, "cards": list(cards)}


def test_a_new_player_reads_the_goal_and_the_first_step() -> None:
    goal, step = UI.explain_news(position(play(7)), [], [], ENGLISH)
    assert goal.startswith(GOAL)
    assert step.startswith("Play one card")


def test_each_rule_is_explained_when_it_first_matters() -> None:
    view = position(play(7))
    earlier = [{"type": "played", "seat": 0, "round": 1, "card": 7}, shown(7, "spy", "bag")]
    carried = {"type": "auctioned", "round": 2, "gold": [3, 3, 3], "winner": None, "dominoes": ["BX"], "fate": "lost"}
    torn = {"type": "woven", "seat": 1, "domino": "BX", "squares": ["m13", "n13"]}
    new_day = {"type": "revealed", "round": 16, "day": 2, "domino": "HS2", "offer": ["HS2"]}
    new = [shown("artisan", "spy", 3), carried, torn, new_day]
    told = UI.explain_news(view, earlier, new, ENGLISH)
    starts = ["An artisan wins a token", "Equal gold cancels out.", "A torn square costs 3 points.", "A new day:"]
    assert [start for lesson, start in zip(told, starts, strict=True) if lesson.startswith(start)] == starts
    assert UI.explain_news(view, [*earlier, *new], new, ENGLISH) == []


def test_what_others_did_before_the_first_action_is_explained_after_it() -> None:
    others, own = [shown("spy", 3, 4)], {"type": "played", "seat": 0, "round": 2, "card": 7}
    assert UI.explain_news(position(), [], others, ENGLISH)[0].startswith(GOAL)
    (lesson,) = UI.explain_news({**position(), "to_act": []}, others, [own], ENGLISH)
    assert lesson.startswith("A spy waits until all cards are shown")


def test_a_spectator_s_news_have_no_steps() -> None:
    assert [told[:8] for told in UI.explain_news({**position(you=None)}, [], [shown(1, 2, 3)], ENGLISH)] == ["Welcome!"]


@pytest.mark.parametrize("weaving", ["relaxed", "strict"])
def test_every_moment_of_a_game_has_a_question_an_explanation_and_a_description(weaving: str) -> None:
    for state, events in moments(3, weaving):
        for you in (None, 0, 1, 2):
            view = {"name": "Friday", **KILIM.view(state, you)}
            view["seats"] = [{**seat(number), **each} for number, each in enumerate(view["seats"])]
            written = [KILIM.event_view(state, event, you) for event in events]
            for translations in (ENGLISH, FRENCH):
                assert UI.explain_step(view, translations).endswith(".")
                assert all(told.endswith(".") for told in UI.explain_news(view, [], written, translations))
                assert all(UI.question(view, translations))
                assert UI.alt_text(view, translations).endswith(".")
                assert UI.question(view, translations, state).legend.endswith("?")
                held = UI.describe_holdings(view, NAMES, translations)
                assert (held is None) <= (view["result"] is not None or view["phase"] == "evening")
