"""The examples in the README and the docs do what they say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def blocks(page: Path, language: str) -> str:
    return "\n".join(body for kind, body in BLOCK.findall(page.read_text()) if kind == language)


def commands(page: Path) -> list[tuple[str, str]]:
    """The commands after a `$` and what they are said to print."""
    parts = re.split(r"^\$ ", blocks(page, "console"), flags=re.MULTILINE)[1:]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_sessions_run_as_written(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(blocks(page, "pycon"), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize(
    ("command", "printed"), [each for page in PAGES for each in commands(page)], ids=lambda text: text[:60]
)
def test_commands_print_what_is_written_below_them(command: str, printed: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602 - the reader of the page types it into a shell as well
        command,
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        timeout=60,
    )
    assert done.stdout.strip() == printed.strip()


def test_the_readme_has_examples_of_both_kinds() -> None:
    assert len(commands(PAGES[0])) >= 2
    assert ">>> " in blocks(PAGES[0], "pycon")


@pytest.mark.parametrize("page", sorted({*PAGES, *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")}), ids=lambda p: p.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    targets = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_an_interrupted_setup_is_repeated(tmp_path: Path) -> None:
    """The first attempt stops after it has created the interpreter, and before pip is there."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").touch()
    setup = ["make", "--no-print-directory", f"VENV={venv}", f"{venv}/.created"]
    for python, code in (("false", 2), ("true", 0)):
        done = subprocess.run([*setup, f"PYTHON={python}"], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == code
        assert (venv / ".created").exists() == (code == 0)


def test_the_targets_that_the_readme_names_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"`make (\w+)`", (ROOT / "README.md").read_text() + (ROOT / "CONTRIBUTING.md").read_text()))
    assert {"run", "test", "lint", "bench", "e2e", "soak"} <= named
    assert [target for target in sorted(named) if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
