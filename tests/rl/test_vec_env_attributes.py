"""What can be asked of many users, and what is refused."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from gymnasium.vector import AutoresetMode
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_users import HORIZON, N_ARMS, many, single
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from explorative_user_env import InvalidArgumentError
from explorative_user_env.rl import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.wrappers.vector import SortedArms, make_task


def test_methods_and_attributes_are_those_of_the_chosen_lanes() -> None:
    envs = many(5, "bai", observation="sorted-counts", seed=1)
    envs.reset()
    for step in range(12):
        envs.step(np.full(5, step % N_ARMS))
    masks = envs.env_method("action_masks")
    assert np.array(masks).shape == (5, 2 * N_ARMS)
    assert len(envs.env_method("hidden_state", indices=[1, 3])) == 2
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=3)[0], masks[3])
    np.testing.assert_array_equal(get_action_masks(envs), masks)
    assert envs.get_attr("step_cost") == [5e-4] * 5
    assert envs.get_attr("horizon", indices=[0, 2]) == [HORIZON] * 2
    assert envs.get_attr("horizon", indices=4) == [HORIZON]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        envs.get_attr("nothing")


def test_gymnasiums_ways_to_ask_are_those_of_stable_baselines_own_vector() -> None:
    envs = many(3, "bai", observation="sorted-counts")
    dummy = DummyVecEnv([lambda: single("bai", "sorted-counts")] * 3)
    dummy._seeds = [*envs.seed(1)]  # SB3's own would be 1, 2, 3
    for each in (envs, dummy):
        each.reset()
    for arm in range(12):
        for each in (envs, dummy):
            each.step(np.full(3, arm % N_ARMS))
    for name in ("step_cost", "horizon", "mask", "action_space", "observation_space"):
        found = envs.env_method("get_wrapper_attr", name, indices=[0, 2])
        assert found == dummy.env_method("get_wrapper_attr", name, indices=[0, 2])
        assert found == envs.env_method("get_wrapper_attr", name=name, indices=[0, 2])
        assert envs.env_method("has_wrapper_attr", name) == [True] * 3
    for name in ("hidden_state", "instance", "action_masks"):
        for ask in ("env_method", "get_attr"):
            asked: list[Any] = [
                each.env_method("get_wrapper_attr", name)
                if ask == "env_method"
                else each.get_attr(name)
                for each in (envs, dummy)
            ]
            found, expected = ([method() for method in methods] for methods in asked)
            assert repr(found) == repr(expected)
            assert len({repr(each) for each in found}) > (name != "action_masks")
    assert envs.env_method("has_wrapper_attr", "nothing", indices=1) == [False]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        envs.env_method("get_wrapper_attr", "nothing")


def test_masks_are_there_for_the_task_that_has_them() -> None:
    envs = many(2, "bai")
    assert envs.has_attr("action_masks")
    assert is_masking_supported(envs)
    assert not envs.has_attr("nothing")
    for observation in ("counts", "sorted-counts"):
        assert not is_masking_supported(many(2, "regret", observation=observation))


def test_spaces_are_those_of_a_lane() -> None:
    envs = many(2, "regret")
    assert envs.get_attr("action_space") == [envs.action_space] * 2
    assert envs.get_attr("observation_space", indices=1) == [envs.observation_space]


def test_attributes_are_not_set_afterwards() -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be given to make_sb3_vec_env, not"):
        many(2).set_attr("alpha", 2.0)


def test_lanes_count_as_wrapped_in_a_monitor_and_in_what_they_are_wrapped_in() -> None:
    envs = many(3)
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(Monitor, indices=[0]) == [True]
    assert envs.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3
    kind: Any = SortedArms
    assert envs.env_is_wrapped(kind, indices=1) == [True]
    assert many(2, observation="counts").env_is_wrapped(kind) == [False] * 2


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_another_autoreset_mode_is_refused(mode: AutoresetMode) -> None:
    with pytest.raises(InvalidArgumentError, match="envs must be made with autoreset_mode=SAME"):
        SB3VecEnv(make_task("regret", 2, autoreset_mode=mode))


def test_paying_for_acceptance_warns() -> None:
    with pytest.warns(UserWarning, match='reward="accept" pays most for never exploring') as told:
        make_sb3_vec_env(2, reward="accept")
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_envs": 0}, "num_envs must be an integer of at least 1, got 0"),
        ({"task": "sleep"}, "task must be one of"),
        ({"observation": "all"}, "observation must be one of counts, last-step, response, sorted"),
        ({"horizon": 0}, "horizon must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
    ],
)
def test_a_wrong_argument_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        make_sb3_vec_env(**({"n_envs": 2} | wrong))
