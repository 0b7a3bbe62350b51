from collections.abc import Iterator
from importlib.util import find_spec

import pytest


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """More threads are slower for networks as small as these."""
    if find_spec("sb3_contrib") is None:
        yield
        return
    from explorative_user_env.rl.policies import one_thread

    with one_thread():
        yield
