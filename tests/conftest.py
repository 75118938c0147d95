"""How far hypothesis goes, the same in every `make test` and on and on in `make soak`; and where tests write."""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

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
