"""`make_sb3_vec_env`: many users as a `VecEnv` of Stable-Baselines3."""

import pickle
import time
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from explorative_user_env.protocol import Array, Task
from explorative_user_env.seeding import seed_number, training_seeds
from explorative_user_env.validation import InvalidArgumentError
from explorative_user_env.wrappers import layers
from explorative_user_env.wrappers.vector import make_task

#: Attributes of a single environment, and their names in a vector environment.
VECTOR_NAMES = {
    "hidden_state": "hidden_states",
    "instance": "instances",
    "action_space": "single_action_space",
    "observation_space": "single_observation_space",
}


class SB3VecEnv(VecEnv):
    """Stable-Baselines3's `VecEnv` over a vector environment of this package.

    At the last step of an episode `info` has the keys that a `DummyVecEnv` of `Monitor`s writes:
    `episode` (return r, length l, seconds t), `terminal_observation`, `TimeLimit.truncated`, and
    the environment's final info (`is_success`, ...). At other steps `info` has only
    `TimeLimit.truncated`, as full infos would take longer than the steps.

    Args:
        envs: a vector environment with `AutoresetMode.SAME_STEP`.

    Raises:
        InvalidArgumentError: if `envs` has another autoreset mode.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        if envs.metadata.get("autoreset_mode") != AutoresetMode.SAME_STEP:
            raise InvalidArgumentError("envs", envs, "made with autoreset_mode=SAME_STEP")
        self.envs = envs
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, int)
        self._start = time.time()

    def reset(self) -> Any:
        """Start with new users, from the seeds and options set before."""
        seeds: Any = self._seeds if any(seed is not None for seed in self._seeds) else None
        groups: dict[bytes, list[int]] = {}
        for lane, options in enumerate(self._options):
            groups.setdefault(pickle.dumps(options), []).append(lane)
        for lanes in groups.values():
            given = dict(self._options[lanes[0]])
            if len(groups) > 1:
                given["reset_mask"] = np.isin(np.arange(self.num_envs), lanes)
            observations, infos = self.envs.reset(seed=seeds, options=given)
            for lane in lanes:
                self.reset_infos[lane] = _info_of(infos, lane)
        self._returns[:], self._lengths[:], self._start = 0.0, 0, time.time()
        self._reset_seeds()
        self._reset_options()
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the users' seeds for the next reset, and return them.

        Other environments of Stable-Baselines3 take the seeds s, s + 1, ..., so that models with
        the seeds 0 to 4 train on nearly the same users. This class takes `training_seeds(seed)`, so
        that such models share no users.

        Args:
            seed: determines the users' seeds; None is fresh entropy.
        """
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeds = [*training_seeds(seed_number(seed), self.num_envs)]
        return self._seeds

    def step_async(self, actions: Array) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Step all lanes; a lane whose episode ends starts with a new user in the same step."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        dicts: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(done).tolist():
            length, seconds = int(self._lengths[lane]), round(time.time() - self._start, 6)
            gained = round(float(self._returns[lane]), 6)
            dicts[lane] = _info_of(infos["final_info"], lane) | {
                "episode": {"r": gained, "l": length, "t": seconds},
                "terminal_observation": infos["final_obs"][lane],
                "TimeLimit.truncated": bool(truncated[lane] and not terminated[lane]),
            }
        self._returns[done], self._lengths[done] = 0.0, 0
        return observations, rewards.astype(np.float32), done, dicts

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return a list that repeats a shared attribute once for each lane.

        If the attribute is a method, such as `action_masks`, the list has a method for each lane,
        which returns this lane's part of the result.
        """
        value = self._attribute(attr_name)
        lanes = self._get_indices(indices)
        if not callable(value) or isinstance(value, type):
            return [value for _ in lanes]
        return [partial(lambda lane, *args, **kw: value(*args, **kw)[lane], lane) for lane in lanes]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raise an error, because `make_sb3_vec_env` fixes all attributes."""
        raise InvalidArgumentError(attr_name, value, "passed to make_sb3_vec_env, not to set_attr")

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment, such as `action_masks`; return a list by lane.

        Also supports `hidden_state` and `instance`, for teachers and tests, and Gymnasium's
        `get_wrapper_attr` and `has_wrapper_attr`.
        """
        given, lanes = (*args, *kwargs.values()), self._get_indices(indices)
        if method_name == "get_wrapper_attr":
            return self.get_attr(given[0], indices)
        if method_name == "has_wrapper_attr":
            return [self.has_attr(given[0]) for _ in lanes]
        results = self._attribute(method_name)(*args, **kwargs)
        return [results[lane] for lane in lanes]

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """Return for each lane whether a wrapper of this class is present.

        The result is True for `Monitor`, because `SB3VecEnv` itself writes a monitor's info.
        """
        within = any(isinstance(layer, wrapper_class) for layer in layers(self.envs))
        wrapped = within or issubclass(wrapper_class, Monitor)
        return [wrapped for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Array | None]:
        """Return a frame per lane, or None per lane if `render_mode` is not "rgb_array"."""
        frames: Any = self.envs.render() if self.envs.render_mode == "rgb_array" else None
        return [None] * self.num_envs if frames is None else list(frames)

    def _attribute(self, name: str) -> Any:
        """Return an attribute of the outermost wrapper or environment that has this attribute."""
        wanted = VECTOR_NAMES.get(name, name)
        for layer in (*layers(self.envs), self.envs.unwrapped):
            if hasattr(layer, wanted):
                return getattr(layer, wanted)
        raise AttributeError(f"the environment has no attribute {wanted!r}")


def _info_of(infos: dict[str, Any], lane: int) -> dict[str, Any]:
    """Return the info of one lane from the infos of Gymnasium's vector environment."""
    info = {}
    for key, values in infos.items():
        mask = infos.get(f"_{key}")
        if isinstance(values, np.ndarray) and isinstance(mask, np.ndarray) and mask[lane]:
            value = values[lane]
            info[key] = value.item() if isinstance(value, np.generic) else value
    return info


def make_sb3_vec_env(
    n_envs: int = 256,
    *,
    task: Task | str = "regret",
    observation: str = "sorted-counts",
    horizon: int | None = None,
    seed: int | None = None,
    **kwargs: Any,
) -> SB3VecEnv:
    """Return a Stable-Baselines3 `VecEnv` of many users; from 64 lanes on it runs compiled code.

    The first reset compiles this code and prints a line about the compilation.

    Args:
        n_envs: number of lanes, at least 1; each lane has one user at a time.
        task: "regret" (`ExplorativeUser-v0`), "bai" (`ExplorativeUserBAI-v0`) or "population"
            (`ExplorativePopulation-v0`).
        observation: the policy's observation: "response", "counts", "sorted-counts" or "last-step",
            in "population" also "population-counts" or "sorted-population-counts".
        horizon: number of steps of an episode; None is 500 for regret and 2000 for bai. In
            "population" the number of steps of each user; None is 300.
        seed: determines the users' seeds at the first reset, as in `SB3VecEnv.seed`; different
            seeds give different users. The seed of a model replaces this seed. None is fresh
            entropy.
        **kwargs: options of the environment (`n_arms`, `gap`, `setting`, `reward`, `step_cost`,
            `n_users`, `deviation`, ...).

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """
    if kwargs.get("reward") == "accept":
        warnings.warn(
            'reward="accept" pays most for never exploring: the user accepts any arm that the '
            "agent recommends for ever, good or bad",
            stacklevel=2,
        )
    kwargs["autoreset_mode"] = AutoresetMode.SAME_STEP
    vec_env = SB3VecEnv(make_task(task, n_envs, observation, horizon, **kwargs))
    if seed is not None:
        vec_env.seed(seed)
    return vec_env
