"""Other people's wrappers between ours and the user: what is shown is true, or they are refused."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from between import Flipped, Late, Silent, Twice
from gymnasium import spaces, wrappers
from gymnasium.wrappers import (
    Autoreset,
    DelayObservation,
    DtypeObservation,
    FlattenObservation,
    FrameStackObservation,
    MaxAndSkipObservation,
    RecordEpisodeStatistics,
    StickyAction,
    TimeAwareObservation,
    TimeLimit,
    TransformAction,
    TransformObservation,
)
from wrapped import HORIZON, N_ARMS, Heard, counts_of, last_step_of, made, ranks_of, vector_of

from explorative_user_env import (
    BAI_ENV_ID,
    ENV_ID,
    ExplorativeUserEnv,
    InvalidArgumentError,
)
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms

SINGLE_ENVS = {ENV_ID: ExplorativeUserEnv, BAI_ENV_ID: ExplorativeUserBAIEnv}


def noted(name: str) -> Any:
    """Return an environment that notes what its user heard and said, with a time limit."""
    below: Any = SINGLE_ENVS[name]

    class Noted(below):  # type: ignore[misc]
        heard: Heard

        def reset(self, **kwargs: Any) -> Any:
            outcome = super().reset(**kwargs)
            self.heard = []
            return outcome

        def step(self, action: int) -> Any:
            outcome = super().step(action)
            if outcome[4]["has_response"]:
                self.heard.append((int(action), outcome[0]))
            return outcome

    return TimeLimit(Noted(N_ARMS, noise=0.4), HORIZON)


def next_action(env: Any) -> Any:
    n_actions = int(env.action_space.n)
    return TransformAction(env, lambda action: (action + 1) % n_actions, env.action_space)


TRUE: dict[str, Any] = {
    "Autoreset": Autoreset,
    "StickyAction": lambda env: StickyAction(env, 0.5),
    "TransformAction": next_action,
    "RecordEpisodeStatistics": RecordEpisodeStatistics,
    "Twice": Twice,
    "several": lambda env: Autoreset(Twice(StickyAction(next_action(env), 0.3))),
}
if hasattr(wrappers, "RepeatAction"):  # newer than the oldest Gymnasium that will do
    TRUE["RepeatAction"] = lambda env: wrappers.RepeatAction(env, 3)


def unit(env: Any) -> Any:
    return TransformObservation(env, lambda response: response, env.observation_space)


CHANGES: dict[str, Any] = {
    "DelayObservation": lambda env: DelayObservation(env, 2),
    "MaxAndSkipObservation": MaxAndSkipObservation,
    "FlattenObservation": FlattenObservation,
    "DtypeObservation": lambda env: DtypeObservation(env, np.float32),
    "FrameStackObservation": lambda env: FrameStackObservation(env, 3),
    "TimeAwareObservation": TimeAwareObservation,
    "TransformObservation": unit,
    "LastStepObservation": LastStepObservation,
}


@pytest.fixture(params=[CountsObservation, LastStepObservation])
def wrapper(request: pytest.FixtureRequest) -> Any:
    return request.param


def played(env: Any, steps: int = 300) -> Any:
    """Yield what is observed, while arms and now and then answers are chosen."""
    rng, over = np.random.default_rng(0), True
    for _ in range(steps):
        if over:
            yield env.reset(seed=int(rng.integers(99)))
        action = int(rng.integers(N_ARMS))
        if env.action_space.n > N_ARMS and rng.random() < 0.05:
            action += N_ARMS
        observation, _, terminated, truncated, info = env.step(action)
        over = (terminated or truncated) and "Autoreset" not in str(env)
        yield observation, info


@pytest.mark.parametrize("between", TRUE)
def test_what_is_shown_is_what_the_user_heard_and_said(
    name: str, wrapper: Any, between: str
) -> None:
    below = noted(name)
    env, told = wrapper(TRUE[between](below)), 0
    for observation, info in played(env):
        heard = below.unwrapped.heard
        by_hand = (
            counts_of(heard, range(N_ARMS), HORIZON)
            if wrapper is CountsObservation
            else last_step_of(heard, HORIZON)
        )
        np.testing.assert_allclose(observation, by_hand, rtol=2e-7)
        assert info["interactions"] == len(heard)
        told += len(heard) > 0
    assert told > 150


@pytest.mark.parametrize("between", TRUE)
def test_sorted_arms_are_those_of_what_the_user_heard(name: str, between: str) -> None:
    below = noted(name)
    env = SortedArms(CountsObservation(TRUE[between](below)))
    for observation, _ in played(env):
        heard = below.unwrapped.heard
        by_hand = counts_of(heard, ranks_of(heard), HORIZON)
        np.testing.assert_allclose(observation, by_hand, rtol=2e-7)


@pytest.mark.parametrize("between", ["Autoreset", "RecordEpisodeStatistics"])
def test_arms_are_sorted_above_what_hands_the_counts_on(name: str, between: str) -> None:
    below = noted(name)
    env = SortedArms(TRUE[between](CountsObservation(below)))
    for observation, _ in played(env):
        heard = below.unwrapped.heard
        by_hand = counts_of(heard, ranks_of(heard), HORIZON)
        np.testing.assert_allclose(observation, by_hand, rtol=2e-7)


@pytest.mark.parametrize("between", CHANGES)
def test_what_changes_the_responses_is_refused_by_name(
    name: str, wrapper: Any, between: str
) -> None:
    above = rf"\(put {between} above {wrapper.__name__}, .*, got <{between}<"
    with pytest.raises(InvalidArgumentError, match=f"^env must be .*as they are {above}"):
        wrapper(CHANGES[between](made(name)))
    hidden = RecordEpisodeStatistics(CHANGES[between](made(name)))
    with pytest.raises(InvalidArgumentError, match="as they are "):
        wrapper(hidden)


@pytest.mark.parametrize("between", ["DelayObservation", "MaxAndSkipObservation"])
def test_what_changes_the_counts_is_refused_below_sorted_arms(name: str, between: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        SortedArms(CHANGES[between](CountsObservation(made(name))))


def stepped(env: Any) -> None:
    for _ in range(3):
        env.step(0)


@pytest.mark.parametrize("between", [Flipped, Late, Silent])
def test_a_step_that_contradicts_the_user_is_refused(name: str, wrapper: Any, between: Any) -> None:
    env = wrapper(between(made(name)))
    env.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*as they are.*, got <") as error:
        stepped(env)
    assert "\n" not in str(error.value)


def test_counts_that_are_changed_in_between_are_not_sorted(name: str) -> None:
    class Halved(gym.Wrapper[Any, Any, Any, Any]):
        def step(self, action: Any) -> Any:
            observation, *rest = self.env.step(action)
            return observation / 2, *rest

    env = SortedArms(Halved(CountsObservation(made(name))))
    env.reset(seed=0)
    with pytest.raises(InvalidArgumentError, match=r"above SortedArms, .*, got <Halved<"):
        env.step(0)


def test_a_response_that_is_no_integer_is_refused_at_the_reset(name: str, wrapper: Any) -> None:
    class Boxed(gym.Wrapper[Any, Any, Any, Any]):
        def reset(self, **kwargs: Any) -> Any:
            response, info = self.env.reset(**kwargs)
            return np.array([response]), info

    env = wrapper(Boxed(made(name)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*, got <Boxed<"):
        env.reset(seed=0)


def test_tensors_are_refused_at_the_reset(name: str, wrapper: Any) -> None:
    pytest.importorskip("torch", reason="needs the extra rl")
    pytest.importorskip("array_api_compat", reason="Gymnasium's conversion needs it")
    from gymnasium.wrappers import NumpyToTorch

    env = wrapper(NumpyToTorch(made(name)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*, got <NumpyToTorch<"):
        env.reset(seed=0)


def test_a_wrapper_put_on_in_the_middle_of_an_episode_waits_for_a_reset(
    name: str, wrapper: Any
) -> None:
    below = made(name)
    below.reset(seed=0)
    below.step(0)
    env = wrapper(below)
    with pytest.raises(InvalidArgumentError, match=r"^env must be .*and reset both\)"):
        env.step(1)
    env.reset(seed=0)
    assert env.step(1)[0][-1] == pytest.approx(1 / HORIZON)


@pytest.mark.parametrize("foreign", [lambda: gym.make("CartPole-v1"), vector_of, lambda: None])
def test_an_environment_that_is_not_ours_is_refused_by_name(wrapper: Any, foreign: Any) -> None:
    other = foreign(ENV_ID) if foreign is vector_of else foreign()
    with pytest.raises(InvalidArgumentError, match=r"^env must be ExplorativeUser-v0, Expl"):
        wrapper(other, 10)


@pytest.mark.parametrize("foreign", [lambda: gym.make("CartPole-v1"), lambda: None])
def test_arms_of_an_environment_that_is_not_ours_are_not_sorted(foreign: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^env must be wrapped in CountsObservation"):
        SortedArms(foreign())


def test_actions_that_are_no_arms_are_not_sorted(name: str) -> None:
    below: Any = TransformAction(made(name), lambda action: int(action[0]), spaces.Box(0, 1, (1,)))
    with pytest.raises(InvalidArgumentError, match=r"^env must be an environment whose actions"):
        SortedArms(CountsObservation(below))
