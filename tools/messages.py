"""Extracts all texts for players, updates the catalogues in service/locale, and compiles them.

Run it with `make messages`. Then translate the empty texts in LANGUAGE/LC_MESSAGES/messages.po and run it again.
"""

import ast
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from service.i18n import YOU, marked_for_you

ROOT: Final = Path(__file__).parents[1]
LOCALES: Final = ROOT / "service" / "locale"
_TEMPLATES: Final = [("**.html", "jinja2"), ("**.jinja", "jinja2"), ("**.txt", "jinja2")]
_SAYING: Final = frozenset({"_", "say", "marked", "gettext"})
_COUNTING: Final = frozenset({"several", "ngettext"})
_REFUSING: Final = frozenset(
    {
        *("BadLink", "BadRequest", "Forbidden", "NotFound", "NotYourTurn", "Stale", "Unauthorised"),
        *("IllegalAction", "GameOver"),
    }
)
"""Pages show the texts of these errors. Texts that start with the name of a field are for programs."""


def extracted() -> Catalog:
    """A catalogue of all texts, untranslated."""
    catalog = Catalog(project="marrakech-by-mail", charset="utf-8")
    for path in sorted((ROOT / "service").rglob("*.py")):
        for message, context in _in_python(ast.parse(path.read_bytes())):
            catalog.add(message, locations=[(str(path.relative_to(ROOT)), 0)], context=context)
    # In our templates, every text is a format string, even without placeholders.
    found = extract_from_dir(ROOT / "templates", _TEMPLATES, {"**": {"newstyle_gettext": "true"}})
    for file, _, message, _, _ in found:
        catalog.add(message, locations=[(f"templates/{file}", 0)])
    return catalog


def _in_python(tree: ast.AST) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """The texts of a module and their contexts; Babel's extractor would also find the `at` of `say(event["at"])`."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name in _COUNTING and len(texts) == 2:
            yield tuple(texts), None
        elif name == marked_for_you.__name__:
            message = texts[0] if len(texts) == 1 else tuple(texts)
            yield from ((message, context) for context in (None, YOU))
        elif texts and (name in _SAYING or (name in _REFUSING and not texts[0].startswith(("body.", "cursor ")))):
            yield texts[0], None


def catalogues() -> Iterator[Path]:
    """The files that translators edit."""
    return LOCALES.glob("*/LC_MESSAGES/messages.po")


def read(path: Path) -> Catalog:
    """The catalogue in a file."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name)


def compiled(catalog: Catalog) -> bytes:
    """The compiled form, which the server reads."""
    written = io.BytesIO()
    write_mo(written, catalog)
    return written.getvalue()


def main() -> None:
    """Update every catalogue and say how many texts are untranslated."""
    template, missing = extracted(), 0
    for path in sorted(catalogues()):
        catalog = read(path)
        catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
        catalog.obsolete.clear()
        with path.open("wb") as file:
            # Without line numbers and dates, so that a catalogue changes only with its texts.
            write_po(file, catalog, width=120, include_lineno=False, omit_header=False, sort_output=True)
        path.with_suffix(".mo").write_bytes(compiled(catalog))
        empty = [message.id for message in catalog if message.id and not message.string]
        missing += len(empty)
        sys.stdout.write(f"{path.relative_to(ROOT)}: {len(catalog)} texts, {len(empty)} untranslated\n")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
