"""A position in words, for readers who can't see the picture."""

from collections.abc import Collection

from service.engine.json_reader import Json
from service.i18n import Gettext
from service.text import clean
from service.ui.tables import seat_name


def in_short(view: Json, say: Gettext = str) -> str:
    """The position in one line."""
    assam = view["assam"]
    words = {"name": clean(view["name"]) or "Marrakech", "at": assam["at"], "facing": say(assam["facing"])}
    return say("%(name)s: Assam on %(at)s, facing %(facing)s") % words


def in_words(view: Json, say: Gettext = str, paid: Collection[str] = ()) -> str:
    """The position in a few sentences: Assam, the last roll, the squares paid for, the players and the rugs."""
    assam, roll = view["assam"], view["last_roll"]
    sentences = [say("Assam is on %(at)s, facing %(facing)s.") % {"at": assam["at"], "facing": say(assam["facing"])}]
    if roll and roll["path"]:
        sentences.append(say("Last roll: %(die)s (%(path)s).") % {**roll, "path": ", ".join(roll["path"])})
    if paid:
        sentences.append(say("Squares paid for: %(squares)s.") % {"squares": ", ".join(sorted(paid))})
    sentences += [_standing(seat, say) for seat in view["seats"]]
    return " ".join([*sentences, *_rugs(view["board"], say)])


def _standing(seat: Json, say: Gettext) -> str:
    colours = say(" and ").join(say(colour) for colour in seat["colours"])
    words = {**seat, "who": f"{seat_name(seat)} ({colours})"}
    if seat["out"]:
        return say("%(who)s is out.") % words
    return say("%(who)s: dirhams %(dirhams)s, visible squares %(visible)s.") % words


def _rugs(board: Json, say: Gettext) -> list[str]:
    shown: dict[str, list[str]] = {}
    for square, rug in sorted(board.items()):
        colour = say(rug["colour"])
        kind = say("neutral %(colour)s") % {"colour": colour} if rug["neutral"] else colour
        shown.setdefault(kind, []).append(square)
    if not shown:
        return [say("There are no rugs on the board yet.")]
    return [
        say("%(kind)s rugs: %(squares)s.") % {"kind": kind.capitalize(), "squares": ", ".join(squares)}
        for kind, squares in sorted(shown.items())
    ]
