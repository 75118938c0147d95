"""A whole game at one sitting: shows the board, waits for one's turn, asks, and goes on."""

import time
from gettext import gettext as say
from typing import Annotated, Final

import typer

from cli import prompts
from cli.context import CliContext
from cli.errors import NotAllowed, NotReached, Stale, Usage
from cli.names import names_of
from cli.program import command
from cli.story import told_together
from cli.table_text import table_lines
from cli.turn_session import TurnSession

_QUIT: Final = frozenset({"q", "quit", "exit"})


class _Leaves(Exception):
    """Whoever plays wants to stop for now."""


@command("marrakech-cli play")
def play_(
    desk: CliContext,
    every: Annotated[float, typer.Option("--every", min=0.2, max=600, help="Look every so many seconds.")] = 2.0,
) -> None:
    """Play on and on: shows the board, waits for your turn, asks direction and place, until the game is over.

    At each question you may also type q to stop for now (the game goes on later), say WORDS, or resign.
    With --json the questions are read from standard input and one object is printed at the end.
    """
    hand = TurnSession(desk)
    if hand.view["you"] is None:
        raise NotAllowed(say("You have no seat in this game; look on with marrakech-cli watch or replay."))
    hand.show_table()
    try:
        while hand.view["status"] != "finished":
            if hand.my_turn:
                _take_step(hand)
            else:
                _wait(hand, every)
    except (_Leaves, EOFError):
        desk.paper.note(say("The game waits for you; go on with: marrakech-cli play"))
    desk.paper.put(hand.answer(), list)


def _take_step(hand: TurnSession) -> None:
    """Ask for one choice; where the game has moved on meanwhile, by the page or a letter, look again."""
    try:
        hand.ask(lambda words: _command(hand, words))
    except Stale as trouble:
        hand.paper.note(trouble.sentence)
        _catch_up(hand)


def _command(hand: TurnSession, words: str) -> bool:
    """Whether it was a word for this program and not a choice; then it is done."""
    first, _, rest = words.partition(" ")
    if first.lower() in _QUIT:
        raise _Leaves
    if first.lower() == "say" and rest:
        hand.play.say(rest)
        return True
    if first.lower() == "resign":
        if prompts.yes(say("Leave the game for good?")):
            hand.act({"type": "resign"})
        return True
    if first in {"?", "help"}:
        raise Usage(say("Type your choice, or: q to stop for now, say WORDS, resign."))
    return False


def _wait(hand: TurnSession, every: float) -> None:
    """Wait until something happens, and tell it."""
    before = hand.view["head"]
    if hand.view["status"] == "waiting":
        hand.paper.note(say("Waiting for players; Ctrl-C stops waiting, the table stays."))
    while hand.view["head"] == before and not hand.my_turn:
        time.sleep(every)
        try:
            hand.view = hand.play.view()
        except NotReached as trouble:
            hand.paper.note(trouble.sentence)
    _tell(hand, before)


def _catch_up(hand: TurnSession) -> None:
    before = hand.view["head"]
    hand.view = hand.play.view()
    _tell(hand, before)


def _tell(hand: TurnSession, before: int) -> None:
    events = [event for event in hand.play.events(before) if event["seq"] <= hand.view["head"]]
    hand.events += events
    if hand.my_turn:
        hand.paper.ring()
    hand.paper.show(
        lambda: [*told_together(events, names_of(hand.view["seats"])), "", *table_lines(hand.view, hand.paper)]
    )
