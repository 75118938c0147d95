"""Sentences about time: how long the reader or another player has, and how long a game waits for its players."""

from collections.abc import Iterator

from service.engine.json_reader import Json
from service.games.lobby import expires_at
from service.mail.letter_context import LetterContext
from service.text import format_duration, join_names


def describe_deadline(letter_ctx: LetterContext, view: Json) -> str:
    """Who has to act and until when, in the reader's time zone; or that the game is over."""
    say = letter_ctx.reader.translations.gettext
    if view["result"] is not None:
        names = [seat["name"] for seat in view["seats"]]
        ending = letter_ctx.game.ui.ending(view["result"], names, letter_ctx.reader.translations)
        return f"{say('The game is over.')} {ending}"
    if is_past(letter_ctx, view):
        return say("The game has moved on since then.")
    if letter_ctx.seat in view["to_act"]:
        sentences = [_own_time(letter_ctx)]
    else:
        sentences = [_waiting_for(letter_ctx, view), _their_time(letter_ctx)]
    return " ".join([*sentences, *_absences(letter_ctx, view)])


def is_past(letter_ctx: LetterContext, view: Json) -> bool:
    """Whether the view shows a turn that is over by now."""
    return letter_ctx.game.status != "playing" or letter_ctx.game.turn != view["turn"]


def time_left(letter_ctx: LetterContext, deadline: float) -> str:
    """How much time is left now."""
    return format_duration(max(0.0, deadline - letter_ctx.now), letter_ctx.reader.translations)


def describe_start(letter_ctx: LetterContext) -> str:
    """How long a game waits for its players; or that it was cancelled."""
    say = letter_ctx.reader.translations.gettext
    if letter_ctx.game.status in {"cancelled", "expired"}:
        return say("This game was cancelled before it started.")
    until = letter_ctx.reader.format_time(expires_at(letter_ctx.ctx.database, letter_ctx.game.id))
    return " ".join(
        [
            say("The game starts when every seat is taken."),
            say("If that doesn't happen by %(until)s, the game is cancelled.") % {"until": until},
        ]
    )


def _own_time(letter_ctx: LetterContext) -> str:
    say, deadline = letter_ctx.reader.translations.gettext, letter_ctx.game.deadline
    if deadline is None:
        return _stopped(letter_ctx) or say("There's no time limit. Take your time.")
    words = {"deadline": letter_ctx.reader.format_time(deadline), "left": time_left(letter_ctx, deadline)}
    if deadline > letter_ctx.now:
        return say("You have %(left)s for this turn, until %(deadline)s.") % words
    if letter_ctx.game.time_up == "wait":
        return (
            say("Your time ran out on %(deadline)s. You can still play until the others decide how to go on.") % words
        )
    return say("Your time ran out on %(deadline)s. You can still play until the stand-in does.") % words


def _their_time(letter_ctx: LetterContext) -> str:
    say, deadline = letter_ctx.reader.translations.gettext, letter_ctx.game.deadline
    if deadline is None:
        return _stopped(letter_ctx) or say("There's no time limit.")
    words = {"deadline": letter_ctx.reader.format_time(deadline), "left": time_left(letter_ctx, deadline)}
    if deadline > letter_ctx.now:
        return say("Time left: %(left)s, until %(deadline)s.") % words
    if letter_ctx.game.time_up == "wait":
        return (
            say("The time ran out on %(deadline)s. The game goes on when the turn is played or the players decide.")
            % words
        )
    return say("The time ran out on %(deadline)s. The stand-in plays next.") % words


def _stopped(letter_ctx: LetterContext) -> str:
    say = letter_ctx.reader.translations.gettext
    return say("The game is paused: everyone agreed to a break.") if letter_ctx.game.paused else ""


def _waiting_for(letter_ctx: LetterContext, view: Json) -> str:
    """Who the game is waiting for; a reader who is out or replaced by a stand-in gets no turn letters."""
    translations, names = letter_ctx.reader.translations, [seat["name"] for seat in view["seats"]]
    say = translations.gettext
    words = {"names": join_names([names[seat] for seat in view["to_act"]], translations)}
    if not letter_ctx.game.ui.standings(view, names, translations).rows[letter_ctx.seat].active:
        return say("Waiting for %(names)s.") % words
    if letter_ctx.game.seats[letter_ctx.seat].played_by_stand_in:
        return say("Waiting for %(names)s. A stand-in plays for you until you come back.") % words
    return say("Waiting for %(names)s. We'll e-mail you when it's your turn.") % words


def _absences(letter_ctx: LetterContext, view: Json) -> Iterator[str]:
    """Which of the players who have to act are away, so that their clock is stopped."""
    say = letter_ctx.reader.translations.gettext
    for seat in (letter_ctx.game.seats[place] for place in view["to_act"]):
        if seat.is_away(letter_ctx.now):
            words = {
                "name": view["seats"][seat.seat]["name"],
                "until": letter_ctx.reader.format_time(seat.away_until or 0.0),
            }
            if seat.seat == letter_ctx.seat:
                yield say("You're away until %(until)s. Your time doesn't run until then.") % words
            else:
                yield say("%(name)s is away until %(until)s.") % words
