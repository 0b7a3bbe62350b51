"""What learns: environments for Stable-Baselines3, and trainings."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from fuzz.fuzzing import Door
from fuzz.usual_values import SIZES, USERS


def of_learning() -> Iterator[Door]:
    if find_spec("sb3_contrib") is None:
        return
    from explorative_user_env.rl import make_sb3_vec_env, train

    def stepped(**given: Any) -> None:
        envs = make_sb3_vec_env(**given)
        envs.reset()
        for _ in range(3):
            _, rewards, _, _ = envs.step(np.zeros(envs.num_envs, int))
            assert np.isfinite(rewards).all(), "a reward is not finite"

    asked: dict[str, Sequence[Any]] = {
        **{"task": ("regret", "bai"), "observation": ("sorted-counts", "counts", "last-step")},
        **{"horizon": (None, 9), "seed": (None, 0)},
    }
    many = {**USERS, **asked, "n_envs": (1, 3)}
    needed, sizes = frozenset({"n_envs"}), SIZES | {"steps", "evaluation_users"}
    yield Door("make_sb3_vec_env", stepped, many, needed, sizes, cost=4)
    trained: dict[str, Sequence[Any]] = {
        **{name: USERS[name] for name in ("n_arms", "alpha", "noise", "setting")},
        **{"algo": ("ppo", "dqn"), "task": ("regret",), "steps": (64,), "n_envs": (2,)},
        **{"evaluation_users": (2,), "horizon": (9,), "seed": (0,), "output": (None,)},
        **{"tensorboard": (None,), "observation": (None, "counts")},
    }
    needed = frozenset({"steps", "n_envs", "evaluation_users", "horizon"})
    yield Door("train", train, trained, needed, sizes, spared=frozenset({"output"}), cost=200)
