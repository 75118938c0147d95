"""Playing several steps of a turn one after the other, as a reply or the API's `do` names them."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from service.context import AppContext
from service.engine import errors as engine
from service.engine.dice import Chance
from service.engine.json_reader import Json
from service.errors import BadRequest, Problem, Stale, problem_of
from service.games import play
from service.games.play import ActionResult
from service.games.store import StoredGame
from service.games.views import parse_words, view_after
from service.i18n import ENGLISH, marked
from service.ui.protocol import Step
from service.ui.words import RESIGN_ALONE, NotListed, NotUnderstood, is_resignation

_LONGEST_SALT: Final = 60
_NOT_READ: Final = marked('We didn\'t understand "%(line)s", so nothing was played.')
_TURN_IS_OVER: Final = marked("The turn is over. Look at the game again, then decide.")


class Refusal(NamedTuple):
    """The first step that was not played, and why."""

    step: Step
    problem: Problem


class Turn:
    """The turn of one seat, as far as it has been played.

    The first action has this salt, the following ones `SALT-2`, `SALT-3` and so on. Each has a head of its own: the
    last event of the action before it. So the same steps sent again are found one by one, and happen once.

    `seen_head` is what the player has seen of the game if they see nothing between the steps, as in a reply.
    """

    def __init__(
        self,
        ctx: AppContext,
        game: StoredGame,
        seat: int,
        head: int,
        salt: str,
        only_turn: int | None = None,
        seen_head: int | None = None,
    ) -> None:
        """A link or a letter can play only its own turn, `only_turn`."""
        self.game = game
        self.results: list[ActionResult] = []
        self._ctx, self._seat, self._head, self._salt = ctx, seat, head, salt
        self._only_turn, self._seen_head = only_turn, seen_head
        self._turn = self.view()["turn"]

    def act(self, action: Json) -> None:
        """Play one action as the player's own."""
        number = len(self.results) + 1
        salt = self._salt if number == 1 else f"{self._salt[:_LONGEST_SALT]}-{number}"
        done = play.apply_action(
            self._ctx, self.game, self._seat, self._head, action, salt, self._only_turn, self._seen_head
        )
        self.game, self._head = done.game, done.first - 1 + len(done.entries)
        self.results.append(done)

    def play_step(self, step: Step) -> None:
        """Play the first choice of the step that is legal; raises why the last one is not, or that the turn is over."""
        view = self.view()
        if view["turn"] != self._turn:
            raise Stale(_TURN_IS_OVER)
        *others, last = step
        reading = next((each for each in others if self._is_legal(each, view)), last)
        # A reading is in one spelling, whatever the player's language.
        self.act(parse_words(self._ctx, self.game, self._seat, self._head, reading, ENGLISH))

    def play_steps(self, steps: Iterable[Step]) -> Refusal | None:
        """Play the steps until one is refused; it and the following ones are dropped. Raises why the first one is."""
        for step in steps:
            try:
                self.play_step(step)
            except (Problem, engine.IllegalAction, engine.Malformed) as problem:
                if not self.results:
                    raise
                return Refusal(step, problem_of(problem))
        return None

    def leave_to_stand_in(self) -> None:
        """Play the rest of the turn as the stand-in would; the same salt always leads to the same choices."""
        chance = Chance(self._salt.encode(), "stand-in")
        while self._goes_on() and len(self.results) < play.MOST_BOT_STEPS:
            self.act(play.choose_for_player(self.game, self._seat, chance))

    def view(self) -> Json:
        """The view after the last action."""
        return view_after(self._ctx, self.game, self._head, self._seat)

    def _is_legal(self, reading: str, view: Json) -> bool:
        try:
            self.game.ui.parse_choice(reading, view, ENGLISH)
        except (NotListed, NotUnderstood):
            return False
        return True

    def _goes_on(self) -> bool:
        game = self.game
        return game.status == "playing" and game.turn == self._turn and self._seat in game.rules.to_act(game.state)


def split_line(ctx: AppContext, game: StoredGame, seat: int, head: int, line: str, language: str) -> list[str]:
    """The choices that a line names one after the other, as in a reply; only the line itself if it names just one."""
    if head > game.head:
        raise Stale
    view = view_after(ctx, game, head, seat)
    try:
        game.ui.read_words(line, view, language)
    except NotUnderstood:
        return game.ui.split_words(line, view, language) or [line]
    return [line]


class PlayedLines(NamedTuple):
    """The results of the lines that were played, the first line that was not, and why."""

    results: list[ActionResult]
    refused: str = ""
    problem: Problem | None = None


def play_lines(
    ctx: AppContext,
    game: StoredGame,
    seat: int,
    head: int,
    lines: Sequence[str],
    salt: str,
    language: str,
    only_turn: int | None = None,
) -> PlayedLines:
    """Play one action for each line. Nothing is played if a line is not understood or the first action is refused.

    If a later action is refused, it and the following ones are dropped.
    """
    if head > game.head:
        raise Stale
    if any(is_resignation(line, language) for line in lines):
        raise BadRequest(RESIGN_ALONE)
    turn = Turn(ctx, game, seat, head, salt, only_turn)
    view = turn.view()
    readings = [_read(game, line, view, language) for line in lines]
    written = dict(zip(readings, lines, strict=True))
    refusal = turn.play_steps(game.ui.plan_turn(readings, view))
    if refusal is None:
        return PlayedLines(turn.results)
    return PlayedLines(turn.results, written[refusal.step[-1]], refusal.problem)


def _read(game: StoredGame, line: str, view: Json, language: str) -> str:
    try:
        return game.ui.read_words(line, view, language)
    except NotUnderstood:
        raise BadRequest(_NOT_READ, line=line) from None
