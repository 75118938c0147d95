"""Inputs that have broken parsers before, mixed by hypothesis with its own."""

import json
import re
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from pydantic import BaseModel

from service.routes.api import schemas

ROOT = Path(__file__).parents[2]
MANY = settings(max_examples=5 * settings().max_examples)
"""More examples than elsewhere, because each is cheap."""

NUMBERS = ["", " ", "0", "-1", "1", "2147483648", "9" * 30, "9" * 5000, "1e999", "nan", "-inf", "٣", "²", "1_0", "+1"]
CHARACTERS = ["\0", "a\0b", "\r\n", "\u202e", "\ufeff", "💣", "é", "\u0301", "ß", "İ", "\x1b[2J", "%00", "%", "x" * 300]
TRICKS = ["%s", "{}", "{{7*7}}", "../../etc/passwd", "//example.org", "/\\example.org", "'; drop table game; --", "<b>"]
MOVES = ["left", "ahead", "right", "resign", "accept", "decline", "pause", "give", "d5-e5", "d5", "a1-a1", "null", "[]"]
WORDS = ["fr", "fr-CA,fr;q=0.9", "en;q=nan", "*;q=", "-", "zz-ZZ", "ann@example.org", "a@b", "@", "MSAA", "bmFuIHg="]
PIECES = [*NUMBERS, *CHARACTERS, *TRICKS, *MOVES, *WORDS]
"""The cursor `MSAA` is a NUL in disguise; a number of 5000 digits is more than Python reads."""
UNPRINTABLE = "\ud800"
"""Half of a surrogate pair: valid in JSON, not in UTF-8."""


def _fields_of(module: Any) -> set[str]:
    models = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, BaseModel)]
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _fields_on_pages() -> tuple[list[str], list[str]]:
    """The names and values of the fields of all forms."""
    pages = "\n".join(path.read_text() for path in sorted((ROOT / "templates").rglob("*.html")))
    names, values = (re.findall(rf'{what}="([^"{{}}]*)"', pages) for what in ("name", "value"))
    return sorted({*names, "do", "head", "salt", "form", "next"}), sorted(set(values))


JSON_FIELDS = sorted({*_fields_of(schemas), "type", "direction", "squares", "variant", "pile", "first"})
FORM_FIELDS, FORM_VALUES = _fields_on_pages()

piece = st.one_of(st.sampled_from(PIECES), st.sampled_from(FORM_VALUES or [""]), st.text(max_size=30))
json_value: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.sampled_from([*PIECES, UNPRINTABLE, f"a{UNPRINTABLE}b"]),
        st.text(max_size=20),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.sampled_from([*JSON_FIELDS, UNPRINTABLE]), st.text(max_size=5)), inner, max_size=5
        ),
    ),
    max_leaves=12,
)
DEEP = b"[" * 60_000
json_body = st.one_of(json_value.map(lambda value: json.dumps(value).encode()), st.binary(max_size=200), st.just(DEEP))
