"""Playing what a reply says about a turn: its steps one after the other, in the transaction of the reply."""

from service.context import AppContext
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.errors import NotYourTurn
from service.games import play
from service.games.store import StoredGame
from service.games.views import game_view
from service.i18n import ENGLISH
from service.mail.inbound.commands import Command
from service.ui.protocol import NotListed, NotUnderstood, Step


def play_turn(ctx: AppContext, game: StoredGame, seat: int, turn: int, command: Command, salt: str) -> StoredGame:
    """Play the command's steps; those after a step that is not legal are dropped, and the next letter asks for them.

    The first action has this salt, the following ones `SALT-2`, `SALT-3` and so on.
    """
    steps = _Turn(ctx, game, seat, turn, salt)
    if command.action is not None:
        steps.act(command.action)
    for step in command.then:
        if not steps.try_step(step):
            break
    if command.auto:
        steps.leave_to_stand_in()
    if steps.game.head == game.head:
        raise NotYourTurn
    return steps.game


class _Turn:
    """The turn of one seat, as far as it has been played."""

    def __init__(self, ctx: AppContext, game: StoredGame, seat: int, turn: int, salt: str) -> None:
        self.game = game
        self._ctx, self._seat, self._turn, self._salt = ctx, seat, turn, salt
        self._seen, self._played = game.head, 0

    def act(self, action: Json) -> None:
        """Play one action as the player's own."""
        self._played += 1
        salt = self._salt if self._played == 1 else f"{self._salt}-{self._played}"
        game, turn = self.game, self._turn
        self.game = play.apply_action(self._ctx, game, self._seat, game.head, action, salt, turn, self._seen).game

    def try_step(self, step: Step) -> bool:
        """Play the first choice of the step that is legal; False if none is, or the turn is over."""
        if not self._goes_on():
            return False
        view = game_view(self._ctx, self.game, self._seat)
        for reading in step:
            try:
                # A reading is in one spelling, whatever the player's language.
                action = self.game.ui.parse_choice(reading, view, ENGLISH)
            except (NotListed, NotUnderstood):
                continue
            self.act(action)
            return True
        return False

    def leave_to_stand_in(self) -> None:
        """Play the rest of the turn as the stand-in would; the same message always leads to the same choices."""
        chance = Chance(self._salt.encode(), "stand-in")
        while self._goes_on() and self._played < play.MOST_BOT_STEPS:
            self.act(play.choose_for_player(self.game, self._seat, chance))

    def _goes_on(self) -> bool:
        game = self.game
        return game.status == "playing" and game.turn == self._turn and self._seat in game.rules.to_act(game.state)
