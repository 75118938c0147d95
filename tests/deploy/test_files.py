"""The files in deploy/ are valid, name settings that exist, and fit together."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.config import PREFIX, SETTINGS, load_settings
from tests.deploy.reading import (
    COMPOSE,
    DEPLOY,
    ROOT,
    UNITS,
    compose,
    exec_form,
    health_check,
    instructions,
    of_dockerfile,
    program,
    unit,
)
from tools.commands_page import every_command

NAMES = {PREFIX + name.upper() for name in SETTINGS}
TEXTS = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


# The image


def test_every_base_image_is_pinned_to_an_exact_version() -> None:
    bases = of_dockerfile("FROM")
    assert len({base.split()[0] for base in bases}) == 1
    for base in bases:
        assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+( AS \w+)?", base), base


def test_the_image_runs_without_privileges() -> None:
    last = [word for word, _ in instructions()][::-1]
    assert of_dockerfile("USER") == ["10001:10001"]
    assert last.index("USER") < last.index("FROM"), "in the image that is kept and not in the one that builds it"
    assert last.index("USER") < last.index("COPY"), "and what is copied belongs to root, so that it cannot be changed"


def test_the_image_downloads_and_upgrades_nothing() -> None:
    assert of_dockerfile("ADD") == []
    for words in of_dockerfile("RUN"):
        assert not re.search(r"curl|wget|apt-get|latest|sudo|--upgrade|chmod 777|https?://", words), words
    for words in of_dockerfile("COPY"):
        assert "://" not in words


def test_commands_are_in_the_form_that_gets_signals() -> None:
    assert exec_form(of_dockerfile("CMD")[-1])[:2] == ["marrakech-server", "run"]
    assert of_dockerfile("ENTRYPOINT") == []
    assert of_dockerfile("STOPSIGNAL") == ["SIGTERM"]
    assert health_check()[0] == "python", "there is no curl in a slim image"


def test_everything_that_is_copied_exists_and_is_not_ignored(tmp_path: Path) -> None:
    included = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert "*" in included, "nothing gets in unless it is named"
    for words in of_dockerfile("COPY"):
        if words.startswith("--from"):
            continue
        *sources, _ = words.split()
        for source in sources:
            assert (ROOT / source).exists(), source
            assert f"!{source.partition('/')[0]}" in included, source


def test_hadolint_accepts_the_dockerfile() -> None:
    """It checks shell commands, too."""
    done = subprocess.run(
        [program("hadolint"), "--no-color", "--failure-threshold", "style", DEPLOY / "Dockerfile"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "")


def pip_of_the_image() -> list[list[str]]:
    commands = [exec_form(words) for words in of_dockerfile("RUN") if words.startswith("[")]
    return [command[1:] for command in commands if command[0] == "/app/bin/pip"]


def test_everything_in_the_image_is_installed_by_hash() -> None:
    packages, ours = pip_of_the_image()
    assert packages == ["install", "--require-hashes", "-r", "locks/deploy.txt"]
    assert "--no-deps" in ours, "so that nothing else comes with it"
    # Here all of it is installed already: pip reads the lock as it would there, and asks nobody for anything.
    offline = [sys.executable, "-m", "pip", *packages, "--dry-run", "--no-index", "--disable-pip-version-check"]
    done = subprocess.run(offline, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Would install" not in done.stdout


def test_what_is_copied_is_enough_to_install_the_server(tmp_path: Path) -> None:
    source, place = tmp_path / "src", tmp_path / "app"
    for words in of_dockerfile("COPY"):
        if not words.startswith("--from"):
            *sources, target = words.split()
            for each in sources:
                if (ROOT / each).is_dir():
                    shutil.copytree(ROOT / each, source / target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    (source / target).mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / each, source / target)
    _, ours = pip_of_the_image()
    pip = [sys.executable, "-m", "pip", *ours, "--target", str(place), "--no-index", "--disable-pip-version-check"]
    done = subprocess.run(pip, cwd=source, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    # Only the standard library is searched beside it and this environment's packages: not this folder.
    code = "import service.paths as p, cli.main; assert p.templates().is_dir(); print(p.__file__)"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.stdout.strip() == str(place / "service" / "paths.py"), ran.stderr


# Compose


def services(name: str) -> dict[str, Any]:
    found: dict[str, Any] = compose(name)["services"]
    return found


@pytest.mark.parametrize("name", COMPOSE)
def test_a_compose_file_is_one_by_the_schema(name: str) -> None:
    done = subprocess.run(
        [program("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", DEPLOY / name],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", COMPOSE)
def test_every_image_of_a_compose_file_has_an_exact_version(name: str) -> None:
    for service in services(name).values():
        assert re.search(r":v?\d+\.\d+(\.\d+)?(-alpine)?$", service["image"]), service["image"]


@pytest.mark.parametrize("name", COMPOSE)
def test_services_depend_on_services_that_exist_and_have_health_checks(name: str) -> None:
    found, volumes = services(name), compose(name)["volumes"]
    for service in found.values():
        for other, wish in service.get("depends_on", {}).items():
            assert other in found
            if wish["condition"] == "service_healthy":
                # Our image has a health check of its own; the others need one here.
                assert "build" in found[other] or "healthcheck" in found[other]
                assert not found[other].get("healthcheck", {}).get("disable")
            else:
                assert wish["condition"] == "service_completed_successfully"
                assert found[other]["restart"] == "no"
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in volumes


@pytest.mark.parametrize("name", COMPOSE)
def test_a_compose_file_passes_every_setting_and_the_server_accepts_them(name: str, tmp_path: Path) -> None:
    filled = {
        "DOMAIN": "marrakech.example.org",
        "MARRAKECH_SMTP_URL": "smtp://mailpit:1025",
        "MARRAKECH_MAIL_FROM": "Marrakech <marrakech@example.org>",
        "MARRAKECH_SECRET_KEY": "a" * 64,
        "POSTGRES_PASSWORD": "b" * 64,
    }
    ours = [service for service in services(name).values() if "build" in service]
    assert ours
    for service in ours:
        environ = {
            key: interpolated(value, filled) for key, value in service["environment"].items() if value is not None
        }
        mine = {key: value for key, value in environ.items() if key.startswith(PREFIX)}
        assert set(service["environment"]) & NAMES == NAMES, "every setting can be changed in .env"
        assert set(mine) <= NAMES
        settings = load_settings({**mine, "MARRAKECH_DATA_DIR": str(tmp_path / "data")}, tmp_path)
        assert (settings.base_url, settings.proxies) == ("https://marrakech.example.org", 1)


def interpolated(value: str, filled: dict[str, str]) -> str:
    """A value as Docker Compose fills it in: ${NAME:?error} and ${NAME:-default}."""

    def fill(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        assert name in filled or kind == "-", f"{name} must be set, and the tests do not set it"
        return filled.get(name, rest if kind == "-" else "")

    return re.sub(r"\$\{(\w+):([?-])([^}]*)\}", fill, value)


@pytest.mark.parametrize("name", COMPOSE)
def test_what_a_host_fills_in_is_in_the_example(name: str) -> None:
    passed_on = {
        key
        for service in services(name).values()
        for key, value in service.get("environment", {}).items()
        if value is None
    }
    wanted = set(re.findall(r"\$\{(\w+):", (DEPLOY / name).read_text())) | passed_on
    offered = set(re.findall(r"^(?:# )?(\w+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE))
    assert wanted <= offered


@pytest.mark.parametrize("name", COMPOSE)
def test_our_containers_have_few_privileges(name: str) -> None:
    for service in services(name).values():
        assert "no-new-privileges:true" in service["security_opt"]
        if "build" in service:
            assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
            assert "ports" not in service, "only Caddy is reached from outside"
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_the_proxy_finds_the_server_and_hides_the_metrics() -> None:
    caddy = (DEPLOY / "Caddyfile").read_text()
    [(name, port)] = re.findall(r"dynamic a (\w+) (\d+)", caddy)
    assert port in of_dockerfile("EXPOSE")
    for file in COMPOSE:
        assert name in services(file)
        assert "DOMAIN" in services(file)["caddy"]["environment"]
    for text in (caddy, (DEPLOY / "nginx.conf").read_text()):
        assert "/metrics" in text
        assert text.count("{") == text.count("}")


def test_nginx_passes_on_the_address_it_sees_and_logs_no_links() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text, "one address, as PROXIES=1 expects it"
    assert "access_log off;" in text
    for line in text.splitlines():
        assert not line.strip() or line.strip()[0] == "#" or line.strip()[-1] in "{};", line


# systemd


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_sandboxed(name: str) -> None:
    found = unit(name)
    for key in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "MemoryDenyWriteExecute"):
        assert found[key] == ["yes"], key
    assert found["ProtectSystem"] == ["strict"]
    assert found["CapabilityBoundingSet"] == [""]
    assert (found["User"], found["ReadWritePaths"]) == (["marrakech"], ["/srv/marrakech/var"])
    for setting in found.get("Environment", []):
        assert setting.partition("=")[0] in NAMES | {"PROMETHEUS_MULTIPROC_DIR"}


@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_a_unit_and_finds_it_safe(name: str, tmp_path: Path) -> None:
    analyze = program("systemd-analyze")
    # What it would start must be there, so here it is this environment's.
    text = (DEPLOY / "systemd" / name).read_text()
    text = text.replace("/srv/marrakech/.venv/bin", str(Path(sys.executable).parent)).replace(
        "User=marrakech", "User=root"
    )
    (tmp_path / name).write_text(text.replace("Group=marrakech", "Group=root"))
    verified = subprocess.run(
        [analyze, "verify", "--man=no", "--recursive-errors=no", tmp_path / name],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    about_it = [line for line in verified.stderr.splitlines() if name in line]
    assert about_it == []
    secure = [analyze, "security", "--offline=true", "--threshold=20", str(tmp_path / name)]
    done = subprocess.run(secure, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout[-300:]


# All of it


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    assert set(re.findall(rf"\b{PREFIX}[A-Z_]+\b", path.read_text())) <= NAMES


def test_what_postfix_and_procmail_get_is_what_the_page_about_replies_says() -> None:
    page = (ROOT / "docs" / "replies.md").read_text()
    for path in sorted((DEPLOY / "postfix").iterdir()):
        assert f"```\n{path.read_text()}```" in page, path.name


@pytest.mark.parametrize("page", ["README.md", "dns.md"])
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (DEPLOY / page).read_text())
    assert links
    assert [link for link in links if not (DEPLOY / link).exists()] == []


def test_files_and_services_that_the_pages_name_are_there() -> None:
    text = (DEPLOY / "README.md").read_text() + (ROOT / "docs" / "hosting.md").read_text()
    for file in re.findall(r"--file deploy/(\S+)", text):
        assert (DEPLOY / file).is_file()
    for name in re.findall(r"deploy/systemd/([\w.@*-]+)", text):
        assert list((DEPLOY / "systemd").glob(name)), name
    for file, service in re.findall(r"--file deploy/(\S+) exec (\w+)", text):
        assert service in services(file)


def test_the_readme_installs_what_the_image_installs() -> None:
    text = (DEPLOY / "README.md").read_text()
    for words in pip_of_the_image():
        assert f".venv/bin/pip {' '.join(words)}\n" in text


@pytest.mark.parametrize(
    "page", ["deploy/README.md", "deploy/dns.md", "docs/hosting.md", "docs/commands.md", "docs/replies.md"]
)
def test_commands_that_a_page_names_are_there_with_their_options(page: str) -> None:
    commands = dict(every_command())
    named: list[str] = re.findall(r"marrakech-server ([a-z][^`;|&)\n]*)", (ROOT / page).read_text())
    assert named
    for words in named:
        first, _, rest = words.partition(" ")
        second = rest.partition(" ")[0]
        command = commands.get(f"marrakech-server {first} {second}") or commands[f"marrakech-server {first}"]
        options = {option for param in command.params for option in param.opts}
        assert set(re.findall(r"--[a-z-]+", words)) <= options | {"--help"}, words


def test_the_settings_file_of_the_readme_can_be_used(tmp_path: Path) -> None:
    [example] = re.findall(r"^   ```toml\n(.*?)^   ```$", (DEPLOY / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "marrakech.toml").write_text(re.sub("^   ", "", example, flags=re.MULTILINE))
    assert load_settings({}, tmp_path).proxies == 1


# Postfix


@pytest.fixture
def postfix(tmp_path: Path) -> Path:
    """A folder with the lines of deploy/, as in Postfix's own folder."""
    for name in ("main.cf", "master.cf"):
        text = (DEPLOY / "postfix" / name).read_text()
        (tmp_path / name).write_text(text.replace("/etc/postfix/", f"{DEPLOY}/postfix/"))
    with (tmp_path / "master.cf").open("a") as master:
        master.write("lmtp unix - - n - - lmtp\n")
    with (tmp_path / "main.cf").open("a") as main:
        main.write("compatibility_level = 3.6\nmyhostname = mail.example.org\nmail_owner = daemon\n")
        main.write("setgid_group = mail\n")
    return tmp_path


def run_postfix(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("table", "said", "bounces"),
    [
        ("transport", "marrakech:\n", "marrakech-bounces:\n"),
        ("transport-lmtp", "lmtp:inet:127.0.0.1:8025\n", "marrakech-bounces:\n"),
        ("reply_recipients", "OK\n", ""),
    ],
)
def test_postfix_finds_the_address_of_a_reply_in_its_tables_and_no_other(
    postfix: Path, table: str, said: str, bounces: str
) -> None:
    for address, answer in (
        (f"play+{'a2' * 24}@reply.example.org", said),
        ("marrakech@example.org", bounces),
        ("postmaster@reply.example.org", ""),
    ):
        words = ["postmap", "-c", str(postfix), "-q", address, f"regexp:{DEPLOY}/postfix/{table}"]
        done = run_postfix(words)
        assert (done.stdout, done.stderr) == (answer, "")


def test_postfix_knows_every_line_of_its_files(postfix: Path) -> None:
    settings = run_postfix(["postconf", "-c", str(postfix), "-n"])
    assert settings.returncode == 0, settings.stderr
    assert "unused parameter" not in settings.stderr
    for service, processes in (("marrakech", 4), ("marrakech-bounces", 1)):
        found = run_postfix(["postconf", "-c", str(postfix), "-M", f"{service}/unix"])
        assert found.returncode == 0, found.stderr
        words = [service, *f"unix - n n - {processes} pipe flags=DORhu user=marrakech".split()]
        assert found.stdout.split()[: len(words)] == words
