"""Looks for secrets that must not be in the repository: `python -m tools.secrets_check`, which `make lint` runs.

It knows the forms of keys and tokens, passwords within URLs, and long random values that are assigned to a name such as
`secret`. What it finds is named by file and line; the secret itself is not printed again.
"""

import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

FORMS: Final = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    "an AWS access key": re.compile(r"\b(?:AKIA|ASIA|AGPA|AROA)[0-9A-Z]{16}\b"),
    "a GitHub token": re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    "a GitLab token": re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}"),
    "a PyPI token": re.compile(r"\bpypi-AgE[A-Za-z0-9_-]{40,}"),
    "a Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    "a Google key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
    "a Stripe or OpenAI key": re.compile(r"\bsk[-_](?:live|proj|test)?[-_]?[A-Za-z0-9]{24,}"),
    "a JSON web token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
}
PASSWORD_IN_URL: Final = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"`<>]*:(?P<secret>[^\s/:@'\"`<>{}$]+)@(?P<host>\[[0-9a-f:]+\]|[^\s'\"/:]+)"
)
ASSIGNED: Final = re.compile(
    r"(?i)(?:secret|token|password|passwd|api_?key|private_?key|credential)[a-z0-9_]*['\"]?\s*[:=]\s*"
    r"['\"]?(?P<secret>[A-Za-z0-9+/_=.-]{20,})"
)
"""A name that promises a secret, and something behind it that may be one."""
SHORTEST: Final = 16
MOST_ORDERLY: Final = 3.4
"""Bits for each character: words stay below, random letters and digits lie above."""
LONGEST_LINE: Final = 2000
EXAMPLES: Final = frozenset({"password", "PASSWORD", "secret", "change-me", "x"})
"""What stands for a password in examples; nobody may have such a one."""
NOBODYS_HOST: Final = re.compile(r"(?:.+\.)?example\.(?:org|com|net)|localhost|127\.0\.0\.1|\[::1\]")
"""Hosts of examples and of tests: a word may stand as password there, but nothing that looks like a real one."""
ALLOWED: Final[frozenset[tuple[str, str]]] = frozenset()
"""File and line, stripped, of what was looked at and is no secret."""
NOT_LOOKED_INTO: Final = ("locks/",)
"""Hashes of packages, and nothing but those: `tools/locks_check.py` sees to it."""


class Found(NamedTuple):
    """Something that looks like a secret."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: this looks like {self.what}; take it out, and change it where it was in use."


def disorder(text: str) -> float:
    """Bits for each character, as Shannon counts them."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def in_line(line: str) -> Iterator[str]:
    """What a line seems to give away."""
    for what, form in FORMS.items():
        if form.search(line):
            yield what
    for found in PASSWORD_IN_URL.finditer(line):
        sanitize = NOBODYS_HOST.fullmatch(found["host"]) and not _looks_random(found["secret"])
        if found["secret"] not in EXAMPLES and not sanitize:
            yield "a password in a URL"
    for found in ASSIGNED.finditer(line):
        if _looks_random(found["secret"]):
            yield "a random value that is called a secret"


def _looks_random(value: str) -> bool:
    """Whether this is no name, call or sentence but something that dice have made."""
    words = all(part.isalpha() or part.isdigit() for part in re.split("[-_]", value) if part)
    return not words and "." not in value and len(value) >= SHORTEST and disorder(value) > MOST_ORDERLY


def in_files(root: Path, names: Sequence[str]) -> Iterator[Found]:
    """All that is found in these files; what is not text has no lines to look at."""
    for name in names:
        path = root / name
        if name.startswith(NOT_LOOKED_INTO) or path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" in content[:8000]:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if (name, line.strip()) not in ALLOWED:
                yield from (Found(name, number, what) for what in in_line(line[:LONGEST_LINE]))


def tracked(root: Path) -> list[str]:
    """The files that git knows, or is about to: whatever is not ignored."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603
    return sorted(filter(None, listed.stdout.split("\0")))


def main() -> int:
    """Say what was found; 1 where there is anything."""
    found = list(in_files(Path.cwd(), tracked(Path.cwd())))
    for each in found:
        sys.stderr.write(f"{each}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
