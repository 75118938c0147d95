"""The part about the game that most letters have: the story, the board, the standings, the time and the choices."""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from itertools import dropwhile
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from service.context import AppContext
from service.db.models import Event
from service.engine.json_reader import Json
from service.engine.records import Entry, build_view
from service.games.names import player_names
from service.games.store import StoredGame, entries
from service.games.story import Story
from service.games.views import state_after, visible_events
from service.mail.deadline_text import describe_deadline, describe_start, is_past
from service.mail.letter_context import Context, LetterContext
from service.ui.protocol import GameUi

LONGEST_STORY: Final = 12
"""Sentences of the story in a letter; a player who left early would get most of the game otherwise."""


class Snapshot(NamedTuple):
    """A game at one head, and what its reader has not been told yet."""

    head: int
    state: Any
    since: Sequence[Entry]
    """The events since the reader's own last action."""
    first: bool
    """Whether the reader has not acted yet."""


class _Action(NamedTuple):
    """The numbers of an action's first and last event, and the head that its player had seen."""

    first: int
    last: int
    actor: int
    seen_head: int


class Drawing(NamedTuple):
    """What the picture in a letter shows."""

    ui: GameUi
    view: Json
    events: list[Json]
    """The latest events."""


def current_section(letter_ctx: LetterContext) -> Context:
    """The game as it is now; before the start, how long it waits for its players, and the seat if it is offered."""
    if letter_ctx.game.state is None:
        seat_is_offered = letter_ctx.game.status == "waiting" and not letter_ctx.game.seats[letter_ctx.seat].accepted
        before = {"board": "", "choices": [], "time": describe_start(letter_ctx), "seat_is_offered": seat_is_offered}
        return {**before, **invitation_links(letter_ctx)}
    return section_at(letter_ctx, current_snapshot(letter_ctx.ctx, letter_ctx.game, letter_ctx.seat))


def section_at(letter_ctx: LetterContext, snapshot: Snapshot) -> Context:
    """The game at a snapshot; with choices if it's the reader's turn."""
    view = view_at(letter_ctx, snapshot.state, snapshot.head)
    return {
        **_story_section(letter_ctx, snapshot, is_over=view["result"] is not None),
        **board_section(letter_ctx, view, snapshot.since),
        **_choice_section(letter_ctx, view, snapshot.state),
        "chat_lines": [],
        "time": describe_deadline(letter_ctx, view),
        "over": view["result"] is not None,
    }


def invitation_links(letter_ctx: LetterContext) -> Context:
    """The links that answer an invitation."""
    link = letter_ctx.seat_link
    return {"accept_link": f"{link}?do=accept", "decline_link": f"{link}?do=decline"}


def view_at(letter_ctx: LetterContext, state: Any, head: int) -> Json:
    """The reader's view of the game at a head, with the players' names as in the sentences."""
    view = build_view(letter_ctx.game.heading, state, head, letter_ctx.seat)
    names = player_names(letter_ctx.game)
    view["seats"] = [{**seat, "name": name} for seat, name in zip(view["seats"], names, strict=True)]
    return view


def board_section(letter_ctx: LetterContext, view: Json, since: Iterable[Entry] = ()) -> Context:
    """The board as text, in words and as a picture, and the standings."""
    ui, translations = letter_ctx.game.ui, letter_ctx.reader.translations
    events, names = visible_events(letter_ctx.game, 1, since, letter_ctx.seat), [seat["name"] for seat in view["seats"]]
    return {
        "board": ui.board_text(view, translations),
        "in_words": ui.alt_text(view, translations, events),
        "drawing": Drawing(ui, view, events),
        "standings": ui.standings(view, names, translations),
        "holdings": ui.describe_holdings(view, names, translations),
        "to_act": view["to_act"],
        "seat": letter_ctx.seat,
        "usual_example": translations.gettext(ui.example_reply),
    }


def _story_section(letter_ctx: LetterContext, snapshot: Snapshot, *, is_over: bool) -> Context:
    """The end of the story."""
    translations = letter_ctx.reader.translations
    story, say = Story(letter_ctx.game, translations, letter_ctx.seat).summary(snapshot.since), translations.gettext
    since = say("So far") if snapshot.first else say("Since your last turn")
    title = say("How it ended") if is_over else since
    return {"story": story[-LONGEST_STORY:], "story_title": title, "shortened": len(story) > LONGEST_STORY}


def _choice_section(letter_ctx: LetterContext, view: Json, state: Any) -> Context:
    """The reader's choices with a link and a hint for each, and words for a reply; none while others are to act."""
    ui, translations = letter_ctx.game.ui, letter_ctx.reader.translations
    choices = ui.choices(view, translations)
    if not choices or is_past(letter_ctx, view):
        return {"choices": [], "groups": []}
    link = letter_ctx.turn_link(view["turn"])
    hints = ui.choice_hints(state, player_names(letter_ctx.game), translations)
    linked = [
        {**choice._asdict(), "link": f"{link}?do={quote(choice.key)}", "hint": hints.get(choice.key, "")}
        for choice in choices
        if choice.is_listed
    ]
    groups = dict.fromkeys(choice["group"] for choice in linked if choice["group"])
    return {
        "turn_link": link,
        "choices": choices,
        "links": [choice for choice in linked if not choice["group"]],
        "groups": [(title, [choice for choice in linked if choice["group"] == title]) for title in groups],
        "explains_replies": False,
        "all_listed": len(linked) == len(choices),
        "reply_words": _join_words(ui, [choice["key"] for choice in linked], translations),
        "numbered": choices[0].number is not None,
        "question": ui.question(view, translations, state),
        "example": ui.write_reply(choices[0].key, translations),
        "whole_turn": ui.describe_whole_turn(view, translations),
        "answer_plays": view["turn"],
    }


def _join_words(ui: GameUi, keys: Sequence[str], translations: NullTranslations) -> str:
    """Single words as a sentence lists them for a choice: left, ahead or right; empty if a choice takes several."""
    if any(" " in key for key in keys):
        return ""
    words = [ui.write_reply(key, translations) for key in keys]
    if len(words) < 2:
        return "".join(words)
    return translations.gettext("%(some)s or %(last)s") % {"some": ", ".join(words[:-1]), "last": words[-1]}


def is_waiting_for(game: StoredGame, seat: int, turn: int) -> bool:
    """Whether the game waits for this seat in this turn."""
    return game.status == "playing" and game.turn == turn and seat in game.rules.to_act(game.state)


def current_snapshot(ctx: AppContext, game: StoredGame, seat: int) -> Snapshot:
    """A game that has started, with the events since this seat's last action.

    What others did in the seat's last turn before that action comes first, because no letter has told it. While the
    seat is to act, the events end where its turn began: its reader knows what they did in this turn. At the end of the
    game, they include the reader's own last action, because the game may have ended with it.
    """
    rules, actions = game.rules, _find_actions(ctx, game)
    head, is_over = game.head, rules.result(game.state) is not None
    happened = entries(ctx.database, game)
    starts = _turn_starts(game, happened, actions, seat)
    if not is_over and seat in rules.to_act(game.state):
        head = starts[rules.turn(game.state)]
    own_actions = [action for action in actions if action.actor == seat and action.last <= head]
    # The player has not seen what the first actions of a reply with several led to.
    unseen = [action for action in own_actions if action.first > own_actions[-1].seen_head]
    start = unseen[0].first - 1 if unseen else None
    events = happened[start or 0 : head]
    if not is_over and len(unseen) < 2:
        own = (game.actor(entry.event) == seat and not entry.stand_in for entry in events)
        events = list(dropwhile(lambda _: next(own), events))
    if start is not None:
        turn_start = max((at for at in starts.values() if at <= start), default=start)
        others = [action for action in actions if turn_start < action.first <= start and action.actor != seat]
        events = [*(entry for each in others for entry in happened[each.first - 1 : each.last]), *events]
    return Snapshot(game.head, game.state, events, start is None)


def snapshot_of_turn(ctx: AppContext, game: StoredGame, seat: int, turn: int) -> Snapshot:
    """The game between two actions of this seat in one turn, with the events since it began to wait for the seat."""
    start = _turn_starts(game, entries(ctx.database, game), _find_actions(ctx, game), seat)[turn]
    return snapshot_between(ctx, game, start + 1, game.head)


def snapshot_between(ctx: AppContext, game: StoredGame, first: int, last: int) -> Snapshot:
    """The game after the event number `last`, with the events from number `first` on."""
    events = entries(ctx.database, game, first - 1, last)
    return Snapshot(last, state_after(ctx, game, last)[0], events, first=False)


def _turn_starts(game: StoredGame, happened: Sequence[Entry], actions: Sequence[_Action], seat: int) -> dict[int, int]:
    """For each turn in which the game has waited for this seat, the head at which that began."""
    rules, events = game.rules, [entry.event for entry in happened]
    opening = actions[0].first - 1 if actions else len(events)
    state, head, starts = rules.set_up(game.options, len(game.seats)), 0, dict[int, int]()
    for until in (opening, *(action.last for action in actions)):
        for event in events[head:until]:
            state = rules.evolve(state, event)
        head = until
        if seat in rules.to_act(state):
            starts.setdefault(rules.turn(state), head)
    return starts


def _find_actions(ctx: AppContext, game: StoredGame) -> list[_Action]:
    acted = (Event.game == game.id) & Event.action.is_null(False)
    rows = Event.select(Event.seq, Event.last, Event.actor, Event.seen_head).where(acted).order_by(Event.seq).tuples()
    return [
        _Action(first, last, actor, first - 1 if seen_head is None else seen_head)
        for first, last, actor, seen_head in rows.execute(ctx.database)
    ]
