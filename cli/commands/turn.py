"""The commands of a turn: move, place, turn, and resign."""

from gettext import gettext as say
from typing import Annotated

import typer

from cli import prompts
from cli.choices import check_phase, check_turn, read_direction
from cli.completing import directions, places, turns
from cli.context import CliContext
from cli.errors import Refused, Usage
from cli.names import one_line
from cli.program import command
from cli.table_text import next_step
from cli.turn_session import TurnSession

_DIRECTION = Annotated[
    str | None,
    typer.Option(
        "--dir",
        "-d",
        metavar="DIRECTION",
        help="left, ahead or right (l, a, r, straight), or a wind such as north; asked for where it is left out.",
        autocompletion=directions,
    ),
]
_PLACE = Annotated[
    str | None,
    typer.Option(
        "--place",
        "-p",
        metavar="PLACE",
        help="Where to lay the rug then: two squares such as d5-e5, or the number of a place.",
        autocompletion=places,
    ),
]


@command("marrakech-cli move --dir left --place d5-e5")
def move_(desk: CliContext, direction: _DIRECTION = None, place: _PLACE = None) -> None:
    """Send Assam on his way, and lay a rug where he stops.

    Shows the roll, Assam's way and who paid what; the places for a rug are numbered on the board. In a terminal it asks
    for what is left out; otherwise it says what to type next. In the variant rotate-after the rug is laid first and the
    direction is the way in which Assam is turned. A connection that drops is tried again and can never roll twice.
    """
    hand = TurnSession(desk)
    check_turn(hand.view)
    _check_not_walked(hand, direction)
    given = {"direction": direction, "rotation": direction, "placement": place}
    turn = hand.view["turn"]
    try:
        if direction is None and place is None:
            hand.show_table()
        while hand.my_turn and hand.view["turn"] == turn:
            if not hand.choose(given.pop(hand.view["phase"], None)):
                break
    finally:
        # The roll has happened even where the place is refused afterwards.
        if hand.events:
            desk.paper.put(hand.answer(), list)
    if not hand.events:
        raise Usage(say("Nothing was chosen. %(next)s.") % {"next": next_step(hand.view)})


def _check_not_walked(hand: TurnSession, direction: str | None) -> None:
    """A direction that comes too late is not passed over quietly: it may have been meant for another turn."""
    view = hand.view
    if direction is not None and view["phase"] == "placement" and view["options"].get("variant") == "standard":
        raise Refused(say("Assam has walked in this turn already. %(next)s.") % {"next": next_step(view)})
    if direction is not None and view["phase"] == "direction":
        read_direction(direction, view)


@command("marrakech-cli place d5-e5")
def place_(
    desk: CliContext,
    place: Annotated[
        str | None,
        typer.Argument(help="Two squares such as d5-e5, or the number of a place on the board.", autocompletion=places),
    ] = None,
) -> None:
    """Lay your rug, after Assam has walked."""
    _one_step(desk, "placement", place)


@command("marrakech-cli turn left")
def turn_(
    desk: CliContext,
    direction: Annotated[
        str | None, typer.Argument(help="left or right, or a wind such as north.", autocompletion=turns)
    ] = None,
) -> None:
    """Turn Assam at the end of your turn; in the variant rotate-after only."""
    _one_step(desk, "rotation", direction)


def _one_step(desk: CliContext, phase: str, given: str | None) -> None:
    hand = TurnSession(desk)
    check_turn(hand.view)
    check_phase(hand.view, phase)
    if given is None:
        hand.show_table()
    if not hand.choose(given):
        raise Usage(f"{next_step(hand.view)}.")
    desk.paper.put(hand.answer(), list)


@command("marrakech-cli resign --yes")
def resign_(
    desk: CliContext,
    sure: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you are sure.")] = False,
) -> None:
    """Leave the game for good; possible at any time, and it asks first."""
    hand = TurnSession(desk)
    if hand.view["status"] != "playing":
        check_turn(hand.view)
    if not sure:
        if not desk.paper.asks:
            raise Usage(say("Resigning cannot be taken back; say that you are sure with --yes."))
        if not prompts.yes(say("Leave %(name)s for good?") % {"name": one_line(hand.view["name"], 48)}):
            raise Usage(say("You stay in the game."))
    hand.act({"type": "resign"})
    desk.paper.put(hand.answer(), list)
