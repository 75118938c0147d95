"""What the service does around every game: clocks, stand-ins, absences, votes, chat, rematch, backups and exports."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import ClassVar

from service.auth.login import find_or_create_player
from service.clocks.calendar_changes import change_player
from service.clocks.deadlines import run_due_clocks
from service.clocks.requests import give_time, pause, request_stand_in, resume, return_to_seat
from service.context import AppContext
from service.db.backup import make_backup
from service.db.connection import migrate, open_database
from service.db.models import Event, Letter, Player
from service.db.restore import restore_backup
from service.engine import registry
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.engine.records import read_record
from service.engine.registry import AnyRules
from service.games.chat import list_messages, post_message
from service.games.lobby import NewGameRequest, create_game
from service.games.play import act
from service.games.players import delete_player, export_player
from service.games.rematch import request_rematch
from service.games.statistics import read_server_stats
from service.games.store import STAND_IN_AFTER, StoredGame, load, set_stood_in
from service.games.views import game_view, visible_record
from service.mail.letters import compose
from service.ui import registry as ui_registry
from service.ui.protocol import GameUi
from tests.support.browsers import Browser
from tests.support.clock import Clock
from tests.support.commands import run_server
from tests.support.tables import OPEN, join, snapshot_matches

DAY = 24 * 3600
RESIGN = {"type": "resign"}


class ServiceContract:
    rules: ClassVar[AnyRules]
    ui: ClassVar[GameUi]
    moves: ClassVar[int] = 100
    """How many actions are played where a whole game would take too long."""

    _registered: ClassVar[bool]

    @classmethod
    def setup_class(cls) -> None:
        cls._registered = cls.rules.name in registry.GAMES
        if not cls._registered:
            registry.register(cls.rules)
            ui_registry.register(cls.ui)

    @classmethod
    def teardown_class(cls) -> None:
        if not cls._registered:
            registry.unregister(cls.rules.name)
            ui_registry.unregister(cls.ui.name)

    # Games.

    def table(
        self, ctx: AppContext, host: Player, *others: Player, pace: int | None = None, time_up: str = "stand-in"
    ) -> StoredGame:
        """A game of these people that has started; their names are those of their addresses."""
        for player in (host, *others):
            player.name = str(player.email).partition("@")[0].capitalize()
        seats = [OPEN] * len(others)
        game = create_game(ctx, host, NewGameRequest(self.rules.name, "Friday", seats, {}, pace, time_up))
        for player in others:
            game = join(ctx, game.id, player)
        return game

    def step(self, ctx: AppContext, game: StoredGame, seat: int | None = None) -> StoredGame:
        """The game after one action of the bot that stands in, for a seat that is to act."""
        seat = min(self.rules.to_act(game.state)) if seat is None else seat
        view, bot = self.rules.view(game.state, seat), self.rules.bots[self.rules.stand_in]
        action: Json = bot(view, Chance(bytes(32), "step"))
        return act(ctx, game.id, seat, game.head, action, "").game

    def one_late(self, ctx: AppContext, game: StoredGame) -> tuple[StoredGame, int, int]:
        """The game when it waits for one seat only, that seat, and one that has played."""
        while len(waiting := self.rules.to_act(game.state)) > 1:
            game = self.step(ctx, game)
        (late,) = waiting
        return game, late, next(seat for seat in range(len(game.seats)) if seat != late)

    def test_each_player_the_game_waits_for_gets_one_letter_in_a_turn(
        self, ctx: AppContext, ann: Player, bo: Player, cy: Player
    ) -> None:
        game = self.table(ctx, ann, bo, cy)
        waited = set[tuple[int, int]]()
        for _ in range(self.moves):
            waited |= {(seat, game.turn) for seat in self.rules.to_act(game.state)}
            game = self.step(ctx, game) if game.status == "playing" else game
        rows = Letter.select(Letter.seat, Letter.turn).where(Letter.kind == "turn").tuples().execute(ctx.database)
        assert Counter(rows) == Counter(waited)

    # Clocks and absences.

    def test_the_players_to_act_are_reminded_and_then_a_stand_in_plays_for_them(
        self, ctx: AppContext, clock: Clock, ann: Player, bo: Player
    ) -> None:
        game = self.table(ctx, ann, bo, pace=DAY)
        assert game.deadline == clock.now + DAY
        late = sorted(self.rules.to_act(game.state))
        clock.now += DAY / 2
        run_due_clocks(ctx)
        assert self._seats_of_letters(ctx, "reminder") == late
        clock.now += DAY / 2
        run_due_clocks(ctx)
        after = load(ctx.database, game.id)
        assert after.turn > game.turn
        assert after.deadline == clock.now + DAY
        assert [seat.seat for seat in after.seats if seat.stood_in] == late
        assert Event.select().where(Event.stand_in == True).exists(ctx.database)  # noqa: E712 - peewee makes SQL of it
        assert self._seats_of_letters(ctx, "time-up") == late
        for letter in Letter.select().where(Letter.kind == "time-up").execute(ctx.database):
            assert "Your stand-in " in compose(ctx, letter).text
        assert snapshot_matches(ctx, game.id)

    def _seats_of_letters(self, ctx: AppContext, kind: str) -> list[int]:
        rows = Letter.select(Letter.seat).where(Letter.kind == kind).order_by(Letter.seat).tuples()
        return [seat for (seat,) in rows.execute(ctx.database)]

    def test_a_player_on_time_is_left_alone_when_another_is_late(
        self, ctx: AppContext, clock: Clock, ann: Player, bo: Player
    ) -> None:
        game, late, on_time = self.one_late(ctx, self.table(ctx, ann, bo, pace=DAY))
        clock.now = game.deadline or 0
        run_due_clocks(ctx)
        after = load(ctx.database, game.id)
        assert after.turn > game.turn
        assert [after.seats[seat].stood_in for seat in (late, on_time)] == [1, 0]
        assert self._seats_of_letters(ctx, "time-up") == [late]

    def test_an_absence_stops_the_clock(self, ctx: AppContext, clock: Clock, ann: Player, bo: Player) -> None:
        game, late, _ = self.one_late(ctx, self.table(ctx, ann, bo, pace=DAY))
        clock.now += DAY / 2
        change_player(ctx, game.seats[late].player or 0, {"away_until": clock.now + 10 * DAY})
        away = load(ctx.database, game.id)
        assert (away.deadline or 0) - (game.deadline or 0) == 10 * DAY
        assert game_view(ctx, away, None)["seats"][late]["away_until"]
        clock.now += 10 * DAY
        run_due_clocks(ctx)
        assert load(ctx.database, game.id).head == game.head
        clock.now += DAY / 2
        run_due_clocks(ctx)
        assert load(ctx.database, game.id).turn > game.turn

    def test_a_stand_in_that_has_taken_over_plays_at_once_until_the_player_returns(
        self, ctx: AppContext, ann: Player, bo: Player
    ) -> None:
        game = self.table(ctx, ann, bo, pace=DAY)
        while 0 not in self.rules.to_act(game.state):
            game = self.step(ctx, game)
        set_stood_in(ctx.database, game.id, 1, STAND_IN_AFTER)
        for _ in range(2):
            game = self.step(ctx, load(ctx.database, game.id), 0)
            assert self.rules.to_act(game.state) == {0}
        assert return_to_seat(ctx, game.id, 1).seats[1].stood_in == 0
        while 1 not in self.rules.to_act(game.state):
            game = self.step(ctx, load(ctx.database, game.id), 0)

    # Votes.

    def test_players_vote_for_more_time_or_a_stand_in(
        self, ctx: AppContext, clock: Clock, ann: Player, bo: Player
    ) -> None:
        game, late, other = self.one_late(ctx, self.table(ctx, ann, bo, pace=DAY, time_up="wait"))
        clock.now = game.deadline or 0
        run_due_clocks(ctx)
        assert load(ctx.database, game.id).head == game.head
        assert self._seats_of_letters(ctx, "time-up") == [0, 1]
        assert give_time(ctx, game.id, other, None).game.deadline == clock.now + DAY
        clock.now += DAY
        run_due_clocks(ctx)
        after = request_stand_in(ctx, game.id, other).game
        assert after.turn > game.turn
        assert after.seats[late].stood_in == 0

    def test_players_agree_on_a_pause(self, ctx: AppContext, clock: Clock, ann: Player, bo: Player) -> None:
        game = self.table(ctx, ann, bo, pace=DAY)
        clock.now += DAY / 4
        assert pause(ctx, game.id, 0).missing == [1]
        assert pause(ctx, game.id, 1).game.deadline is None
        clock.now += 9 * DAY
        run_due_clocks(ctx)
        paused = load(ctx.database, game.id)
        assert (paused.head, game_view(ctx, paused, 0)["paused"]) == (game.head, True)
        assert resume(ctx, game.id, 0).game.deadline == clock.now + DAY * 3 / 4

    # Everything else.

    def test_players_chat(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        game = self.table(ctx, ann, bo)
        post_message(ctx, game.id, 1, "Good luck!")
        assert [said.text for said in list_messages(ctx, game.id, 0)] == ["Good luck!"]
        assert "Good luck!" in Browser(ctx, "ann@example.org").get(f"/g/{game.id}")
        assert "Good luck!" not in Browser(ctx).get(f"/g/{game.id}")
        digest = Letter.select().where(Letter.kind == "talk").get(ctx.database)
        assert (digest.seat, "Good luck!" in compose(ctx, digest).text) == (0, True)

    def test_a_rematch_starts_with_the_same_players_and_options(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        game = self.table(ctx, ann, bo, pace=DAY)
        over = act(ctx, game.id, 1, game.head, RESIGN, "").game
        assert over.status == "finished"
        waiting = request_rematch(ctx, game.id, bo)
        rematch = request_rematch(ctx, game.id, ann)
        assert (rematch.id, rematch.status) == (waiting.id, "playing")
        assert (rematch.game, rematch.options, rematch.pace) == (game.game, game.options, DAY)
        assert [seat.player for seat in rematch.seats] == [bo.id, ann.id]
        assert rematch.seed != game.seed

    def test_a_running_game_goes_on_after_a_backup_was_restored(
        self, ctx: AppContext, clock: Clock, tmp_path: Path, ann: Player, bo: Player
    ) -> None:
        game = self.step(ctx, self.table(ctx, ann, bo, pace=DAY))
        for file in (tmp_path / "backup.jsonl", tmp_path / "backup.db"):
            make_backup(ctx.database, file, file.suffix == ".jsonl", clock.now, lambda _done, _total: None)
            other = ctx._replace(database=open_database(f"sqlite:///{file}.restored"))
            migrate(other.database)
            restore_backup(other.database, file, False, lambda _done, _total: None)
            restored = load(other.database, game.id)
            assert (restored.head, restored.state, restored.seed) == (game.head, game.state, game.seed)
            assert snapshot_matches(other, game.id)
            assert self.step(other, restored).head > game.head
            other.database.close()

    def test_a_players_data_can_be_exported_and_deleted_in_the_middle_of_a_game(
        self, ctx: AppContext, ann: Player, bo: Player, cy: Player
    ) -> None:
        game = self.step(ctx, self.step(ctx, self.table(ctx, ann, bo, cy, pace=DAY)))
        post_message(ctx, game.id, 1, "I'm leaving.")
        exported = json.dumps(export_player(ctx, find_or_create_player(ctx, "bo@example.org")))
        [listed] = json.loads(exported)["games"]
        assert listed["said"][0]["text"] == "I'm leaving."
        assert read_record(listed["record"]) == visible_record(ctx, load(ctx.database, game.id))
        assert game.seed not in exported
        delete_player(ctx, bo.id, resign=True)
        after = load(ctx.database, game.id)
        assert after.status == "playing"
        assert not self.rules.is_active(after.state, 1)
        assert 1 not in self.rules.to_act(after.state)
        assert list_messages(ctx, game.id, 0) == []
        for page in (Browser(ctx, "ann@example.org").get(f"/g/{game.id}"), Browser(ctx).get(f"/g/{game.id}/replay")):
            assert not re.search(r"\bBo\b", page)
            assert "bo@example.org" not in page
        assert snapshot_matches(ctx, game.id)
        self.step(ctx, after)

    def test_the_server_host_sees_the_game_in_the_statistics(self, ctx: AppContext, ann: Player, bo: Player) -> None:
        game = self.step(ctx, self.table(ctx, ann, bo))
        found = read_server_stats(ctx)
        assert (found.games[game.game, "playing"], found.players, found.events) == (1, 2, game.head)
        environ = {
            "MARRAKECH_DATA_DIR": str(ctx.settings.data_dir),
            "MARRAKECH_DATABASE_URL": ctx.settings.database_url,
        }
        [line] = run_server(["games", "--status", "playing"], environ).stdout.splitlines()
        assert line.startswith(f"{game.id}  {game.game} ")
        to_act = self.rules.to_act(game.state)
        names = [f"{seat} {name}{'*' if seat in to_act else ''}" for seat, name in enumerate(("Ann", "Bo"))]
        assert line.endswith(", ".join(names))
