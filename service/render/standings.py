"""The standings of a game as a table in plain characters."""

from typing import Final

from service.engine.reading import Json
from service.render.names import fitted, seat_name
from service.render.sentences import Say

_NAME: Final = 20


def standings(view: Json, say: Say = str) -> list[str]:
    """A line for each seat below a line of headings; `>` marks those who are to act."""
    return [_head(say), *(_line(seat, seat["seat"] in view["to_act"], say) for seat in view["seats"])]


def _head(say: Say) -> str:
    dirhams, visible = fitted(say("Dirhams"), 7), fitted(say("Visible"), 7)
    total, left, next_rug = fitted(say("Total"), 5), fitted(say("Left"), 4), fitted(say("Next"), 6)
    name, colours = fitted(say("Name"), _NAME), fitted(say("Colours"), 11)
    return f"  {name} {colours} {dirhams} {visible} {total} {left} {next_rug} {fitted(say('Out'), 3)}".rstrip()


def _line(seat: Json, acts: bool, say: Say) -> str:
    colours = fitted(" ".join(say(colour) for colour in seat["colours"]), 11)
    next_rug = fitted(say(seat["next_rug"]) if seat["next_rug"] else "-", 6)
    return (
        f"{'>' if acts else ' '} {fitted(seat_name(seat), _NAME)} {colours}"
        f" {seat['dirhams']:7} {seat['visible']:7} {seat['total']:5} {seat['rugs_left']:4}"
        f" {next_rug} {fitted(say('out'), 3) if seat['out'] else ''}"
    )
