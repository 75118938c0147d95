"""Replies about Kilim as they come in: every word of docs/kilim.md, and several lines in one reply."""

from collections.abc import Iterable

import pytest

from service.context import AppContext
from service.db.models import Player
from service.engine.json_reader import Json
from service.games.store import StoredGame, entries, load
from service.mail.inbound.answers import NOT_YOUR_TURN, OF_NO_TURN, TURN_IS_OVER, Outcome, Result
from service.mail.inbound.commands import NOT_ALONE
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from service.ui.kilim.choices import ONE_CARD
from service.ui.words import RESIGN_ALONE, SEVERAL
from tests.mail.inbound.post import address, answers, arrive, message
from tests.mail.kilim_games import (
    domino_on,
    person,
    play_on,
    play_round,
    say,
    speak_french,
    start_kilim,
    view_of,
    with_carpet,
    with_domino,
    with_scrap_won,
    with_token_won,
)
from tests.mail.tables import letters

PLAYED = Outcome(Result.PLAYED)
CARD_GONE = "You don't have this card any more today."


def events_since(ctx: AppContext, game: StoredGame) -> list[Json]:
    """Ann's events since then."""
    now = load(ctx.database, game.id)
    written = [game.rules.events.write(entry.event) for entry in entries(ctx.database, now, game.head)]
    return [event for event in written if event.get("seat") == 0]


def check_words(ctx: AppContext, game: StoredGame, words: Iterable[str], **expected: object) -> None:
    """Each of these replies of Ann's alone does this."""
    for written in words:
        with ctx.database.atomic() as transaction:
            assert arrive(ctx, game, 0, written) == PLAYED, written
            assert expected.items() <= events_since(ctx, game)[0].items(), written
            transaction.rollback()


def check_in_both_languages(
    ctx: AppContext, game: StoredGame, words: Iterable[str], french: Iterable[str], **expected: object
) -> None:
    """English words are understood in every language, French ones by those who read French."""
    check_words(ctx, game, words, **expected)
    speak_french(ctx)
    check_words(ctx, game, [*words, *french], **expected)
    Player.update(language="en").execute(ctx.database)


def answer_text(ctx: AppContext) -> str:
    """The newest answer, as its reader sees it."""
    return " ".join(compose(ctx, letters(ctx, "answer")[-1]).text.split())


# Words


def test_a_card_is_played_in_any_spelling(ctx: AppContext) -> None:
    game = start_kilim(ctx)
    gold = ["7", "gold 7", "play 7", "bid 7", "GOLD 7", "Play 7!", "7.", "Gold 7, please", "07"]
    check_in_both_languages(ctx, game, gold, ["or 7", "jouer 7", "miser 7", "OR 7", "je joue 7"], type="played", card=7)
    for card, french in (
        ("spy", ["espion", "l'espion", "Espion"]),
        ("bag", ["sac", "le sac", "SAC"]),
        ("artisan", ["l\u2019artisan", "Artisan"]),
    ):
        words = [card, card.upper(), f"{card.capitalize()}.", f"play the {card}"]
        check_in_both_languages(ctx, game, words, french, type="played", card=card)


def test_a_spy_bids_gold(ctx: AppContext) -> None:
    game = play_round(ctx, start_kilim(ctx), "spy", 5)
    words = ["7", "gold 7", "play 7", "bid 7", "BID 7"]
    check_in_both_languages(ctx, game, words, ["miser 7", "or 7"], type="bid", gold=7)


def test_gold_is_paid_for_the_bag(ctx: AppContext) -> None:
    game = play_round(ctx, start_kilim(ctx), "bag", 5)
    words = ["7", "gold 7", "play 7", "bid 7", "pay 7", "Pay 7 gold"]
    check_in_both_languages(ctx, game, words, ["payer 7", "miser 7"], type="bid", gold=7)
    assert arrive(ctx, game, 0, "4").why == "For the bag you must pay more than the winner, for the artisan less."


def test_the_only_domino_owed_is_woven(ctx: AppContext) -> None:
    game = with_domino(ctx)
    (owed,) = view_of(game, 0)["seats"][0]["owes"]["weave"]
    places = ["weave m14-n14", "m14-n14", "m14 n14", "M14-N14", "WEAVE M14 N14", "Weave m14\u2013n14."]
    named = [f"weave {owed} m14-n14", f"weave {owed[:2]} m14 n14", f"{owed.lower()} m14-n14"]
    french = ["tisser m14-n14", "Tisse m14 n14", f"tisser {owed} m14-n14"]
    expected = {"type": "woven", "domino": owed, "squares": ["m14", "n14"]}
    check_in_both_languages(ctx, game, [*places, *named], french, **expected)
    double = owed[0] == owed[1]
    squares = ["m14", "n14"] if double else ["n14", "m14"]
    check_words(ctx, game, ["weave n14-m14"], type="woven", domino=owed, squares=squares)


def test_one_of_several_dominoes_is_named(ctx: AppContext) -> None:
    game = play_round(ctx, play_round(ctx, with_carpet(ctx), 3, 3), 8, 4)
    owed = view_of(game, 0)["seats"][0]["owes"]["weave"]
    assert len(owed) == 2
    for domino in owed:
        words = [f"weave {domino} m12-m11", f"weave {domino[:2]} m12 m11", f"WEAVE {domino.lower()} M12-M11"]
        check_words(ctx, game, words, type="woven", domino=domino)
    refused = arrive(ctx, game, 0, "weave m12-m11")
    assert refused.why == "We don't know which domino you mean. Write its whole name: weave BE1 m14-m13."


def test_a_scrap_is_kept_and_used(ctx: AppContext) -> None:
    game = with_scrap_won(ctx)
    words = ["keep star", "KEEP STAR", "Keep the star."]
    french = ["garder étoile", "garder l\u2019étoile", "GARDE ETOILE"]
    check_in_both_languages(ctx, game, words, french, type="kept", scrap="star")
    game = say(ctx, game, 0, "keep star")
    words = ["patch star m13", "PATCH STAR M13", "patch m13 with the star"]
    french = ["rapiécer étoile m13", "rapièce m13 avec l'étoile"]
    check_in_both_languages(ctx, game, words, french, type="patched", scrap="star", square="m13")


def test_a_token_is_taken(ctx: AppContext) -> None:
    game = with_token_won(ctx)
    for token, french in (("turn", "tourner"), ("move", "déplacer"), ("remove", "retirer"), ("perfect", "parfait")):
        words = [f"take {token}", f"TAKE {token.upper()}", f"take the {token} token", f'Take "{token}".']
        check_in_both_languages(
            ctx, game, words, [f"prendre {french}", f"prendre le jeton {french}"], type="took", token=token
        )


@pytest.mark.parametrize(
    ("token", "place", "french"),
    [("turn", ["n14", "m14"], "tourner"), ("move", ["m12", "n12"], "déplacer"), ("remove", [], "retirer")],
)
def test_a_token_changes_a_carpet(ctx: AppContext, token: str, place: list[str], french: str) -> None:
    game = say(ctx, with_token_won(ctx), 0, f"take {token}")
    piece, squares = domino_on(game, "m14"), "-".join(place)
    words = [f"{token} {piece} {squares}", f"{token.upper()} {piece} {squares.upper()}"]
    words += [f"{token} {piece[:2].lower()} {' '.join(place)}"]
    expected = {"type": "reworked", "token": token, "piece": piece, "squares": place}
    check_in_both_languages(ctx, game, words, [f"{french} {piece} {squares}"], **expected)


@pytest.mark.parametrize(("token", "place", "french"), [("move", "n14", "déplacer"), ("remove", "", "retirer")])
def test_a_token_lifts_a_scrap(ctx: AppContext, token: str, place: str, french: str) -> None:
    game = say(ctx, say(ctx, with_scrap_won(ctx), 0, "keep star"), 0, "patch star m13")
    game = say(ctx, say(ctx, play_round(ctx, game, "artisan", 6), 0, "2"), 0, f"take {token}")
    squares = [place] if place else []
    expected = {"type": "reworked", "token": token, "piece": "star", "squares": squares}
    words = [f"{token} star {place}", f"{token} the star {place}".upper()]
    check_in_both_languages(ctx, game, words, [f"{french} étoile {place}", f"{french} l'étoile {place}"], **expected)


def test_a_perfect_domino_takes_its_squares_in_either_order(ctx: AppContext) -> None:
    game = say(ctx, with_token_won(ctx), 0, "take perfect")
    words = ["weave OO m12-n12", "weave OO n12-m12", "weave oo1 n12 m12", "WEAVE OO1 M12-N12"]
    expected = {"type": "woven", "domino": "OO1", "squares": ["m12", "n12"]}
    check_in_both_languages(ctx, game, words, ["tisser OO n12-m12"], **expected)


def test_the_evening_is_passed(ctx: AppContext) -> None:
    game = say(ctx, with_token_won(ctx, weaving="strict"), 0, "take turn")
    game = play_on(ctx, game, lambda game: game.state.phase == "evening" and 0 in game.rules.to_act(game.state))
    game = play_on(ctx, game, lambda game: not view_of(game, 0)["seats"][0]["owes"]["weave"])
    check_in_both_languages(ctx, game, ["pass", "PASS", "Pass."], ["passer", "Je passe"], type="passed")


def test_resigning_and_help_are_understood_in_capitals_and_in_french(ctx: AppContext) -> None:
    game = start_kilim(ctx, person("Bo"), person("Cy"))
    check_in_both_languages(ctx, game, ["resign", "RESIGN"], ["abandonner", "J'abandonne"], type="resigned")
    for words in ("help", "HELP", "Help!"):
        with ctx.database.atomic() as transaction:
            assert arrive(ctx, game, 0, words).result is Result.HELPED
            transaction.rollback()
    speak_french(ctx)
    assert arrive(ctx, game, 0, "Aide").result is Result.HELPED
    assert "Quelle carte jouez-vous pour " in answer_text(ctx)


# Several lines


@pytest.mark.parametrize(
    "words",
    [
        "weave m14-n14\n7",
        "Weave m14 n14\n\nplay 7, please",
        "Hi!\nm14-n14\ngold 7\n\nBest wishes,\nAnn",
        "weave m14-n14\n7\n-- \nAnn\nweave m12-n12",
        "weave m14-n14\n7\n\nOn Monday, Bo wrote:\n> spy",
        "weave m14-n14, 7",
    ],
)
def test_each_line_is_played_and_nothing_below_them(ctx: AppContext, words: str) -> None:
    game = with_domino(ctx)
    assert arrive(ctx, game, 0, words) == PLAYED
    woven, played = events_since(ctx, game)
    assert (woven["type"], woven["squares"]) == ("woven", ["m14", "n14"])
    assert (played["type"], played["card"]) == ("played", 7)
    assert letters(ctx, "roll") == answers(ctx) == []


def test_lines_are_played_in_their_order(ctx: AppContext) -> None:
    game = say(ctx, with_token_won(ctx), 0, "take perfect")
    assert arrive(ctx, game, 0, "weave OO m12-n12\n3") == PLAYED
    assert [event["type"] for event in events_since(ctx, game)] == ["woven", "played"]
    game = say(ctx, with_scrap_won(ctx), 0, "keep star")
    speak_french(ctx)
    assert arrive(ctx, game, 0, "rapiécer étoile m13\nespion") == PLAYED
    assert [event["type"] for event in events_since(ctx, game)] == ["patched", "played"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("weave m14-n14\nkep star", "line 2, so nothing was played: kep star"),
        ("weave m14-n14\n7 or 8", "line 2, so nothing was played: 7 or 8"),
        ("wave m14-n14\n7", "line 1, so nothing was played: wave m14-n14"),
        ("weave m14-n14\n\n7\npatch star z9", "line 3, so nothing was played: patch star z9"),
        ("weave m14-n14\nnot 7", "line 2, so nothing was played: not 7"),
    ],
)
def test_if_one_line_is_not_understood_nothing_is_played_and_the_answer_says_which(
    ctx: AppContext, words: str, line: str
) -> None:
    game = with_domino(ctx)
    refused = arrive(ctx, game, 0, words)
    assert refused.result is Result.REFUSED
    assert load(ctx.database, game.id).head == game.head
    said = answer_text(ctx)
    assert f"We couldn't use your reply. You wrote: {' / '.join(filter(None, words.splitlines()))} " in said
    assert f"We didn't understand {line} " in said
    assert NOT_ALONE not in said
    assert "Where do you weave " in said


def test_if_the_rules_refuse_the_first_line_nothing_is_played_and_they_say_why(ctx: AppContext) -> None:
    game = with_domino(ctx)
    (owed,) = view_of(game, 0)["seats"][0]["owes"]["weave"]
    assert arrive(ctx, game, 0, "weave a1-a2\n7").result is Result.REFUSED
    assert load(ctx.database, game.id).head == game.head
    assert f"{owed} can't go on a1-a2. It needs two free squares beside your carpet." in answer_text(ctx)
    speak_french(ctx)
    assert arrive(ctx, game, 0, "10").why == "First weave, keep or take what you have won."
    assert "Tissez, gardez ou prenez d\u2019abord ce que vous avez gagné." in answer_text(ctx)


def test_if_the_rules_refuse_a_later_line_the_rest_is_dropped_and_the_next_letter_says_so(ctx: AppContext) -> None:
    game = with_domino(ctx)
    assert arrive(ctx, game, 0, "weave m14-n14\n9\nspy").why == ONE_CARD
    assert arrive(ctx, game, 0, "weave m14-n14\n9\npass") == PLAYED
    assert [event["type"] for event in events_since(ctx, game)] == ["woven"]
    (roll,) = letters(ctx, "roll")
    told = " ".join(compose(ctx, roll).text.split())
    assert (
        f'It\'s still your turn in "Friday". We couldn\'t play "9" or anything after it in your reply. {CARD_GONE}'
        in told
    )
    assert "Which card do you play for " in told
    assert "You wove " in told


def test_if_the_turn_is_over_the_answer_says_what_was_dropped(ctx: AppContext) -> None:
    game = say(ctx, with_carpet(ctx), 1, "4")
    speak_french(ctx)
    outcome = arrive(ctx, game, 0, "7\nretirer étoile")
    assert (outcome.result, outcome.answered) == (Result.PLAYED, True)
    assert events_since(ctx, game)[0]["card"] == 7
    said = answer_text(ctx)
    assert "Nous n\u2019avons joué qu\u2019une partie de votre réponse." in said
    assert "Nous n\u2019avons pas pu jouer « retirer étoile », ni ce qui suit dans votre réponse." in said
    assert "Ce tour est terminé." in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("weave m14-n14\nresign", RESIGN_ALONE),
        ("resign\n7", RESIGN_ALONE),
        ("7\nhelp", SEVERAL),
        ("weave m14-n14\n7\n8", ONE_CARD),
        ("7\nspy", ONE_CARD),
    ],
)
def test_some_words_must_be_the_only_ones(ctx: AppContext, words: str, why: str) -> None:
    game = with_domino(ctx)
    assert arrive(ctx, game, 0, words).why == why
    assert load(ctx.database, game.id).head == game.head


@pytest.mark.databases("sqlite", "postgresql")
def test_the_same_message_again_plays_nothing_more(ctx: AppContext) -> None:
    game = with_domino(ctx)
    raw = message(address(ctx, game, 0), "weave m14-n14\n7")
    assert receive(ctx, raw) == PLAYED
    head = load(ctx.database, game.id).head
    assert receive(ctx, raw) == Outcome(Result.REPEATED)
    assert load(ctx.database, game.id).head == head


# When


def test_what_is_allowed_at_any_time_is_played_while_others_choose(ctx: AppContext) -> None:
    game = say(ctx, say(ctx, with_scrap_won(ctx), 0, "keep star"), 0, "7")
    assert 0 not in game.rules.to_act(game.state)
    assert arrive(ctx, game, 0, "8").why == "You can't play a card now. Wait for the next domino."
    assert arrive(ctx, game, 0, "patch star m13") == PLAYED
    assert arrive(ctx, game, 0, "8 please").why == NOT_YOUR_TURN


def test_others_may_act_between_the_letter_and_the_reply(ctx: AppContext) -> None:
    game = with_domino(ctx)
    raw = message(address(ctx, game, 0), "weave m14-n14\n7")
    say(ctx, game, 1, "5")
    assert receive(ctx, raw) == PLAYED
    assert arrive(ctx, game, 0, "8").why == TURN_IS_OVER
    assert arrive(ctx, game, 0, "8", turn=0).why == OF_NO_TURN
