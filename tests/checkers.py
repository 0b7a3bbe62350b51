"""The checkers of environments that other libraries come with."""

from typing import Any

import pytest


def check_for_sb3(env: Any) -> None:
    """Stable-Baselines3's checker has nothing to say; without the library this is skipped."""
    checkers = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs rl")
    checkers.check_env(env)
