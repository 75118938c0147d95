"""Every letter that is posted can be read, says what its reader needs, and does no harm whoever is named in it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from service import paths
from service.auth.login import create_login_code, find_or_create_player, log_in_with_code, log_in_with_link
from service.auth.tokens import SeatLink, TurnLink
from service.context import AppContext
from service.db.models import Game, Player
from service.games.lobby import EXPIRES_AFTER, SeatRequest, cancel, decline, expire
from service.games.play import act
from service.games.players import replace_links, resend_links
from service.games.store import GUEST_DOMAIN
from service.mail.letters import KINDS, Composed, Outdated, compose
from tests.mail.tables import ANN, BO, footer_links_in, letters, links_in, one_step, played, started, table
from tests.mail.test_every_letter import check
from tests.support.apps import app_for
from tests.support.clock import Clock
from tests.support.tables import join

BASE = "http://127.0.0.1:8000"
SERVICE = Path(__file__).parents[2] / "service"


def read(ctx: AppContext, kind: str, place: int = -1) -> Composed:
    composed = compose(ctx, letters(ctx, kind)[place])
    check(composed)
    return composed


def test_every_kind_that_is_posted_has_its_templates_and_is_composed() -> None:
    source = "\n".join(path.read_text() for path in sorted(SERVICE.rglob("*.py")))
    posted = set(re.findall(r'NewLetter\(\s*"([a-z-]+)"', source))
    posted |= {"refusals"}  # named by a constant
    posted |= set(re.findall(r'_close\(ctx, game, "([a-z-]+)"', source))  # the lobby names the kind by the status
    assert {"sign-in", "invitation", "turn", "over"} <= posted <= set(KINDS)
    for kind in KINDS:
        assert (paths.templates() / "mail" / f"{kind}.jinja").is_file(), kind


def test_a_sign_in_letter_has_a_code_and_a_link_and_either_signs_in(ctx: AppContext) -> None:
    create_login_code(ctx, ANN)
    create_login_code(ctx, BO)
    by_code, by_link = read(ctx, "sign-in", 0), read(ctx, "sign-in", 1)
    (code,) = re.findall(r"^[A-Z0-9]{8}$", by_code.text, re.MULTILINE)
    assert log_in_with_code(ctx, ANN, code).email == ANN
    (link,) = links_in(by_link)
    assert link.startswith(f"{BASE}/login/")
    assert log_in_with_link(ctx, link.rpartition("/")[2]).email == BO


def test_an_invitation_opens_the_seat_that_is_offered(ctx: AppContext) -> None:
    game = table(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="Fatima"), SeatRequest())
    invitation = read(ctx, "invitation")
    assert invitation.subject == "Game: Market day"
    assert "Hi Bo," in invitation.text
    said = " ".join(invitation.text.split())
    assert 'Ann (ann@example.org) invites you to a game of Marrakech by e-mail: "Market day".' in said
    assert "4 players: Ann, you, Fatima (medium bot) and 1 open seat. " in said
    assert "Marrakech is a board game about a rug market: " in said
    assert "Each player has 12 turns. That takes about half an hour " in said
    assert "Time for each turn: 1 day. " in said
    assert "Dirhams" not in invitation.text
    assert invitation.pictures == ()
    chosen = [link.removeprefix(f"{BASE}/s/").partition("?do=") for link in links_in(invitation)]
    assert [do for _, _, do in chosen] == ["accept", "decline", ""]
    assert {ctx.tokens.read_seat(token) for token, _, do in chosen if do} == {SeatLink(game.id, 1, 0)}
    assert links_in(invitation)[2] == f"{BASE}/rules/marrakech"


def test_an_invitation_without_a_time_limit_says_so_and_a_guest_has_no_address(ctx: AppContext) -> None:
    game = table(ctx)
    Game.update(pace=None).where(Game.id == game.id).execute(ctx.database)
    Player.update(email=f"someone@{GUEST_DOMAIN}").where(Player.email == ANN).execute(ctx.database)
    said = " ".join(read(ctx, "invitation").text.split())
    assert "Ann invites you to a game of Marrakech" in said
    assert "2 players: Ann and you. " in said
    assert "There's no time limit. " in said


def test_a_footer_links_the_rules_the_settings_and_the_way_out(ctx: AppContext) -> None:
    started(ctx, first=0)
    rules, settings, unsubscribe = footer_links_in(read(ctx, "turn"))
    client = app_for(ctx).test_client()
    assert (rules, settings) == (f"{BASE}/rules/marrakech", f"{BASE}/me")
    assert client.get(rules.removeprefix(BASE)).status_code == 200
    assert client.get(unsubscribe.removeprefix(BASE)).status_code == 200
    create_login_code(ctx, ANN)
    assert footer_links_in(read(ctx, "sign-in")) == ()


def test_an_invitation_has_the_message_of_the_host(ctx: AppContext) -> None:
    game = table(ctx)
    Game.update(message="Bring tea!\n<b>And</b> rugs.").where(Game.id == game.id).execute(ctx.database)
    invitation = read(ctx, "invitation")
    assert "Bring tea!" in invitation.text
    assert "<b>And</b> rugs." in invitation.text
    assert "&lt;b&gt;And&lt;/b&gt; rugs." in invitation.html


def test_an_invitation_says_how_to_answer_it_where_answers_are_read(ctx: AppContext) -> None:
    table(ctx)
    letter = letters(ctx, "invitation")[0]
    reading = ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))
    said = "Or reply with one word: accept or decline."
    read, unread = compose(reading, letter), compose(ctx, letter)
    assert said in read.text
    assert said in read.html
    assert said not in unread.text + unread.html


def test_an_invitation_to_a_seat_that_somebody_else_has_taken_is_not_written(ctx: AppContext) -> None:
    game = table(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest())
    (invitation,) = letters(ctx, "invitation")
    decline(ctx, game.id, 1, find_or_create_player(ctx, BO).id)
    with pytest.raises(Outdated):
        compose(ctx, invitation)
    join(ctx, game.id, find_or_create_player(ctx, "eve@example.org"))
    with pytest.raises(Outdated):
        compose(ctx, invitation)


def test_the_host_hears_that_a_seat_is_free_again(ctx: AppContext) -> None:
    game = table(ctx)
    decline(ctx, game.id, 1, find_or_create_player(ctx, BO).id)
    declined = read(ctx, "declined")
    assert 'A player declined, so seat 2 in "Market day" is open again.' in declined.text
    assert ctx.tokens.read_seat(links_in(declined)[0].removeprefix(f"{BASE}/s/")) == SeatLink(game.id, 0, 0)


def test_whoever_was_asked_hears_that_the_table_is_called_off(ctx: AppContext) -> None:
    game = table(ctx)
    cancel(ctx, game.id, game.host)
    assert 'Ann cancelled "Market day" before it started.' in read(ctx, "cancelled").text


def test_the_host_hears_that_the_table_did_not_fill_up(ctx: AppContext, clock: Clock) -> None:
    table(ctx)
    clock.now += EXPIRES_AFTER + 1
    expire(ctx)
    assert "was cancelled because it wasn't full after 14 days." in " ".join(read(ctx, "expired").text.split())


def test_links_that_are_mailed_again_open_the_seat_and_replaced_ones_have_the_new_version(ctx: AppContext) -> None:
    game = started(ctx)
    resend_links(ctx, BO)
    assert ctx.tokens.read_seat(links_in(read(ctx, "links"))[0].removeprefix(f"{BASE}/s/")).version == 0
    replace_links(ctx, game.id, 1, find_or_create_player(ctx, BO).id)
    assert ctx.tokens.read_seat(links_in(read(ctx, "links"))[0].removeprefix(f"{BASE}/s/")).version == 1


def test_a_turn_letter_says_what_happened_shows_the_board_and_links_each_choice(ctx: AppContext) -> None:
    game = played(ctx, started(ctx, first=0), turns=2)
    letter = read(ctx, "turn")
    assert letter.subject == "Game: Market day"
    text = " ".join(letter.text.split())
    assert "Since your last turn: * Bo " in text
    assert re.search(r"\* Bo (turned|sent) Assam [^.]*, rolled \d[^.]* laid a ", text)
    assert "Ann turned" not in text
    assert "You turned" not in text
    assert "You have 1 day for this turn, until Tuesday, 22 September 2026, 14:13 (UTC)." in text
    chosen = [link.partition("?do=") for link in links_in(letter)]
    assert [do for _, _, do in chosen] == ["left", "ahead", "right", ""]
    for link, _, _ in chosen:
        assert ctx.tokens.read_turn(link.removeprefix(f"{BASE}/t/")) == TurnLink(game.id, 0, 3, 0)


def test_the_first_letter_tells_the_game_from_its_start(ctx: AppContext) -> None:
    started(ctx, first=1)
    text = " ".join(read(ctx, "turn").text.split())
    assert "So far: * You go first. Assam starts on d4, facing north." in text


def test_bots_that_played_in_the_same_breath_are_told_and_the_readers_own_action_is_not(ctx: AppContext) -> None:
    game = started(ctx, SeatRequest(bot="medium", name="Fatima"), first=0)
    played(ctx, game, turns=2)
    text = " ".join(read(ctx, "turn").text.split())
    assert re.search(r"Fatima (turned|sent) Assam [^.]* laid a ", text)
    assert "Ann laid" not in text
    assert "You laid" not in text


def test_a_turn_letter_is_outdated_after_the_turn(ctx: AppContext) -> None:
    game = started(ctx, first=0)
    written = [read(ctx, "turn")]
    while game.turn < 4:
        before = len(letters(ctx, "turn"))
        game = one_step(ctx, game)
        if len(letters(ctx, "turn")) > before:
            written.append(read(ctx, "turn"))
    assert len(written) == 4
    for place in range(3):
        with pytest.raises(Outdated):
            read(ctx, "turn", place)


def test_with_the_other_variant_a_turn_letter_offers_numbered_places(ctx: AppContext) -> None:
    game = started(ctx, first=0, variant="rotate-after")
    letter = read(ctx, "turn")
    legal = [action["squares"] for action in game.rules.view(game.state, 0)["legal"]]
    assert [link.partition("?do=")[2] for link in links_in(letter)] == [*("-".join(place) for place in legal), ""]
    for number, place in enumerate(legal, 1):
        assert f"#{number} {'-'.join(place)}:\nhttp" in letter.text
        assert f"#{number}" in letter.text.partition("         .---")[2]


def test_without_a_clock_there_is_no_hurry(ctx: AppContext) -> None:
    game = started(ctx, first=0)
    Game.update(pace=None, deadline=None).where(Game.id == game.id).execute(ctx.database)
    assert "There's no time limit. Take your time." in read(ctx, "turn").text


def test_the_last_letter_has_the_result_the_board_the_last_turns_and_a_link_to_a_rematch(ctx: AppContext) -> None:
    game = played(ctx, started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="Fatima")))
    result = game.rules.view(game.state, None)["result"]
    winner = ("Ann", "Bo", "Fatima")[result["winners"][0]]
    assert len(letters(ctx, "over")) == 2
    for seat in (0, 1):
        letter = read(ctx, "over", seat)
        expected = 'You won "Market day"' if winner == ("Ann", "Bo")[seat] else f"{winner} wins."
        assert expected in letter.text or "share the win" in letter.text
        rows = letter.text.partition("Earned\n")[2].splitlines()
        for ranked, row in zip(result["ranking"], rows, strict=False):
            score = result["scores"][ranked]
            name, *_, dirhams, squares, total, _paid, _earned = row.replace("(out)", "").split()
            assert name == ("Ann", "Bo", "Fatima")[ranked]
            assert [int(dirhams), int(squares), int(total)] == [score["dirhams"], score["rugs"], score["total"]]
            assert ("(out)" in row) == score["out"]
        told = letter.text.partition("How it ended:")[2].partition("\n-- \n")[0]
        assert told.count("\n* ") == len(game.seats) + 1
        assert "All rugs have been laid." in told.rpartition("\n* ")[2]
        assert game.heading.commitment not in letter.text
        rematch, ending, analysis, dice = links_in(letter)
        assert ctx.tokens.read_seat(rematch.removeprefix(f"{BASE}/s/").removesuffix("#ending")).seat == seat
        assert (ending, dice) == (f"{BASE}/g/{game.id}/over", f"{BASE}/g/{game.id}/over#dice")
        assert analysis == f"{BASE}/g/{game.id}/analysis"


def test_the_links_of_the_last_letter_open_the_rematch_and_the_dice(ctx: AppContext) -> None:
    played(ctx, started(ctx))
    client = app_for(ctx).test_client()
    rematch, _, _, dice = (link.removeprefix(BASE) for link in links_in(read(ctx, "over")))
    page = client.get(rematch.partition("#")[0]).text
    assert 'value="rematch"' in page.partition('id="ending"')[2]
    assert 'id="dice"' in client.get(dice.partition("#")[0]).text


def test_whoever_leaves_early_is_not_told_the_whole_game(ctx: AppContext) -> None:
    game = started(ctx, SeatRequest(email=BO, name="Bo"), SeatRequest(bot="medium", name="Fatima"), first=0)
    game = act(ctx, game.id, 1, game.head, {"type": "resign"}, "").game
    played(ctx, game)
    letter = read(ctx, "over", 1)
    assert "(The game's page shows what happened earlier.)" in letter.text
    assert letter.text.count("\n* ") == 12
