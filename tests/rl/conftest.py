from importlib.util import find_spec

import pytest

installed = all(map(find_spec, ("torch", "stable_baselines3", "sb3_contrib")))
collect_ignore_glob = [] if installed else ["test_*.py"]


@pytest.fixture(autouse=True)
def _one_thread(one_thread):
    """More threads are slower for networks as small as these."""
