"""What every registered game must offer: `GameContract` plays it on the page, by mail, through the API and the CLI.

What the service does around a game is in `service_contract`.

A game's test class inherits it and sets `rules` and `ui`. Games with many turns set `moves`: after so many actions a
player resigns, and the game ends as that game ends then.
"""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from gettext import NullTranslations
from html import unescape
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from werkzeug.serving import make_server

from service.app import build_context, create_app
from service.context import AppContext
from service.db.models import Event, Letter, Player
from service.engine.dice import Chance
from service.engine.match import Match, new_heading, start_match
from service.engine.records import RecordPlayer
from service.errors import Stale
from service.games.play import act
from service.games.store import StoredGame, load
from service.i18n import translations_for
from service.mail.inbound.answers import Result
from service.mail.inbound.handler import receive
from service.mail.letters import compose
from service.ui.words import NotListed, NotUnderstood
from tests.cli.players import LocalServer
from tests.mail.inbound.post import DOMAIN, address, message
from tests.support.browsers import Browser
from tests.ui.service_contract import RESIGN, ServiceContract

ENGLISH, FRENCH = NullTranslations(), translations_for("fr")
PAGE_COMMANDS = {"accept", "decline", "say", "give", "stand-in", "more-time", "pause", "resume", "return", "resign"}
"""What the forms of a page can say besides a choice."""
Move: TypeAlias = Callable[[StoredGame, int, str], None]
"""Plays the choice that words name for a seat."""


class GameContract(ServiceContract):
    # Games to play with.

    def matches(self, seats: int) -> Iterator[Match]:
        """A game between bots, position by position."""
        players = [RecordPlayer(f"Player {seat}") for seat in range(seats)]
        match = start_match(new_heading(self.rules, "game", "A game", {}, players, bytes(32)), "2026-01-01T00:00:00Z")
        chance = Chance(bytes(32), "contract")
        yield match
        while waiting := self.rules.to_act(match.state):
            seat = min(waiting)
            action = self.rules.bots[self.rules.stand_in](match.view(seat), chance)
            match = match.act(seat, action, "", "2026-01-01T00:00:00Z")
            yield match

    def play_to_the_end(
        self, ctx: AppContext, game: StoredGame, move: Callable[[StoredGame, int, str], None]
    ) -> StoredGame:
        """Make moves through one of the ways to play, until the game is over; the last ones are resignations."""
        made = 0
        while (game := load(ctx.database, game.id)).status == "playing":
            seat = min(self.rules.to_act(game.state))
            choices = self.ui.choices(self.rules.view(game.state, seat), ENGLISH)
            head, words = game.head, choices[made % len(choices)].key if made < self.moves else "resign"
            move(game, seat, words)
            assert load(ctx.database, game.id).head > head, words
            made += 1
        return game

    # Choices, sentences and boards.

    def test_every_legal_action_is_a_choice_that_its_key_names(self) -> None:
        for match in self.matches(2):
            for seat in range(2):
                view = match.view(seat)
                choices = self.ui.choices(view, ENGLISH)
                assert [choice.action for choice in choices] == view["legal"]
                assert len({choice.key for choice in choices}) == len(choices)
                for choice in choices:
                    assert choice.label
                    assert choice.key not in PAGE_COMMANDS
                    assert self.ui.parse_choice(choice.key, view, "en") == choice.action
                    if choice.number is not None:
                        assert self.ui.parse_choice(f"#{choice.number}", view, "fr") == choice.action
                assert self.ui.parse_choice("resign", view, "en") == RESIGN
                for choice in choices[:1]:
                    assert all(self.ui.question(view, ENGLISH, match.state))
                    reply = self.ui.write_reply(choice.key, FRENCH)
                    assert self.ui.parse_choice(reply, view, "fr") == choice.action

    def test_what_names_no_choice_is_refused_with_a_sentence(self) -> None:
        view = next(self.matches(2)).view(0)
        with pytest.raises(NotUnderstood, match=r"\.$"):
            self.ui.parse_choice("perhaps?", view, "en")
        with pytest.raises(NotListed, match=r"\.$"):
            self.ui.parse_choice("#99", view, "en")

    def test_every_event_and_the_ending_are_told(self) -> None:
        names = ["Ann", "Bo"]
        match = list(self.matches(2))[-1]
        for entry in match.entries:
            event = self.rules.event_view(match.state, entry.event, None)
            assert self.ui.narrate([event], names, ENGLISH).endswith(".")
            assert self.ui.actor(event) in {None, 0, 1}
            assert not self.ui.is_told_again(event, [])
        result = match.view(None)["result"]
        winner = names[result["winners"][0]]
        assert winner in self.ui.ending(result, names, ENGLISH)
        scores = self.ui.final_standings(match.record(), result, names, ENGLISH)
        assert [row.seat for row in scores.rows] == result["ranking"]
        high_scores = self.ui.high_scores(match.record())
        assert high_scores.keys() == self.ui.high_score_titles(ENGLISH).keys()
        assert {len(numbers) for numbers in high_scores.values()} <= {2}

    def test_the_board_is_drawn_and_written_at_every_moment(self) -> None:
        most = self.rules.seats.stop - 1
        matches = list(self.matches(most))
        for match in [matches[0], matches[len(matches) // 2], matches[-1]]:
            for seat in (None, 0):
                view = match.view(seat)
                svg = ET.fromstring(self.ui.board_svg(view, ENGLISH))  # noqa: S314 - our own drawing
                assert svg.findtext("{http://www.w3.org/2000/svg}title")
                text = self.ui.board_text(view, ENGLISH)
                assert all(len(line) <= 72 for line in text.splitlines())
                assert self.ui.alt_text(view, ENGLISH)
                standings = self.ui.standings(view, [each["name"] for each in view["seats"]], ENGLISH)
                assert [row.seat for row in standings.rows] == list(range(most))
                assert all(len(row.cells) == len(standings.columns) for row in standings.rows)
                holdings = self.ui.describe_holdings(view, [each["name"] for each in view["seats"]], ENGLISH)
                assert holdings is None or (holdings.title and all(holdings.lines))
        assert self.ui.board_png(matches[-1].view(None), ENGLISH).startswith(b"\x89PNG")

    # The ways to play.

    def test_a_table_is_set_up_on_the_page(self, ctx: AppContext) -> None:
        host, guest = Browser(ctx, "ann@example.org"), Browser(ctx, "bo@example.org")
        form = host.get(f"/new?game={self.rules.name}")
        assert f'name="game" value="{self.rules.name}"' in form
        created = host.post("/new", 303, on=f"/new?game={self.rules.name}", game=self.rules.name, kind2="open")
        waiting = host.get(created.location)
        (share,) = re.findall(r'value="http://[^"]+(/join/[^"]+)"', waiting)
        joined = guest.post(share, 303, on=share)
        assert "Ann" in guest.get(joined.location) or "ann" in guest.get(joined.location)

    def test_the_game_is_played_on_the_page(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        browsers = [Browser(ctx, "ann@example.org"), Browser(ctx, "bo@example.org")]

        def move(game: StoredGame, seat: int, words: str) -> None:
            page = browsers[seat].get(f"/g/{game.id}")
            hidden = dict(re.findall(r'<input type="hidden" name="(head|salt)" value="([^"]*)"', page))
            offered = [unescape(key) for key in re.findall(r'<input type="radio" name="do" value="([^"]+)"', page)]
            assert words in [*offered, "resign"]
            sure = {"sure": "yes"} if words == "resign" else {}
            browsers[seat].post(f"/g/{game.id}", 303, on=f"/g/{game.id}", do=words, **hidden, **sure)

        game = self.play_to_the_end(ctx, self.table(ctx, ann, bo), move)
        ending = self.ui.ending(self.rules.view(game.state, None)["result"], ["Ann", "Bo"], ENGLISH)
        onlooker = Browser(ctx)
        for page in (f"/g/{game.id}", f"/g/{game.id}/over"):
            assert ending in unescape(onlooker.get(page))
        for step in (0, 1, game.head // 2, game.head):
            page = onlooker.get(f"/g/{game.id}/replay?step={step}")
            assert f"step {step} of {game.head}" in page
        assert ending in unescape(page)

    def test_the_game_is_played_by_mail(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        ctx = build_context(replace(ctx.settings, inbound_domain=DOMAIN), ctx.database, ctx.clock)

        def move(game: StoredGame, seat: int, words: str) -> None:
            letter = _newest_letter(ctx, game, seat)
            composed = compose(ctx, letter)
            reply_to = address(ctx, game, seat, composed.answer_plays)
            for choice in self.ui.choices(self.rules.view(game.state, seat), ENGLISH):
                assert (f"?do={quote(choice.key)}\n" in composed.text) == choice.is_listed
            assert receive(ctx, message(reply_to, words)).result is Result.PLAYED

        game = self.play_to_the_end(ctx, self.table(ctx, ann, bo), move)
        for seat in (0, 1):
            over = compose(ctx, _newest_letter(ctx, game, seat))
            assert over.subject == "Game: Friday"
            assert f"/g/{game.id}/over#dice\n" in over.text

    def test_a_turn_is_left_to_the_stand_in_by_mail(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        ctx = build_context(replace(ctx.settings, inbound_domain=DOMAIN), ctx.database, ctx.clock)
        game = self.table(ctx, ann, bo)
        seat = min(self.rules.to_act(game.state))
        assert receive(ctx, message(address(ctx, game, seat), "auto")).result is Result.PLAYED
        after = load(ctx.database, game.id)
        assert after.turn > game.turn or seat not in self.rules.to_act(after.state)
        assert not Event.select().where(Event.stand_in == True).exists(ctx.database)  # noqa: E712 - peewee makes SQL of it

    def test_the_game_is_played_through_the_api(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        client = create_app(ctx).test_client()
        tokens = [ctx.tokens.api(player.id, player.token_version) for player in (ann, bo)]

        def call(method: str, path: str, seat: int, **body: Any) -> Any:
            headers = {"Authorization": f"Bearer {tokens[seat]}"}
            answer = client.open(f"/api/v1{path}", method=method, headers=headers, json=body or None)
            assert answer.status_code == 200, answer.text
            return answer.json if answer.is_json else answer.text

        def move(game: StoredGame, seat: int, words: str) -> None:
            view = call("GET", f"/games/{game.id}", seat)
            assert [choice["action"] for choice in view["choices"]] == view["legal"]
            done = call("POST", f"/games/{game.id}/actions", seat, head=view["head"], do=words)
            assert done["story"][-1]["seq"] == done["events"][-1]["seq"]
            again = call("POST", f"/games/{game.id}/actions", seat, head=view["head"], do=words)
            assert again["repeated"]
            assert again["events"] == done["events"]

        game = self.play_to_the_end(ctx, self.table(ctx, ann, bo), move)
        told = call("GET", f"/games/{game.id}/story?after=0", 0)["sentences"]
        numbers = [sentence["seq"] for sentence in told]
        assert numbers == sorted(set(numbers))
        assert numbers[-1] == game.head
        assert call("GET", f"/games/{game.id}/board.txt?width=60&after=1", 0).strip()
        assert call("GET", f"/games/{game.id}/record", 0)["result"] == self.rules.view(game.state, None)["result"]

    def test_the_game_is_played_with_the_command_line_client(
        self, ctx: AppContext, ann: Player, bo: Player, tmp_path: Path
    ) -> None:
        server = make_server("127.0.0.1", 0, create_app(ctx), threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            local = LocalServer(f"http://127.0.0.1:{server.port}", ctx, tmp_path)
            people = [local.player(name, tmp_path) for name in ("ann", "bo")]

            def move(game: StoredGame, seat: int, words: str) -> None:
                shown = people[seat].run_ok("show", "--game", game.id)
                view = self.rules.view(game.state, seat)
                choices = self.ui.choices(view, ENGLISH)
                assert all(each.key in shown.out or each.label in shown.out for each in choices if each.is_listed)
                unlisted = [choice for choice in choices if not choice.is_listed]
                assert not unlisted or self.ui.explain_unlisted(view, unlisted, ENGLISH) in shown.out
                if words == "resign":
                    people[seat].run_ok("resign", "--yes", "--game", game.id)
                else:
                    people[seat].run_ok("act", words, "--game", game.id)

            game = self.play_to_the_end(ctx, self.table(ctx, ann, bo), move)
            ending = self.ui.ending(self.rules.view(game.state, None)["result"], ["Ann", "Bo"], ENGLISH)
            assert ending in " ".join(people[0].run_ok("log", "--game", game.id).out.split())
            assert people[0].run_ok("replay", "--game", game.id).out
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    # Several players at once.

    def test_an_action_is_stale_only_if_the_rules_say_so(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        game = self.table(ctx, ann, bo)
        seats = sorted(self.rules.to_act(game.state))
        legal = {seat: self.rules.view(game.state, seat)["legal"] for seat in seats}
        first = act(ctx, game.id, seats[0], game.head, legal[seats[0]][0], "")
        other = seats[-1]
        if other != seats[0] and not self.rules.is_stale([entry.event for entry in first.entries]):
            second = act(ctx, game.id, other, game.head, legal[other][-1], "")
            assert not second.repeated
            assert second.game.head > first.game.head
            assert act(ctx, game.id, other, game.head, legal[other][-1], "").repeated
        with pytest.raises(Stale):
            act(ctx, game.id, seats[0], game.head, legal[seats[0]][-1], "")


def _newest_letter(ctx: AppContext, game: StoredGame, seat: int) -> Letter:
    chosen = (Letter.game == game.id) & (Letter.seat == seat)
    return Letter.select().where(chosen).order_by(Letter.id.desc()).get(ctx.database)
