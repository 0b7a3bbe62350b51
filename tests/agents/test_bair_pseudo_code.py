"""Whole runs of BAIR, held against the paper's pseudo-code written down once more."""

import itertools
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import pairs

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import BAIR
from explorative_user_env.runs.loop import rollout
from explorative_user_env.users.population import Setting

CHOICES: dict[str, list[Any]] = {
    "rejections": ["all", "consecutive"],
    "phase1_counts": ["acceptances", "steps"],
    "first_sweep": ["full", "skipping"],
    "phase2": ["fewest acceptances", "round robin"],
}

OPTIONS = st.fixed_dictionaries(
    {
        "n1": st.integers(0, 25) | st.floats(0, 25),
        "m": st.integers(1, 4),
        **{name: st.sampled_from(values) for name, values in CHOICES.items()},
    }
)


def algorithms_1_and_2(
    n_arms: int,
    n1: float,
    m: int = 1,
    rejections: str = "all",
    phase1_counts: str = "acceptances",
    first_sweep: str = "full",
    phase2: str = "fewest acceptances",
) -> Generator[int, bool, int]:
    """The paper's pseudo-code: yields an arm, is sent the response, returns the answer."""
    accepted = Counter[int]()
    clock = 0

    def recommend(arm: int) -> Generator[int, bool, bool]:
        nonlocal clock
        response = yield arm
        accepted[arm] += response
        clock += response if phase1_counts == "acceptances" else 1
        return response

    sweep = list(range(n_arms))
    while True:
        # Removing from a list while passing over it skips the arm after the removed one.
        for arm in sweep if first_sweep == "skipping" else tuple(sweep):
            if not (yield from recommend(arm)):
                sweep.remove(arm)
        if not sweep or clock >= n1:
            break

    while clock < n1:
        for arm in range(n_arms):
            while clock < n1 and (yield from recommend(arm)):
                pass

    left = set(range(n_arms))
    strikes = Counter[int]()
    last = -1
    while len(left) > 1:
        if phase2 == "round robin":
            last = min((arm for arm in left if arm > last), default=min(left))
        else:
            last = min(left, key=lambda arm: (accepted[arm], arm))
        if (yield from recommend(last)):
            strikes[last] = strikes[last] if rejections == "all" else 0
        else:
            strikes[last] += 1
            if strikes[last] == m:
                left.remove(last)
    return left.pop()


class Reference:
    """The pseudo-code step by step: the arm it recommends now, or its answer."""

    def __init__(self, n_arms: int, **options: Any) -> None:
        self._steps = algorithms_1_and_2(n_arms, **options)
        self.arm: int | None = next(self._steps)
        self.answer: int | None = None

    def send(self, response: bool) -> None:
        try:
            self.arm = self._steps.send(response)
        except StopIteration as end:
            self.arm, self.answer = None, end.value


def assert_follows_the_pseudo_code(
    n_arms: int,
    options: dict[str, Any],
    respond: Callable[[int, int], bool],
    n_steps: int = 400,
) -> bool:
    """Compare the arms of a run, and its answer; return whether it came to one in these steps."""
    agent = BAIR(**options)
    agent.reset(n_arms, np.random.default_rng(0))
    pseudo_code = Reference(n_arms, **options)
    for step in range(n_steps):
        assert agent.act() == pseudo_code.arm, f"step {step}"
        if pseudo_code.arm is None:
            assert agent.answer() == pseudo_code.answer
            return True
        response = respond(step, pseudo_code.arm)
        agent.observe(pseudo_code.arm, response)
        pseudo_code.send(response)
    return False


@pytest.mark.parametrize("chosen", [*itertools.product(*CHOICES.values())], ids="-".join)
def test_runs_come_to_the_answer_of_the_pseudo_code(chosen: tuple[str, ...]) -> None:
    options = dict(zip(CHOICES, chosen, strict=True)) | {"n1": 9, "m": 2}
    rng = np.random.default_rng(0)
    for _ in range(5):
        assert assert_follows_the_pseudo_code(
            4, options, lambda step, arm: bool(rng.random() < (0.5, 0.4, 0.9, 0.5)[arm])
        )


@pytest.mark.slow
@settings(max_examples=250)
@given(
    n_arms=st.integers(2, 12),
    options=OPTIONS,
    responses=st.lists(st.booleans(), min_size=1, max_size=40),
)
def test_any_stream_of_responses_is_met_as_in_the_pseudo_code(
    n_arms: int, options: dict[str, Any], responses: list[bool]
) -> None:
    stream = itertools.cycle(responses)
    assert_follows_the_pseudo_code(n_arms, options, lambda step, arm: next(stream))


@settings(max_examples=120)
@given(
    options=OPTIONS,
    chances=st.lists(st.floats(0, 1), min_size=2, max_size=6),
    seed=st.integers(0, 10**6),
)
def test_arms_of_fixed_chances_are_met_as_in_the_pseudo_code(
    options: dict[str, Any], chances: list[float], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    assert_follows_the_pseudo_code(
        len(chances), options, lambda step, arm: bool(rng.random() < chances[arm])
    )


@settings(max_examples=100)
@given(n_arms=st.integers(2, 12), options=OPTIONS, patience=st.integers(1, 9))
def test_a_user_who_tires_of_every_arm_is_met_as_in_the_pseudo_code(
    n_arms: int, options: dict[str, Any], patience: int
) -> None:
    met = Counter[int]()

    def respond(step: int, arm: int) -> bool:
        met[arm] += 1
        return met[arm] % (patience + 1) != 0

    assert_follows_the_pseudo_code(n_arms, options, respond)


@pairs(n_arms=[2, 5], noise=[0.0, 0.1], rejections=["all", "consecutive"])
def test_runs_with_real_users_are_those_of_the_pseudo_code(
    setting: Setting, n_arms: int, noise: float, rejections: str
) -> None:
    m = 1 if noise == 0.0 else 4
    options = {
        name: value
        for name, value in setting.agent_options("BAIR", n_arms).items()
        if name not in ("n1", "m")
    } | {"n1": 2 * n_arms / 0.1, "m": m, "rejections": rejections}
    env = ExplorativeUserEnv(n_arms, setting=setting, noise=noise)
    for seed in range(3):
        episode = rollout(env, BAIR(**options), seed)
        pseudo_code = Reference(n_arms, **options)
        for arm, response in zip(episode.arms, episode.accepted, strict=True):
            assert arm == pseudo_code.arm
            pseudo_code.send(response)
        assert pseudo_code.arm is None
        assert episode.answer == pseudo_code.answer
        assert not episode.censored
