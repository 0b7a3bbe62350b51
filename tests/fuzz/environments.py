"""Environments, those for Stable-Baselines3 too, and what is done in them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
from fuzz.fuzzing import USERS, Door
from gymnasium.error import Error as GymnasiumError

import explorative_user_env as eu
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.wrappers.vector import counts_vector_env

ENVIRONMENTS: dict[str, dict[str, Sequence[Any]]] = {
    eu.ENV_ID: {"reward": ("regret", "accept", "none"), "info_level": ("counts", "full")},
    eu.BAI_ENV_ID: {"step_cost": (0.0005, 0), "horizon": (20, 50), "mask": ("rejections", "none")},
    eu.COUNTS_ENV_ID: {"horizon": (20, 50)},
    eu.POPULATION_ENV_ID: {
        **{"n_users": (2, 1), "deviation": (0.3, 0), "horizon": (3, 1)},
        "options_": (None, {}, {"popularity": [0.0, 1.0, 0.5]}, {"user": 0}),
    },
}
EPISODE: dict[str, Sequence[Any]] = {
    **{"seed_": (None, 0, 5), "options_": (None, {}, {"means": [0.0, 1.0, 0.5]})},
    "actions_": ((0, 1, 1), (np.int64(0), 2), (1,) * 9),
}


def _split(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    own = {name: value for name, value in given.items() if not name.endswith("_")}
    rest = {name.rstrip("_"): value for name, value in given.items() if name.endswith("_")}
    return own, rest


def of_environments() -> Iterator[Door]:
    for name, own in ENVIRONMENTS.items():

        def live(name: str = name, **given: Any) -> None:
            options, episode = _split(given)
            env = gym.make(name, disable_env_checker=True, **options).unwrapped
            _lived(env, episode)

        usual = {**USERS, "render_mode": (None, "ansi", "svg"), **EPISODE, **own}
        yield Door(name, live, usual, spared=frozenset({"render_mode"}))


def _lived(env: Any, episode: Mapping[str, Any]) -> None:
    env.reset(seed=episode.get("seed"), options=episode.get("options"))
    actions = episode.get("actions", (0, 1))
    actions = actions if isinstance(actions, tuple | list) else (actions,)
    for action in actions:
        _, reward, terminated, truncated, _ = env.step(action)
        assert math.isfinite(reward), "a reward is not finite"
        if terminated or truncated:
            break


def of_vectors(paths: Sequence[bool | None] = (None, True, False)) -> Iterator[Door]:
    more: dict[str, Sequence[Any]] = {"num_envs": (1, 3), "compiled": paths}
    more |= {"max_episode_steps": (None, 5), "autoreset_mode": ("NextStep", "SameStep", "Disabled")}
    more |= {"seed_": (None, 0, [1, 2, 3]), "actions_": (None, np.zeros(3, int), [0, 1, 1])}
    kinds: tuple[Any, ...] = (
        eu.ExplorativeUserVectorEnv,
        ExplorativeUserBAIVectorEnv,
        counts_vector_env,
        ExplorativePopulationVectorEnv,
    )
    for kind, own in zip(kinds, ENVIRONMENTS.values(), strict=True):

        def live(kind: Any = kind, **given: Any) -> None:
            options, episode = _split(given)
            _stepped(kind(**options), episode.get("actions"), seed=episode.get("seed"))

        usual = {**USERS, **own, **more}
        yield Door(f"vector {kind.__name__}", live, usual, cost=2, refusals=(GymnasiumError,))


def _stepped(envs: Any, actions: Any = None, **options: Any) -> None:
    envs.reset(**options)
    for _ in range(3):
        _, rewards, *_ = envs.step(np.zeros(envs.num_envs, int) if actions is None else actions)
        assert np.isfinite(rewards).all(), "a reward is not finite"


def of_learning() -> Iterator[Door]:
    if find_spec("sb3_contrib") is None:
        return
    from explorative_user_env.rl import make_sb3_vec_env

    def live(**given: Any) -> None:
        _stepped(make_sb3_vec_env(**given))

    many = {**USERS, "n_envs": (1, 3), "task": ("regret", "bai"), "seed": (None, 0)}
    many |= {"horizon": (None, 9), "observation": ("sorted-counts", "counts", "last-step")}
    yield Door("make_sb3_vec_env", live, many, frozenset({"n_envs"}), cost=4)
