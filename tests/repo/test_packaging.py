"""What strangers install: the wheel, its console scripts, its templates, and the locks."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cli import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the tree and unpacked elsewhere."""
    built, place = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("elsewhere")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built), str(ROOT)]
    subprocess.run(wheel, check=True, capture_output=True)
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(place)
    return place


def python(place: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code that sees the unpacked wheel before anything else, from another folder."""
    first = f"import sys; sys.path.insert(0, {str(place)!r}); "
    return subprocess.run(
        [sys.executable, "-c", first + code], capture_output=True, text=True, check=False, cwd=place.parent, timeout=60
    )


def test_the_wheel_has_both_packages_and_finds_its_templates(installed: Path) -> None:
    code = "import service.paths as p, cli.main; print(p.templates()); print((p.templates() / 'README.md').is_file())"
    done = python(installed, code)
    assert done.stdout.split() == [str(installed / "service" / "templates"), "True"], done.stderr


def test_the_wheel_speaks_french(installed: Path) -> None:
    code = "from service.i18n import translations_for as t; print(t('fr').gettext('Your turn'))"
    done = python(installed, code)
    assert done.stdout.strip() == "À vous de jouer", done.stderr


def test_the_checkout_finds_its_templates_at_the_top() -> None:
    code = "import service.paths as p; print(p.templates())"
    assert python(ROOT, code).stdout.strip() == str(ROOT / "templates")


def test_without_the_extra_the_server_says_how_to_get_it(installed: Path) -> None:
    hide_flask = (
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *a: None if name == 'flask' else find(name, *a); "
    )
    done = python(installed, hide_flask + "from service.admin.entry import main; main()")
    assert done.returncode == 1
    assert done.stderr == "The server isn't installed. Get it with: pip install 'marrakech-by-mail[server]'\n"


@pytest.mark.parametrize("script", ["marrakech-server", "marrakech-cli"])
def test_the_console_scripts_say_their_version(script: str) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name(script), "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"{script} {__version__}\n"


def test_the_client_brings_no_server(installed: Path) -> None:
    metadata = next(installed.glob("*.dist-info/METADATA")).read_text()
    required = [line.split()[1] for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    plain = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert len(plain) == 3, required
    assert {re.split(r"[>=]", line.split()[1])[0] for line in plain} == {"typer", "rich", "requests"}


@pytest.mark.parametrize("lock", sorted((ROOT / "locks").glob("*.txt")), ids=lambda lock: lock.name)
def test_a_lock_holds_names_versions_and_hashes_and_no_address(lock: Path) -> None:
    pin = re.compile(r"[a-z0-9][a-z0-9._-]*(\[[a-z,]+\])?==[\w.]+( ; [^;]+)? \\")
    hash_ = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
    lines = lock.read_text().splitlines()
    assert lines
    assert [line for line in lines if not pin.fullmatch(line) and not hash_.fullmatch(line)] == []
