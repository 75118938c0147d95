"""Sentences about what one player did: clauses without a subject, and the player's name or "you" before them."""

from collections.abc import Sequence
from gettext import NullTranslations

from service.i18n import YOU, marked


def tell_clauses(clauses: str, seat: int, names: Sequence[str], translations: NullTranslations, you: int | None) -> str:
    """A sentence about the player in a seat."""
    own, other = marked("You %(clauses)s."), marked("%(seat)s %(clauses)s.")
    return translations.gettext(own if seat == you else other) % {"seat": names[seat], "clauses": clauses}


def list_clauses(clauses: Sequence[str], translations: NullTranslations) -> str:
    """The clauses as a sentence lists them."""
    *first, last = clauses
    if not first:
        return last
    return translations.gettext("%(clauses)s and %(last)s") % {"clauses": ", ".join(first), "last": last}


def translate_clause(forms: tuple[str, ...], translations: NullTranslations, *, is_own: bool, number: int = 1) -> str:
    """A text that is `marked_for_you`, or its form for this number, about the reader or about another player."""
    if len(forms) == 1:
        return translations.pgettext(YOU, *forms) if is_own else translations.gettext(*forms)
    singular, plural = forms
    if is_own:
        return translations.npgettext(YOU, singular, plural, number)
    return translations.ngettext(singular, plural, number)
