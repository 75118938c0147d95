"""Letters about Kilim: one for each turn that waits for the reader, with all that the reader needs to play it."""

import re
from dataclasses import replace

import pytest

from service.context import AppContext
from service.db.models import Letter
from service.engine.dice import Chance
from service.games.chat import post_message
from service.games.lobby import SeatRequest
from service.games.play import act
from service.games.store import StoredGame
from service.mail.letters import Composed, compose
from service.ui.kilim.game_ui import KILIM_UI as UI
from tests.mail.correspondence import post
from tests.mail.html_reading import Read
from tests.mail.kilim_games import (
    PEOPLE,
    act_at_random,
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
from tests.mail.tables import ANN, letters, links_in, table
from tests.mail.test_every_letter import check
from tests.support.soak import SOAKING

GAMES = [(2, "strict"), (3, "relaxed")]
ALL_GAMES = [(seats, weaving) for seats in (2, 3, 4, 5) for weaving in ("relaxed", "strict")]
RESIGN = {"type": "resign"}


@pytest.fixture
def ctx(ctx: AppContext) -> AppContext:
    """A server that reads replies."""
    return ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))


def newest(ctx: AppContext, game: StoredGame, seat: int = 0, kind: str = "turn") -> Composed:
    """The seat's newest letter of a kind."""
    of_seat = (Letter.game == game.id) & (Letter.seat == seat) & (Letter.kind == kind)
    composed = compose(ctx, Letter.select().where(of_seat).order_by(Letter.id.desc()).get(ctx.database))
    check(composed)
    return composed


def flat(text: str) -> str:
    return " ".join(text.split())


def linked(composed: Composed) -> list[str]:
    """What the links of a letter choose, in the order of its text."""
    return [do for do in (link.partition("?do=")[2] for link in links_in(composed)) if do]


def people_to_act(game: StoredGame) -> set[tuple[int, int]]:
    return {(game.turn, seat.seat) for seat in game.people_to_act()}


@pytest.mark.parametrize(("seats", "weaving"), ALL_GAMES if SOAKING else GAMES)
def test_every_turn_that_waits_for_a_player_has_one_letter_and_every_debt_is_in_it(
    ctx: AppContext, seats: int, weaving: str
) -> None:
    others = [person(name) for name in PEOPLE[1:seats]]
    if seats > 2:
        others[-1] = SeatRequest(bot="easy")
    game, chance = start_kilim(ctx, *others, weaving=weaving), Chance(bytes(32), f"{seats} {weaving}")
    waited, told = people_to_act(game), set[tuple[str, bool]]()
    while game.status == "playing":
        if seats > 2 and game.state.round == 20 and game.rules.is_active(game.state, 1):
            game = act(ctx, game.id, 1, game.head, RESIGN, "").game
        else:
            game = act_at_random(ctx, game, chance)
        waited |= people_to_act(game)
        for seat in game.active_people(game.state):
            owes = view_of(game, seat.seat)["seats"][seat.seat]["owes"]
            debt = next((kind for kind in owes if owes[kind]), None)
            # Whoever wins the dominoes can weave them while the others pay, but the game doesn't wait for that.
            if debt is None or game.state.phase == "pay":
                continue
            assert (game.turn, seat.seat) in waited, debt
            if (debt, game.state.phase == "evening") not in told:
                told.add((debt, game.state.phase == "evening"))
                question = {"weave": "Where do you weave", "keep": "Which scrap", "take": "Which token"}[debt]
                text = newest(ctx, game, seat.seat).text
                assert question in text
                assert all(domino in text for domino in owes["weave"])
    sent = [(letter.turn, letter.seat) for letter in letters(ctx, "turn")]
    assert sorted(sent) == sorted(waited)
    assert len(letters(ctx, "over")) == len([seat for seat in game.seats if seat.address])
    assert {debt for debt, _ in told} >= {"weave", "keep", "take"} or not SOAKING


def test_nobody_gets_a_letter_for_what_the_server_does(ctx: AppContext) -> None:
    """Two players have ten gold cards each day, so the server bids the last one of each."""
    game = play_on(ctx, start_kilim(ctx), lambda game: game.state.round == 10)
    turn, sent = game.turn, len(letters(ctx, "turn"))
    game = play_round(ctx, game, "spy", "spy")
    assert (game.state.round, game.turn) == (11, turn + 2), "the spies have bid the last gold card"
    assert len(letters(ctx, "turn")) == sent + 2
    assert "You bid 10. " in flat(newest(ctx, game).text)


def test_the_first_letter_has_a_link_for_each_card_below_everything_else(ctx: AppContext) -> None:
    game = start_kilim(ctx, person("Bo"), person("Cy"))
    (offer,) = view_of(game, 0)["offer"]
    letter = newest(ctx, game)
    assert linked(letter) == [*map(str, range(1, 16)), "spy", "bag", "artisan"]
    text = letter.text
    order = [
        f"Which card do you play for {offer}?",
        "Reply with your choice, such as 1, or use one of the links below.",
        "Open the game:",
        "You have 1 day for this turn",
        f"Ann 0\nDay 1, round 1 of 45. On offer: {offer}.",
        "Points: Ann 0, Bo 0, Cy 0.",
        "* Everyone: 1-15, spy, bag, artisan",
        "* Left to win today: 5 scraps + tokens perfect, turn, remove, move",
        "* The game has started.",
        f"* Round 1, day 1: {offer} is on offer.",
        "\nGold: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\nhttp",
        "?do=15\n\nSpecial cards: Spy, Bag, Artisan\nhttp",
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    first_link = next(number for number, line in enumerate(text.splitlines()) if line.startswith("http"))
    assert first_link < 15
    names = [words for link, words in Read(letter.html).links if "?do=" in link]
    assert names == [*map(str, range(1, 16)), "Spy", "Bag", "Artisan"]


def test_who_owes_a_domino_reads_which_and_how_to_play_the_whole_turn(ctx: AppContext) -> None:
    game = with_domino(ctx)
    view = view_of(game, 0)
    (owed,), (offer,) = view["seats"][0]["owes"]["weave"], view["offer"]
    letter = newest(ctx, game)
    told = flat(letter.text)
    place = "-".join(view["legal"][0]["squares"])
    assert f"Where do you weave {owed}?" in told
    assert f"such as weave {owed} {place}, or open the game" in told
    assert f'one line for each step: "weave {owed} {place}", then your card for {offer}, such as "1".' in told
    assert f"On offer: {offer}. To weave: {owed}." in told
    assert f"You won {owed} with 9." in told
    assert "* You: 1-8, spy, bag, artisan * Bo: 3-10, spy, bag, artisan *" in told
    assert "13 * * |" in told, "the squares of the carpet are named and the free ones marked"
    assert linked(letter) == []
    assert "* = free for your domino" in told


def test_the_winner_gets_one_letter_with_the_debt_and_the_next_offer(ctx: AppContext) -> None:
    game = with_domino(ctx)
    assert [letter.turn for letter in letters(ctx, "turn") if letter.address == ANN] == [1, 2, 3]
    say(ctx, game, 0, "weave m14-n14")
    assert len([letter for letter in letters(ctx) if letter.address == ANN]) == 3


@pytest.mark.parametrize(
    ("cards", "question"),
    [
        (("bag", 4), "The winner paid 4. Which higher gold card do you pay for the bag?"),
        (("bag", 10), "The winner paid 10, and you have no higher card for the bag. Which gold card do you discard?"),
        (("artisan", 4), "The winner paid 4. Which lower gold card do you pay for the artisan?"),
        (
            ("artisan", 1),
            "The winner paid 1, and you have no lower card for the artisan. Which gold card do you discard?",
        ),
        (
            ("bag", "artisan"),
            "Nobody won the dominoes, so every card will do. Which gold card do you pay for the bag?",
        ),
    ],
)
def test_who_pays_reads_the_price_and_has_a_link_for_each_card_that_fits(
    ctx: AppContext, cards: tuple[int | str, ...], question: str
) -> None:
    game = play_round(ctx, start_kilim(ctx), *cards)
    assert game.state.phase == "pay"
    letter = newest(ctx, game)
    told = flat(letter.text)
    assert question in told
    assert question in Read(letter.html).said
    assert linked(letter) == [str(action["gold"]) for action in view_of(game, 0)["legal"]]
    assert "Legend: ." not in told
    assert "On offer: ." not in told
    assert "nothing" not in told


def test_a_spy_reads_what_the_others_have_shown(ctx: AppContext) -> None:
    game = play_round(ctx, start_kilim(ctx, person("Bo"), person("Cy")), "spy", 3, 5)
    told = flat(newest(ctx, game).text)
    assert "Which gold card does your spy bid for " in told
    assert "Since your last turn: * All cards are shown: you the spy, Bo 3, Cy 5. Gold: 1, 2, " in told


def test_scraps_and_tokens_that_are_owed_have_a_link_each(ctx: AppContext) -> None:
    scrap, token = newest(ctx, with_scrap_won(ctx)), newest(ctx, with_token_won(ctx))
    motifs = ("bird", "eye", "horn", "star", "tree")
    assert linked(scrap) == [f"keep%20{motif}" for motif in motifs]
    assert "Reply with your choice, such as keep bird. Or choose here:" in flat(scrap.text)
    assert linked(token) == [f"take%20{name}" for name in ("perfect", "turn", "remove", "move")]
    assert "You won the artisan with 2." in token.text


def test_what_a_player_holds_is_in_the_letter_and_how_to_use_it(ctx: AppContext) -> None:
    game = say(ctx, with_scrap_won(ctx), 0, "keep star")
    told = flat(compose(ctx, post(ctx, "turn", game)).text)
    assert "* You: 1-7, spy, artisan + scrap star *" in told
    (patch,) = re.findall(
        r'before you play a card, with one line for each step: "(patch star [l-p]1[0-9])", then "1"', told
    )
    assert UI.parse_choice(patch, view_of(game, 0), "en") in view_of(game, 0)["legal"]
    game = say(ctx, say(ctx, game, 0, "spy"), 1, "3")
    assert "* Ann: 1-7, artisan + 1 scrap " in flat(compose(ctx, post(ctx, "links", game, 1)).text)


def test_the_evening_asks_what_is_used_and_offers_to_pass(ctx: AppContext) -> None:
    game = say(ctx, with_token_won(ctx, weaving="strict"), 0, "take turn")
    game = play_on(ctx, game, lambda game: game.state.phase == "evening" and 0 in game.rules.to_act(game.state))
    game = play_on(ctx, game, lambda game: not view_of(game, 0)["seats"][0]["owes"]["weave"])
    letter = compose(ctx, post(ctx, "turn", game))
    told = flat(letter.text)
    assert "What do you use this evening?" in told
    assert linked(letter) == ["pass"]
    assert f"such as turn {domino_on(game, 'm13')} " in told
    assert "* You: token turn" in told
    assert "It's the evening of day 1." in told


def test_what_was_sealed_is_told_once(ctx: AppContext) -> None:
    game = play_round(ctx, start_kilim(ctx, person("Bo"), person("Cy")), "bag", 3, 5)
    game = say(ctx, game, 0, "8")
    told = flat(newest(ctx, game, 1).text)
    story = told.partition("Since your last turn: ")[2].partition(" Gold:")[0]
    assert story.split(" * ") == [
        "* All cards are shown: Ann the bag, you 3, Cy 5.",
        f"Cy won {domino_of(game, 2)} with 5.",
        f"Cy wove {domino_of(game, 2)} on m13-n13.",
        "Ann won the bag with 8.",
        f"Round 2, day 1: {view_of(game, 0)['offer'][0]} is on offer.",
    ]


def domino_of(game: StoredGame, seat: int) -> str:
    return str(view_of(game, 0)["seats"][seat]["carpet"]["m13"]["domino"])


def test_whoever_has_played_reads_in_a_digest_what_is_left_and_nothing_secret(ctx: AppContext) -> None:
    game = say(ctx, with_carpet(ctx), 0, "7")
    post_message(ctx, game.id, 1, "Hm.")
    post_message(ctx, game.id, 0, "Well?")
    own, other = flat(newest(ctx, game, 0, "talk").text), flat(newest(ctx, game, 1, "talk").text)
    assert "* You: 1-6, 8, spy, bag, artisan" in own
    assert "* Ann: 1-8, spy, bag, artisan" in other
    assert "played" not in own + other
    game = say(ctx, game, 1, "3")
    assert "Since your last turn: * Ann wove " in flat(newest(ctx, game, 1).text), "before Bo played"
    assert "wove " not in flat(newest(ctx, game).text)


def test_the_letter_at_the_end_has_all_points_and_everybodys_carpet(ctx: AppContext) -> None:
    game = with_carpet(ctx)
    game = act(ctx, game.id, 1, game.head, RESIGN, "").game
    letter = newest(ctx, game, 0, "over")
    told = flat(letter.text)
    assert "Only one player is left. Ann wins." in told
    assert "Name Colours Rect. Motifs Groups Largest Torn Total Squares Ann red" in told
    assert "Check the draw:" in told
    assert "Cards and pieces" not in told


def test_an_invitation_says_which_game_it_is_for(ctx: AppContext) -> None:
    table(ctx, name="Friday", game="kilim", weaving="strict")
    told = flat(compose(ctx, letters(ctx, "invitation")[-1]).text)
    assert 'invites you to a game of Kilim by e-mail: "Friday".' in told
    assert "Kilim is a board game about weaving" in told
    assert "A game has 30 rounds." in told
    assert "Weaving: Strict: " in told
    assert "/rules/kilim" in told


def test_a_player_whose_time_ran_out_is_told_that_it_is_their_turn_again(ctx: AppContext) -> None:
    game = play_round(ctx, start_kilim(ctx), 5, 3)
    letter = flat(compose(ctx, post(ctx, "time-up", game, first=3, last=game.head, kept=False)).text)
    assert "so a stand-in played for you. It's your turn again now." in letter
    assert "Which card do you play for" in letter


def test_letters_are_in_french(ctx: AppContext) -> None:
    game = with_domino(ctx)
    speak_french(ctx)
    (owed,) = view_of(game, 0)["seats"][0]["owes"]["weave"]
    told = flat(compose(ctx, post(ctx, "turn", game)).text)
    assert f"Où tissez-vous {owed} ?" in told
    assert f"par exemple tisser {owed} " in told
    assert "* Vous : 1-8, espion, sac, artisan *" in told
    game = play_round(ctx, say(ctx, game, 0, "weave m14-n14"), "bag", 5)
    told = flat(compose(ctx, post(ctx, "turn", game)).text)
    assert "Le gagnant a payé 5. Quelle carte d\u2019or plus élevée payez-vous pour le sac ?" in told
