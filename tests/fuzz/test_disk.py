"""A short form of what `run.py` tries at length."""

import errno
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="the commands' terminal is POSIX's")

from fuzz.disk import faults


@pytest.mark.slow
@pytest.mark.parametrize("command", ["bench", "tune-n1"])
def test_a_disk_that_refuses_anything_costs_no_table_and_leaves_no_half(
    command: str, tmp_path: Path
) -> None:
    found = list(faults(command, tmp_path, (errno.ENOSPC,)))
    assert len(found) > 50
    assert [wrong for wrong in found if wrong] == []
