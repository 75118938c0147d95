"""Asking the person at the terminal: a line, something secret, yes or no. What is asked goes to standard error."""

import getpass
import sys
from gettext import gettext as say

from cli.names import harmless


def line(question: str) -> str:
    """A line that somebody types; the end of the input raises `EOFError`."""
    sys.stdout.flush()
    sys.stderr.write(f"{harmless(question)} ")
    sys.stderr.flush()
    typed = sys.stdin.readline()
    if not typed:
        sys.stderr.write("\n")
        raise EOFError
    return typed.strip()


def secret(question: str) -> str:
    """The same, but it is not shown and stays out of every history; from a pipe it is simply read."""
    if sys.stdin.isatty():
        return getpass.getpass(f"{question} ", stream=sys.stderr).strip()
    return line(question)


def yes(question: str) -> bool:
    """Whether somebody says yes; anything else is no."""
    return line(f"{question} [y/N]").lower() in {"y", "yes", say("y"), say("yes")}
