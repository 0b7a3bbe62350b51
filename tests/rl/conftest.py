from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from explorative_user_env.rl import SB3Agent

HERE = Path(__file__).parent
collect_ignore = [each.name for each in HERE.glob("test_*.py") if each.stem != "test_requirements"]
if all(map(find_spec, ("torch", "stable_baselines3", "sb3_contrib"))):
    collect_ignore = []


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """More threads are slower for networks as small as these."""
    if find_spec("sb3_contrib") is None:
        yield
        return
    from explorative_user_env.rl.agent import one_thread

    with one_thread():
        yield


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> "tuple[SB3Agent, Path]":
    """A small PPO and its folder; the facts are not the defaults."""
    from sb3_trainings import TINY

    from explorative_user_env.rl import train

    folder = tmp_path_factory.mktemp("models") / "new" / "ppo"
    return train("ppo", seed=3, gap=0.7, setting="released", output=folder, **TINY), folder
