"""How far hypothesis goes, the same in every `make test` and on and on in `make soak`; and where tests write."""

import os
import shutil
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

# A whole game takes a while, and the contract's tests are inherited by several classes.
_SLOW_AND_INHERITED = [HealthCheck.too_slow, HealthCheck.differing_executors]

settings.register_profile(
    "usual", max_examples=30, derandomize=True, deadline=None, suppress_health_check=_SLOW_AND_INHERITED
)
settings.register_profile("soak", max_examples=1500, deadline=None, suppress_health_check=_SLOW_AND_INHERITED)
settings.load_profile("usual")

_MEMORY = Path("/dev/shm")  # noqa: S108 - Linux has it
_ROOM = 2 * 1024**3

# Nothing that the tests write must outlive them: where there is room for it in memory they need not wait for a disk.
if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


class Compiled(BytecodeCache):
    """Templates that another test's application has compiled already; half of what a page costs is compiling them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[bucket.key, bucket.checksum] = bucket.code


Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": Compiled()}


class Ruled(Rule):
    """An address whose writer another test's application has made already; making them is most of an application."""

    _known: ClassVar[dict[tuple[str, str | None, bool], Any]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Any:
        if self.defaults:
            return super()._compile_builder(append_unknown)
        about = (self.rule, self.subdomain, append_unknown)
        if about not in self._known:
            self._known[about] = super()._compile_builder(append_unknown)
        return self._known[about]


Flask.url_rule_class = Ruled


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: some tests wait for a browser, a server or a worker at its pace."""
    # macOS does not say which of its processors a process may use.
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have the longest tests run only on the database that they are `usually_on`; `make soak` runs them on both."""
    if "SOAK_GAMES" in os.environ:
        return
    elsewhere = [item for item in items if _is_elsewhere(item)]
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = [item for item in items if item not in elsewhere]


def _is_elsewhere(item: pytest.Item) -> bool:
    usual, spread = item.get_closest_marker("usually_on"), getattr(item, "callspec", None)
    return usual is not None and spread is not None and usual.args[0] not in spread.params.values()
