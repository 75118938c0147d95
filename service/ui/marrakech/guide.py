"""Marrakech explained while playing: the rules of the current step, and each rule when it first matters."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.i18n import marked

_STEPS: Final = {
    "direction": marked(
        "Choose where Assam goes: left, straight ahead or right. He can't turn around. Then the die decides how far he"
        " walks: 1, 2, 2, 3, 3 or 4 squares."
    ),
    "placement": marked(
        "Lay your next rug on two squares that touch. At least one of them must be next to Assam. A rug can't lie on"
        " Assam's square, and it can't cover both halves of another rug at once."
    ),
    "rotation": marked("Turn Assam a quarter turn left or right. The next player rolls, and he walks that way."),
    "over": marked("Your score is your dirhams plus the squares where your rugs are visible. The highest score wins."),
}
_WAITING: Final = marked(
    "If Assam stops on another player's rug, the player who sent him there pays 1 dirham for each connected square of"
    " that colour."
)
_GOAL: Final = marked(
    "Welcome! Everyone has 30 dirhams and a pile of rugs, and everyone moves the same figure: Assam. Cover as much of"
    " the board as you can with your rugs, and earn dirhams when other players send Assam onto them."
)
_TRACK: Final = marked(
    "Assam walked off the edge. He follows the track there and comes back on the square where it ends. The track itself"
    " doesn't count as a step."
)
_FIRST_RUG: Final = marked(
    "Every turn ends with a rug next to Assam. Connected rugs of one colour earn more, because a player who stops"
    " there pays for all of them."
)
_PAYMENT: Final = marked(
    "Assam stopped on somebody's rug, so there was a payment: 1 dirham for each connected square of that colour,"
    " Assam's square included. Your own rugs and empty squares cost nothing."
)
_COVERED: Final = marked(
    "Rugs can cover other rugs, but never both halves of one at once. Only what lies on top counts."
)
_POOR: Final = marked(
    "You have few dirhams left. If you can't pay in full, you hand over everything and are out, so watch where Assam"
    " may stop."
)
_LAST_RUGS: Final = marked(
    "The game ends with the last rug. Then each dirham and each square where your rugs are visible is worth 1 point."
)
_DONE_IN: Final = {"direction": "faced", "placement": "laid", "rotation": "turned"}
"""The event with which a player's own step is done."""
_FEW_DIRHAMS: Final = 6
_FEW_RUGS: Final = 3


def explain_step(view: Json, translations: NullTranslations) -> str:
    """The rules of the current step."""
    mine = view["you"] in view["to_act"] or view["phase"] == "over"
    return translations.gettext(_STEPS[view["phase"]] if mine else _WAITING)


def explain_news(view: Json, earlier: Sequence[Json], new: Sequence[Json], translations: NullTranslations) -> list[str]:
    """What a new player should know now: each rule when it matters for the first time."""
    before, now = _own_event_types(view, earlier), _own_event_types(view, [*earlier, *new])
    if now:
        # What others did before the player's first action is explained after it, when there is less to read.
        explained = _lessons(earlier) if before else []
        lessons = [lesson for lesson in _lessons([*earlier, *new]) if lesson not in explained]
    else:
        lessons = [_GOAL]
    if view["you"] in view["to_act"] and _DONE_IN[view["phase"]] not in now:
        lessons.append(_STEPS[view["phase"]])
    if view["you"] is not None and view["phase"] != "over":
        seat = view["seats"][view["you"]]
        lessons += [_POOR] if seat["dirhams"] < _FEW_DIRHAMS else []
        lessons += [_LAST_RUGS] if seat["rugs_left"] <= _FEW_RUGS else []
    return [translations.gettext(lesson) for lesson in lessons]


def _own_event_types(view: Json, events: Sequence[Json]) -> set[str]:
    """The types of the player's own events among these."""
    return {event["type"] for event in events if event.get("seat") == view["you"]}


def _lessons(events: Sequence[Json]) -> list[str]:
    """The rules that have mattered in these events, the first one first."""
    found: list[str] = []
    covered: set[str] = set()
    facing = ""
    for event in events:
        match event["type"]:
            case "faced" | "turned":
                facing = event["facing"]
            case "moved":
                if event["facing"] != facing:  # only the track turns him on the way
                    found.append(_TRACK)
                facing = event["facing"]
            case "paid":
                found.append(_PAYMENT)
            case "laid":
                found.append(_COVERED if covered & set(event["squares"]) else _FIRST_RUG)
                covered.update(event["squares"])
    return list(dict.fromkeys(found))
