from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from explorative_user_env.rl import SB3Agent


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
def told() -> list[tuple[str, int, int]]:
    """The progress that `trained` told."""
    return []


@pytest.fixture(scope="session")
def trained(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, int, int]]
) -> "tuple[SB3Agent, Path]":
    """A small PPO and its folder; the facts are not the defaults."""
    from sb3_trainings import TINY

    from explorative_user_env.rl import train

    folder = tmp_path_factory.mktemp("models") / "new" / "ppo"
    agent = train(
        "ppo",
        seed=3,
        gap=0.7,
        setting="released",
        output=folder,
        progress=lambda *what: told.append(what),
        **TINY,
    )
    return agent, folder
