from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
collect_ignore = [each.name for each in HERE.glob("test_*.py") if each.stem != "test_requirements"]
if all(map(find_spec, ("torch", "stable_baselines3", "sb3_contrib"))):
    collect_ignore = []


@pytest.fixture(autouse=True)
def _one_thread():
    """More threads are slower for networks as small as these."""
    if find_spec("sb3_contrib") is None:
        yield
        return
    from explorative_user_env.rl.agent import one_thread

    with one_thread():
        yield
