"""Every legal action of Kilim has a key and a label, and all the words that players use for it name it."""

from gettext import NullTranslations

import pytest

from service.engine.errors import IllegalAction
from service.engine.json_reader import Json
from service.engine.kilim.actions import Auctioned
from service.engine.kilim.game import KILIM
from service.mail.inbound.commands import Command, ParseFailure, parse_reply
from service.ui.kilim.choices import ONE_CARD, NoDomino, NotBeside, WhichDomino
from service.ui.words import NotListed, NotUnderstood, SeveralChoices
from tests.ui.kilim.words_ui import ENGLISH, FRENCH, UI, bid, moments, plain, play, position, rework, weave

KEEP, TAKE = {"type": "keep", "scrap": "star"}, {"type": "take", "token": "turn"}
PATCH, PASS = {"type": "patch", "scrap": "star", "square": "m13"}, {"type": "pass"}
HALVES = {"m13": ("bird", "BE1"), "m14": ("eye", "BE1"), "n13": ("torn", "HX"), "n14": ("horn", "HX")}
CARPET = {square: {"shows": shows, "domino": domino, "scrap": False} for square, (shows, domino) in HALVES.items()}
CARDS = position(play(1), play(7), play("spy"), play("bag"), play("artisan"))
ONE_OWED = position(weave("BE1", "m14-m13"), weave("BE1", "m13-m14"), own={"owes": {"weave": ["BE1"]}})
DOUBLE = position(weave("BB1", "m13-n13"), own={"owes": {"weave": ["BB1"]}})
ONE_ET_OWED = position(weave("ET1", "m14-m13"), own={"owes": {"weave": ["ET1"]}})
TWO_OWED = position(
    *(weave(domino, "m14-m13") for domino in ("BE1", "BE2", "HX")), own={"owes": {"weave": ["BE1", "BE2", "HX"]}}
)
PERFECT = position(weave("OO1", "m13-m14"), weave("OO2", "m13-m14"), own={"perfect": ["OO1", "OO2"]})
OWED_AND_PERFECT = position(
    weave("BE1", "m14-m13"),
    weave("OO1", "m13-m14"),
    own={"owes": {"weave": ["BE1"]}, "perfect": ["OO1"]},
)
MOVES = position(rework("move", "BE1", "m16-m15"), rework("move", "star", "m13"), own={"carpet": CARPET})
TURNS = position(rework("turn", "BE1", "m14-n14"), PASS, phase="evening", own={"carpet": CARPET})
REMOVALS = position(rework("remove", "BE1"), rework("remove", "HX"), rework("remove", "star"), own={"carpet": CARPET})


@pytest.mark.parametrize(
    ("view", "keys", "labels", "french"),
    [
        (
            CARDS,
            ["1", "7", "spy", "bag", "artisan"],
            ["Play 1", "Play 7", "Play the spy", "Play the bag", "Play the artisan"],
            ["Jouer 1", "Jouer 7", "Jouer l'espion", "Jouer le sac", "Jouer l'artisan"],
        ),
        (position(bid(7), phase="spy"), ["7"], ["Bid 7"], ["Miser 7"]),
        (position(bid(7), phase="pay"), ["7"], ["Pay 7"], ["Payer 7"]),
        (
            ONE_OWED,
            ["weave BE1 m14-m13", "weave BE1 m13-m14"],
            ["Weave BE1 on m14-m13", "Weave BE1 on m13-m14"],
            ["Tisser BE1 en m14-m13", "Tisser BE1 en m13-m14"],
        ),
        (position(KEEP), ["keep star"], ["Keep the star"], ["Garder l'étoile"]),
        (position(TAKE), ["take turn"], ['Take the token "turn"'], ["Prendre le jeton « tourner »"]),
        (position(PATCH), ["patch star m13"], ["Patch m13 with the star"], ["Rapiécer m13 avec l'étoile"]),
        (TURNS, ["turn BE1 m14-n14", "pass"], ["Turn BE1 to m14-n14", "Pass"], ["Tourner BE1 en m14-n14", "Passer"]),
        (
            MOVES,
            ["move BE1 m16-m15", "move star m13"],
            ["Move BE1 to m16-m15", "Move the star to m13"],
            ["Déplacer BE1 en m16-m15", "Déplacer l'étoile en m13"],
        ),
        (
            REMOVALS,
            ["remove BE1", "remove HX", "remove star"],
            ["Remove BE1", "Remove HX", "Remove the star"],
            ["Retirer BE1", "Retirer HX", "Retirer l'étoile"],
        ),
    ],
)
def test_each_choice_has_a_key_and_a_label(view: Json, keys: list[str], labels: list[str], french: list[str]) -> None:
    choices = UI.choices(view, ENGLISH)
    assert [choice.action for choice in choices] == view["legal"]
    assert [choice.key for choice in choices] == keys
    assert [choice.label for choice in choices] == labels
    assert [plain(choice.label) for choice in UI.choices(view, FRENCH)] == french


def test_cards_have_a_shorter_answer() -> None:
    assert [choice.answer for choice in UI.choices(CARDS, FRENCH)] == ["1", "7", "Espion", "Sac", "Artisan"]
    assert [choice.group for choice in UI.choices(CARDS, ENGLISH)] == ["Gold"] * 2 + ["Special cards"] * 3
    assert not [choice.group for choice in UI.choices(TURNS, ENGLISH) if choice.group]


def test_replies_are_written_in_the_readers_language() -> None:
    replies = {"take turn": "prendre tourner", "patch star m13": "rapiécer étoile m13", "remove BE1": "retirer BE1"}
    for key, french in replies.items():
        assert (UI.write_reply(key, ENGLISH), UI.write_reply(key, FRENCH)) == (key, french)


@pytest.mark.parametrize("weaving", ["relaxed", "strict"])
def test_every_choice_of_a_game_is_named_by_its_key_and_its_label(weaving: str) -> None:
    kinds = set()
    for number, (state, _) in enumerate(moments(3, weaving)):
        for seat in range(3):
            view = KILIM.view(state, seat)
            choices, french = UI.choices(view, ENGLISH), UI.choices(view, FRENCH)
            assert [choice.action for choice in choices] == view["legal"]
            assert len({choice.key for choice in choices}) == len(choices)
            kinds |= {choice.action["type"] for choice in choices}
            # All places at all moments would take long, so some of them are tried at each.
            for mine, theirs in list(zip(choices, french, strict=True))[number % 5 :: 5]:
                assert UI.parse_choice(mine.key, view, "en") == mine.action
                assert UI.parse_choice(mine.label, view, "en") == mine.action
                assert UI.parse_choice(theirs.label, view, "fr") == mine.action
                assert UI.parse_choice(UI.write_reply(mine.key, FRENCH), view, "fr") == mine.action
    assert kinds >= {"play", "bid", "weave", "keep", "take", "patch", "rework"}


@pytest.mark.parametrize(
    ("view", "words", "action"),
    [
        *((CARDS, words, play(7)) for words in ("7", "gold 7", "play 7", "bid 7", "GOLD 7!", "I play the 7, please")),
        *((CARDS, words, play(7)) for words in ("I take 7", "my move: 7", "card 7", "play gold card 7")),
        *((CARDS, words, play("spy")) for words in ("spy", "Spy.", "play the spy", "I'd like to play the SPY")),
        (CARDS, "bag", play("bag")),
        (CARDS, "the artisan", play("artisan")),
        *((position(bid(7), phase="spy"), words, bid(7)) for words in ("7", "gold 7", "play 7", "bid 7", "bid gold 7")),
        *((position(bid(7), phase="pay"), words, bid(7)) for words in ("7", "pay 7", "bid 7")),
        *(
            (ONE_OWED, words, weave("BE1", "m14-m13"))
            for words in (
                "weave m14-m13",
                "m14-m13",
                "m14 m13",
                "m14m13",
                "M14\u2013M13",
                "weave BE1 m14-m13",
                "weave BE m14 m13",
                "WEAVE be1 M14 M13",
                "BE1 m14-m13",
                "weave domino BE1 on m14 and m13",
            )
        ),
        (ONE_OWED, "m13-m14", weave("BE1", "m13-m14")),
        *(
            (DOUBLE, words, weave("BB1", "m13-n13"))
            for words in ("m13-n13", "n13-m13", "weave BB n13 m13", "weave BB1 n13-m13", "weave n13-m13")
        ),
        (TWO_OWED, "weave BE2 m14-m13", weave("BE2", "m14-m13")),
        (TWO_OWED, "weave hx m14-m13", weave("HX", "m14-m13")),
        *((PERFECT, words, weave("OO1", "m13-m14")) for words in ("weave OO m13-m14", "weave oo m14-m13")),
        (PERFECT, "weave OO2 m14-m13", weave("OO2", "m13-m14")),
        (OWED_AND_PERFECT, "m14-m13", weave("BE1", "m14-m13")),
        (OWED_AND_PERFECT, "weave OO m14-m13", weave("OO1", "m13-m14")),
        *((position(KEEP), words, KEEP) for words in ("keep star", "Keep the star", "keep the star scrap")),
        *((position(TAKE), words, TAKE) for words in ("take turn", "take the turn token", 'Take "turn"')),
        *((position(PATCH), words, PATCH) for words in ("patch star m13", "patch m13 with the star", "PATCH STAR M13")),
        (TURNS, "turn BE1 m14-n14", rework("turn", "BE1", "m14-n14")),
        (TURNS, "turn be m14 n14", rework("turn", "BE1", "m14-n14")),
        (TURNS, "pass", PASS),
        (MOVES, "move BE1 m16-m15", rework("move", "BE1", "m16-m15")),
        (MOVES, "move star m13", rework("move", "star", "m13")),
        (MOVES, "move the star to m13", rework("move", "star", "m13")),
        (REMOVALS, "remove BE1", rework("remove", "BE1")),
        (REMOVALS, "remove be", rework("remove", "BE1")),
        (REMOVALS, "remove star", rework("remove", "star")),
        (CARDS, "resign", {"type": "resign"}),
    ],
)
def test_words_name_an_action_in_every_language(view: Json, words: str, action: Json) -> None:
    assert UI.parse_choice(words, view, "en") == action
    if " and " not in words and "I" not in words.split() and "I'd" not in words.split():
        assert UI.parse_choice(words, view, "fr") == action


@pytest.mark.parametrize(
    ("view", "words", "action"),
    [
        (CARDS, "or 7", play(7)),
        (CARDS, "je joue 7", play(7)),
        (CARDS, "espion", play("spy")),
        (CARDS, "je joue l'espion", play("spy")),
        (CARDS, "le sac", play("bag")),
        (position(bid(7), phase="spy"), "miser 7", bid(7)),
        (ONE_OWED, "tisser m14-m13", weave("BE1", "m14-m13")),
        (ONE_OWED, "tisse BE m14 m13", weave("BE1", "m14-m13")),
        (position(KEEP), "garder étoile", KEEP),
        (position(KEEP), "je garde l\u2019etoile", KEEP),
        (position({**KEEP, "scrap": "eye"}), "garder œil", {**KEEP, "scrap": "eye"}),
        (position({**KEEP, "scrap": "eye"}), "garder oeil", {**KEEP, "scrap": "eye"}),
        (position(TAKE), "prendre tourner", TAKE),
        (position(TAKE), "je prends le jeton tourner", TAKE),
        (position(PATCH), "rapiécer étoile m13", PATCH),
        (TURNS, "tourner BE1 m14-n14", rework("turn", "BE1", "m14-n14")),
        (TURNS, "passer", PASS),
        (MOVES, "déplacer BE1 m16-m15", rework("move", "BE1", "m16-m15")),
        (REMOVALS, "retirer étoile", rework("remove", "star")),
        (ONE_ET_OWED, "tisser et m14-m13", weave("ET1", "m14-m13")),  # "et" is a domino here, and no "and"
        (CARDS, "abandonner", {"type": "resign"}),
    ],
)
def test_french_words_name_an_action(view: Json, words: str, action: Json) -> None:
    assert UI.parse_choice(words, view, "fr") == action


@pytest.mark.parametrize(
    ("view", "hint"),
    [
        (CARDS, "Write the card you play: a number such as 7, or spy, bag or artisan."),
        (position(bid(7), phase="spy"), "Write the number of a gold card, such as 7."),
        (ONE_OWED, "If you have several, name the domino: weave BE1 m14-m13."),
        (position(KEEP, own={"owes": {"keep": True}}), "keep bird, eye, horn, star or tree."),
        (position(TAKE, own={"owes": {"take": True}}), "take perfect, turn, remove or move."),
        (TURNS, "move BE1 m16-m15, remove BE1 or pass."),
        (position(), "Please use one of the listed choices."),
    ],
)
@pytest.mark.parametrize("words", ["perhaps", "7?", "m13", "BE1", "weave", "weave m14", "keep 7", "turn m14-m13", ""])
def test_what_is_not_understood_is_answered_with_what_can_be_written(view: Json, hint: str, words: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        UI.parse_choice(words, view, "en")
    assert refused.value.words.startswith("We didn't understand that. ")
    assert refused.value.words.endswith(hint)
    assert plain(FRENCH.gettext(refused.value.words)).startswith("Nous n'avons pas compris")


@pytest.mark.parametrize(
    ("view", "words", "problem"),
    [
        (TWO_OWED, "m14-m13", WhichDomino),
        (TWO_OWED, "weave BE m14-m13", WhichDomino),
        (ONE_OWED, "weave HS m14-m13", WhichDomino),
        (REMOVALS, "remove HS", WhichDomino),
        (CARDS, "m14-m13", NoDomino),
        (PERFECT, "m14-m13", NoDomino),
        (ONE_OWED, "m14-m16", NotBeside),
        (MOVES, "move BE1 m14-o14", NotBeside),
        (CARDS, "99", NotListed),
        (CARDS, "#99", NotListed),
        (CARDS, "0", NotListed),
    ],
)
def test_what_means_no_action_is_refused_with_a_reason(view: Json, words: str, problem: type[NotListed]) -> None:
    with pytest.raises(problem, match=r"\.$") as refused:
        UI.parse_choice(words, view, "en")
    assert refused.value.action is None
    assert FRENCH.gettext(refused.value.words) != refused.value.words


@pytest.mark.parametrize(
    ("view", "words", "action"),
    [
        (CARDS, "8", play(8)),
        (ONE_OWED, "spy", play("spy")),
        (position(bid(7), phase="pay"), "8", bid(8)),
        (ONE_OWED, "a1-a2", weave("BE1", "a1-a2")),
        (CARDS, "keep tree", {"type": "keep", "scrap": "tree"}),
        (CARDS, "take move", {"type": "take", "token": "move"}),
        (CARDS, "patch tree m13", {"type": "patch", "scrap": "tree", "square": "m13"}),
        (MOVES, "move BE1 m18-m17", rework("move", "BE1", "m18-m17")),
        (MOVES, "remove BE", rework("remove", "BE1")),
        (CARDS, "turn HS1 m14-m13", rework("turn", "HS1", "m14-m13")),
        (CARDS, "pass", PASS),
    ],
)
def test_the_rules_explain_an_action_that_is_not_legal(view: Json, words: str, action: Json) -> None:
    with pytest.raises(NotListed) as refused:
        UI.parse_choice(words, view, "en")
    assert refused.value.action == action
    KILIM.actions.read(action)


def test_the_rules_have_a_sentence_for_what_is_not_legal() -> None:
    state, _ = next(moments(2))
    for words in ("weave BE1 m14-m13", "keep tree", "take move", "patch tree m13", "turn HS1 m14-m13", "pass", "15"):
        try:
            UI.parse_choice(words, KILIM.view(state, 0), "en")
        except NotListed as refused:
            action = KILIM.actions.read(refused.action)
            with pytest.raises(IllegalAction, match=r"\.$"):
                KILIM.decide(state, 0, action, None)  # type: ignore[arg-type]
        except NotUnderstood:
            pytest.fail(words)


# Questions


@pytest.mark.parametrize(
    ("view", "question", "button", "french"),
    [
        (CARDS, "Which card do you play for HS1?", "Play the card", "Quelle carte jouez-vous pour HS1 ?"),
        (
            {**CARDS, "offer": ["HS1", "EH1"]},
            "Which card do you play for HS1 and EH1?",
            "Play the card",
            "Quelle carte jouez-vous pour HS1 et EH1 ?",
        ),
        (ONE_OWED, "Where do you weave BE1?", "Weave", "Où tissez-vous BE1 ?"),
        (TWO_OWED, "Where do you weave BE1, BE2 and HX?", "Weave", "Où tissez-vous BE1, BE2 et HX ?"),
        (
            position(KEEP, own={"owes": {"keep": True}}),
            "Which scrap do you keep?",
            "Keep it",
            "Quelle chute gardez-vous ?",
        ),
        (
            position(TAKE, own={"owes": {"take": True}}),
            "Which token do you take?",
            "Take it",
            "Quel jeton prenez-vous ?",
        ),
        (
            position(bid(7), phase="spy", shown=["spy", 3, 4]),
            "Which gold card does your spy bid for HS1?",
            "Bid",
            "Quelle carte d'or votre espion mise-t-il pour HS1 ?",
        ),
        (
            position(bid(7), phase="pay", shown=["bag", 3, 4]),
            "Which gold card do you pay for the bag?",
            "Pay",
            "Quelle carte d'or payez-vous pour le sac ?",
        ),
        (
            position(bid(7), phase="pay", shown=["artisan", 3, 4]),
            "Which gold card do you pay for the artisan?",
            "Pay",
            "Quelle carte d'or payez-vous pour l'artisan ?",
        ),
        (TURNS, "What do you use this evening?", "Do it", "Qu'utilisez-vous ce soir ?"),
        *(
            (
                view,
                "You don't have to do anything now. Do you want to use something?",
                "Do it",
                "Vous n'avez rien à faire pour l'instant. Voulez-vous utiliser quelque chose ?",
            )
            for view in (PERFECT, position(you=None), {**TURNS, "to_act": [1]})
        ),
    ],
)
def test_each_decision_has_a_question(view: Json, question: str, button: str, french: str) -> None:
    assert UI.question(view, ENGLISH) == (question, button)
    assert plain(UI.question(view, FRENCH).legend) == french


@pytest.mark.parametrize(
    ("view", "told", "french"),
    [
        (
            ONE_OWED,
            "Write its two squares, the first half's square first, such as m14-m13.",
            "Écrivez ses deux cases, celle de la première moitié d'abord, par exemple m14-m13.",
        ),
        (
            TWO_OWED,
            "Write a domino and its two squares, the first half's square first, such as weave BE1 m14-m13.",
            "Écrivez un domino et ses deux cases, celle de la première moitié d'abord, par exemple weave BE1 m14-m13.",
        ),
        (
            OWED_AND_PERFECT,
            "such as m14-m13. You can also use what you hold: weave OO1 m13-m14.",
            "par exemple m14-m13. Vous pouvez aussi utiliser ce que vous avez : weave OO1 m13-m14.",
        ),
        (MOVES, "You can also use what you hold: move BE1 m16-m15.", "move BE1 m16-m15."),
    ],
)
def test_choices_that_are_not_listed_are_explained_with_examples(view: Json, told: str, french: str) -> None:
    for translations, text in ((ENGLISH, told), (FRENCH, french)):
        unlisted = [choice for choice in UI.choices(view, translations) if not choice.is_listed]
        assert plain(UI.explain_unlisted(view, unlisted, translations)).endswith(text)


@pytest.mark.parametrize(
    ("card", "price", "bids", "question", "button", "french"),
    [
        (
            *("bag", 9, (10, 12)),
            "The winner paid 9. Which higher gold card do you pay for the bag?",
            "Pay",
            "Le gagnant a payé 9. Quelle carte d'or plus élevée payez-vous pour le sac ?",
        ),
        (
            *("artisan", 9, (2, 8)),
            "The winner paid 9. Which lower gold card do you pay for the artisan?",
            "Pay",
            "Le gagnant a payé 9. Quelle carte d'or plus basse payez-vous pour l'artisan ?",
        ),
        (
            *("bag", 9, (3, 8)),
            "The winner paid 9, and you have no higher card for the bag. Which gold card do you discard?",
            "Discard it",
            (
                "Le gagnant a payé 9, et vous n'avez pas de carte plus élevée pour le sac. Quelle carte d'or"
                " défaussez-vous ?"
            ),
        ),
        (
            *("artisan", 9, (10, 12)),
            "The winner paid 9, and you have no lower card for the artisan. Which gold card do you discard?",
            "Discard it",
            (
                "Le gagnant a payé 9, et vous n'avez pas de carte plus basse pour l'artisan. Quelle carte d'or"
                " défaussez-vous ?"
            ),
        ),
        *(
            (
                *(card, None, (2, 12)),
                f"Nobody won the dominoes, so every card will do. Which gold card do you pay for the {card}?",
                "Pay",
                (
                    "Personne n'a gagné les dominos : toutes les cartes conviennent. Quelle carte d'or payez-vous pour"
                    f" {french} ?"
                ),
            )
            for card, french in (("bag", "le sac"), ("artisan", "l'artisan"))
        ),
    ],
)
def test_who_pays_is_told_the_price(
    card: str, price: int | None, bids: tuple[int, ...], question: str, button: str, french: str
) -> None:
    winner = None if price is None else 1
    auctioned = Auctioned(3, (None, price, None), winner, ("HS1",), "carried" if winner is None else "won")
    state = KILIM.set_up({"weaving": "relaxed"}, 3)._replace(auctioned=auctioned)
    view = position(*map(bid, bids), phase="pay", shown=[card, 3, 4])
    assert UI.question(view, ENGLISH, state) == (question, button)
    assert plain(UI.question(view, FRENCH, state).legend) == french


# Replies


def reply(words: str, view: Json = ONE_OWED, language: str = "en") -> Command | ParseFailure:
    return parse_reply(words, UI, view, language)


@pytest.mark.parametrize("words", ["weave m14-m13\n7", "weave m14-m13 7", "m14-m13\n\nplay 7\nThanks!\nBen Bird"])
def test_a_reply_can_play_a_whole_turn(words: str) -> None:
    command = reply(words)
    assert isinstance(command, Command), command
    assert (command.action, command.then) == (weave("BE1", "m14-m13"), (("7",),))


def test_a_reply_with_two_cards_is_refused() -> None:
    for words in ("7 8", "7\nspy", "weave m14-m13\n7\n8"):
        refused = reply(words, ONE_OWED if "weave" in words else CARDS)
        assert isinstance(refused, ParseFailure)
        assert refused.why == ONE_CARD
    with pytest.raises(SeveralChoices):
        UI.plan_turn(["7", "8"], CARDS)


def test_a_reply_with_a_line_that_is_not_understood_plays_nothing() -> None:
    refused = reply("weave m14-m13\nseven maybe")
    assert isinstance(refused, ParseFailure)
    assert reply("wave m14-m13") == ParseFailure(UI.explain_unknown(ONE_OWED), "wave m14-m13", "wave")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("weave m14-m13\npas", (2, "pas")),
        ("wave m14-m13\n7", (1, "wave m14-m13")),
        ("weave m14-m13\n7\nkep star, please", (3, "kep star, please")),
        ("weave m14-m13\nweave m14-m99", (2, "weave m14-m99")),
    ],
)
def test_of_several_lines_the_one_that_is_not_understood_is_named(words: str, line: tuple[int, str]) -> None:
    refused = reply(words)
    assert isinstance(refused, ParseFailure), refused
    assert (refused.line, refused.understood) == (line, words.replace("\n", " / "))


@pytest.mark.parametrize("words", ["7\nYour turn, Ben!", "7\nTake care\nAnn", "7\nPerfect!"])
def test_a_wish_below_a_card_is_no_choice(words: str) -> None:
    command = reply(words, CARDS)
    assert isinstance(command, Command), command
    assert command.action == play(7)


@pytest.mark.parametrize(
    ("view", "translations", "told"),
    [
        (
            ONE_OWED,
            ENGLISH,
            (
                "Or play your whole turn in one reply, with one line for each step:"
                ' "weave BE1 m14-m13", then your card for HS1, such as "1".'
            ),
        ),
        (
            ONE_OWED,
            FRENCH,
            (
                "Ou jouez tout votre tour en une seule réponse, une ligne par étape :"
                " « tisser BE1 m14-m13 », puis votre carte pour HS1, par exemple « 1 »."
            ),
        ),
        (
            position(play(7), PATCH),
            ENGLISH,
            (
                "You can also use what you have before you play a card, with one line for each step:"
                ' "patch star m13", then "1".'
            ),
        ),
        (position(PATCH, to_act=[1]), ENGLISH, ""),
        (CARDS, ENGLISH, ""),
        (position(bid(7), phase="spy"), ENGLISH, ""),
        ({**ONE_OWED, "phase": "weave"}, ENGLISH, ""),
    ],
)
def test_letters_say_how_to_play_a_whole_turn(view: Json, translations: NullTranslations, told: str) -> None:
    assert plain(UI.describe_whole_turn(view, translations)) == told
