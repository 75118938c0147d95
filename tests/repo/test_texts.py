"""Nothing that a reader sees stands raw in a template, a script or a refusal, whether or not a page ever shows it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from service import errors
from service.auth.tokens import BadLink
from service.errors import Problem
from tests.support.marked_language import Shown, raw_words
from tools.messages import extracted

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(path for kind in ("html", "jinja", "txt") for path in (ROOT / "templates").rglob(f"*.{kind}"))
SCRIPTS = sorted((ROOT / "templates" / "static").glob("*.js"))
SAYING = {"_", "gettext", "ngettext"}


# Templates


def raw_texts(source: str) -> list[str]:
    """What a template shows that goes through no catalogue, in whichever of its branches."""
    tree = Environment(extensions=["jinja2.ext.i18n"], autoescape=True).parse(source)
    plain = "".join(data.data for data in tree.find_all(nodes.TemplateData))
    texts = [*Shown(plain).texts, *(text for output in tree.find_all(nodes.Output) for text in _put_in(output))]
    return [" ".join(text.split()) for text in texts if raw_words(text)]


def _put_in(node: nodes.Node) -> Iterator[str]:
    """The sentences that stand in an expression and are not said in the reader's language."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in SAYING:
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str) and re.search(r"\w \w", node.value):
        yield node.value
    for child in node.iter_child_nodes():
        yield from _put_in(child)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_a_template_has_no_raw_text(path: Path) -> None:
    assert raw_texts(path.read_text()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('<p>{{ _("Hello") }} {{ name }}</p>', []),
        ("<p>{% if never %}Hello{% endif %}</p>", ["Hello"]),
        ('<img alt="A board"><p title="{{ name }}">', ["A board"]),
        ('{{ p.para("Two words") }}', ["Two words"]),
        ('{{ p.para(_("Two words", name=x)) }}', []),
        ("{{ left }} of {{ all }}", ["of"]),
    ],
)
def test_a_raw_text_in_a_template_is_found(source: str, found: list[str]) -> None:
    assert raw_texts(source) == found


# Scripts

SHOWING = re.compile(
    r"\b(?:textContent|innerText|innerHTML|title|alt|placeholder|ariaLabel)\s*=(?!=)\s*(?P<set>[^;\n]+)"
    r"|\b(?:say|tell|alert|confirm|prompt)\((?P<said>(?:[^()]|\([^()]*\))*)\)"
    r"|setAttribute\(\s*[\"'](?:aria-label|title|alt|placeholder)[\"']\s*,(?P<attribute>[^;\n]+)"
)
"""Where a script shows words."""
LITERAL = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
NO_TEXTS = {"right", "wrong", "en", "en-GB", "full", "short", "main .lead"}
"""States, languages, and how a time is written; the page on which a refusal stands."""


def shown_by(script: str) -> list[str]:
    """The words in a script that it shows although no page gave them to it."""
    script = re.sub(r"^\s*//.*$|\s//\s.*$", "", script, flags=re.MULTILINE)
    shown = [words for found in SHOWING.finditer(script) for words in found.groups() if words]
    literals = [literal[1:-1] for words in shown for literal in LITERAL.findall(words)]
    texts = [re.sub(r"\$\{[^}]*\}", "", literal) for literal in literals]
    return [text for text in texts if re.search(r"[^\W\d_]", text) and text not in NO_TEXTS]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_shows_only_what_its_page_says(path: Path) -> None:
    assert shown_by(path.read_text()) == []


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("words.textContent = table().dataset.sayRolls;", []),
        ('button.textContent = "Copied";', ["Copied"]),
        ("say(`It is ${name}'s turn`);", ["It is 's turn"]),
        ('tell(`${verdict.dataset.sayWrong} ${number}.`, "wrong");', []),
        ('button.setAttribute("aria-label", "Close");', ["Close"]),
        ('if (words.textContent === "Copied") stop();', []),
    ],
)
def test_a_raw_text_in_a_script_is_found(script: str, found: list[str]) -> None:
    assert shown_by(script) == found


# Refusals

PROBLEMS = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Problem)}
PROBLEMS.add(BadLink.__name__)
FOR_PROGRAMS = re.compile(r"body\.|cursor |game must be|\{\} must be an e-mail|\{\}: \{\}")
"""What begins with the name of a field is read by programs; pages have sentences of their own for it."""
API = ROOT / "service" / "routes" / "api"
"""Where only the API responds, in English."""


def refused_with(tree: ast.Module) -> Iterator[str]:
    """The sentences with which a module refuses something, as far as they are not marked for the translators."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _called(call) in PROBLEMS and call.args:
            words = call.args[0]
            for meant in _assigned(tree, words.id) if isinstance(words, ast.Name) else [words]:
                yield from _sentences(meant)


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", "") or getattr(call.func, "attr", ""))


def _assigned(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """What a name stands for anywhere in a module."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            yield from (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def _sentences(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and _called(node) in {"marked", "say", "gettext"}:
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.Constant):
        yield from [node.value] if isinstance(node.value, str) and " " in node.value else []
    else:
        for child in ast.iter_child_nodes(node):
            yield from _sentences(child)


def test_every_refusal_that_a_page_may_show_is_in_the_catalogues() -> None:
    known, modules = extracted(), [path for path in sorted((ROOT / "service").rglob("*.py")) if API not in path.parents]
    said = [words for path in modules for words in refused_with(ast.parse(path.read_bytes()))]
    assert len(said) > 40
    assert [words for words in said if known.get(words) is None and not FOR_PROGRAMS.match(words)] == []


@pytest.mark.parametrize(
    ("module", "found"),
    [
        ('raise NotFound("It is gone.")', ["It is gone."]),
        ('words = "It is gone."\nraise NotFound(words)', ["It is gone."]),
        ('words = marked("It is gone.")\nraise NotFound(words)', []),
        ('raise Forbidden(f"{name} may not.")', ["{} may not."]),
        ("raise Forbidden", []),
    ],
)
def test_the_words_of_a_refusal_are_found(module: str, found: list[str]) -> None:
    assert list(refused_with(ast.parse(module))) == found
