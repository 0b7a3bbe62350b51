import itertools
import math
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.agents import BAIR
from explorative_user_env.loop import rollout
from explorative_user_env.settings import Setting

Drive = Callable[..., list[int]]

OPTIONS = st.fixed_dictionaries(
    {
        "n1": st.integers(0, 25) | st.floats(0, 25),
        "m": st.integers(1, 4),
        "rejections": st.sampled_from(["all", "consecutive"]),
        "phase1_counts": st.sampled_from(["acceptances", "steps"]),
        "first_sweep": st.sampled_from(["full", "skipping"]),
        "phase2": st.sampled_from(["fewest acceptances", "round robin"]),
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
) -> None:
    """Compare the arms of a whole run, or its first steps, and the answer if it came to one."""
    agent = BAIR(**options)
    agent.reset(n_arms, np.random.default_rng(0))
    pseudo_code = Reference(n_arms, **options)
    for step in range(n_steps):
        assert agent.act() == pseudo_code.arm, f"step {step}"
        if pseudo_code.arm is None:
            assert agent.answer() == pseudo_code.answer
            return
        response = respond(step, pseudo_code.arm)
        agent.observe(pseudo_code.arm, response)
        pseudo_code.send(response)


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


@pytest.mark.parametrize("n_arms", [2, 5])
@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("rejections", ["all", "consecutive"])
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


def test_an_eliminated_arm_never_comes_back(drive: Drive) -> None:
    # N_1 = 0: one pass, then Phase 2. The arms with fewest acceptances are rejected first, so an
    # argmin over [K] would recommend them again.
    rng = np.random.default_rng(3)
    for _ in range(50):
        gone: set[int] = set()

        def respond(step: int, arm: int, gone: set[int] = gone) -> bool:
            assert arm not in gone
            accepted = bool(rng.random() < 0.6)
            if step >= 6 and not accepted:
                gone.add(arm)
            return accepted

        agent = BAIR(n1=0)
        drive(agent, 6, respond)
        assert len(gone) == 5
        assert agent.answer() not in gone


def test_phase_2_recommends_the_least_accepted_arm_that_is_left(drive: Drive) -> None:
    agent = BAIR(n1=6)
    # Pass 1 accepts all of 0..3, pass 2 all but 1: seven acceptances, Phase 2 begins with 1.
    script = [True] * 4 + [True, False, True, True] + [False, True, False, False]
    assert drive(agent, 4, lambda step, arm: script[step]) == [0, 1, 2, 3] * 2 + [1, 0, 2, 3]
    assert agent.answer() == 0


def test_phase_1_stays_with_an_accepted_arm_to_the_very_acceptance_that_makes_n1(
    drive: Drive,
) -> None:
    # The sweep ends with every arm rejected; then arm 0 is accepted for ever.
    arms = drive(BAIR(n1=7.5), 3, lambda step, arm: step >= 3 and arm == 0, n_steps=13)
    assert arms == [0, 1, 2] + [0] * 8 + [1, 2]


def test_phase_1_looks_at_n1_between_the_passes_of_the_sweep(drive: Drive) -> None:
    # Four acceptances are there after the first arm of pass 2; the pass is finished all the same.
    arms = drive(BAIR(n1=4), 3, lambda step, arm: step < 6, n_steps=8)
    assert arms == [0, 1, 2, 0, 1, 2, 0, 1]


def test_counting_steps_ends_phase_1_without_acceptances(drive: Drive) -> None:
    # Five arms, all rejected: sweep, one round's first two arms, then Phase 2 from arm 0.
    arms = drive(BAIR(n1=7, phase1_counts="steps"), 5, lambda step, arm: False)
    assert arms == [*range(5), *range(2), *range(4)]


def test_counting_acceptances_never_ends_phase_1_without_one(drive: Drive) -> None:
    arms = drive(BAIR(n1=1), 3, lambda step, arm: False, n_steps=30)
    assert arms == [0, 1, 2] * 10


def test_the_skipping_sweep_passes_over_the_arm_after_a_rejected_one(drive: Drive) -> None:
    arms = drive(
        BAIR(n1=100, first_sweep="skipping"), 5, lambda step, arm: arm not in (1, 4), n_steps=8
    )
    # 1 is rejected, 2 skipped; 4 is rejected at the end of the pass; then 0, 2, 3 remain.
    assert arms == [0, 1, 3, 4, 0, 2, 3, 0]


def test_all_rejections_count_to_m_and_an_acceptance_does_not_undo_them(drive: Drive) -> None:
    agent = BAIR(n1=2, m=3, phase2="round robin")
    responses = {0: iter([True, False, True, False, True, False]), 1: itertools.repeat(True)}
    arms = drive(agent, 2, lambda step, arm: next(responses[arm]))
    assert arms == [0, 1] * 5 + [0]
    assert agent.answer() == 1


def test_consecutive_rejections_are_counted_anew_after_an_acceptance(drive: Drive) -> None:
    agent = BAIR(n1=2, m=2, rejections="consecutive", phase2="round robin")
    responses = {0: iter([True, False, True, False, False]), 1: itertools.repeat(True)}
    arms = drive(agent, 2, lambda step, arm: next(responses[arm]))
    assert arms == [0, 1] * 4 + [0]
    assert agent.answer() == 1


@pytest.mark.parametrize(
    ("options", "n_arms", "n1"),
    [
        ({}, 5, 100),
        ({"delta": 0.01}, 20, 4000),
        ({"n1": "proof"}, 5, 80),
        ({"n1": "proof", "delta": 0.005}, 2, 400),
        ({"alpha": 2.0}, 5, 10),
        ({"alpha": 0.5}, 5, 10_000),
        ({"alpha": 0.8, "delta": 0.01}, 100, 20_000**1.25),
        ({"rho_0": 2.0}, 5, 50),
        ({"alpha": 2.0, "rho_0": 0.5, "n1": "proof", "delta": 0.2}, 11, 20),
        ({"n1": 7.5}, 5, 7.5),
        ({"n1": 0}, 5, 0),
    ],
)
def test_n1_is_the_paper_s(options: dict[str, Any], n_arms: int, n1: float) -> None:
    assert BAIR(**options).params(n_arms, None).n1 == pytest.approx(n1, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "n_arms", "m"),
    [
        ({}, 5, 1),
        ({"m": "released"}, 5, 1),
        ({"noise": 0.1}, 5, 8),  # 2 log 50 = 7.82
        ({"noise": 0.1}, 2, 6),  # 2 log 20 = 5.99
        ({"noise": 0.02, "delta": 0.01}, 20, 16),  # 2 log 2000 = 15.2
        ({"noise": 0.1, "m": "released"}, 5, 6),  # more than 1.125 log 100 = 5.18
        ({"noise": 0.3, "m": "released"}, 2, 5),  # more than 1.125 log 40 = 4.15
        ({"m": 3}, 5, 3),
        ({"m": np.int64(3), "noise": 0.1}, 5, 3),
    ],
)
def test_m_is_the_paper_s(options: dict[str, Any], n_arms: int, m: int) -> None:
    assert BAIR(**options).params(n_arms, None).m == m


def test_two_log_k_over_delta_is_rounded_up_and_never_below_one() -> None:
    for n_arms, delta in itertools.product((2, 7, 100), (0.001, 0.3, 0.999)):
        m = BAIR(noise=0.1, delta=delta).params(n_arms, None).m
        assert m - 1 < 2 * math.log(n_arms / delta) <= m


def censored(script: list[bool], n_arms: int, seed: int, **options: Any) -> int:
    """The answer of a run cut off when the script is over."""
    agent = BAIR(**options)
    agent.reset(n_arms, np.random.default_rng(seed))
    for response in script:
        arm = agent.act()
        assert arm is not None
        agent.observe(arm, response)
    return agent.answer()


def test_a_cut_off_run_answers_a_random_one_of_the_most_accepted_arms_left() -> None:
    # Sweep: all accepted. Phase 2: 0 a, 1 a, 2 r, 3 a, 0 a, 1 a, 3 a, 0 r. Arms 0, 1 and 3 have
    # three acceptances each, and 0 is eliminated.
    script = [True] * 4 + [True, True, False, True, True, True, True, False]
    answers = Counter(censored(script, 4, seed, n1=3) for seed in range(1000))
    assert set(answers) == {1, 3}
    assert abs(answers[1] - 500) < 80  # five standard deviations


def test_the_most_accepted_arm_is_no_answer_once_it_is_eliminated() -> None:
    # Arm 0 is accepted ten times in Phase 1 and rejected at the start of Phase 2.
    script = [False] * 3 + [True] * 10 + [False, True, True, True]
    assert censored(script, 3, 0, n1=10, phase2="round robin") == 1


def test_an_arm_dropped_in_a_round_of_phase_1_may_still_be_the_best_guess() -> None:
    script = [False] * 3 + [True] * 5 + [False, True]
    assert censored(script, 3, 0, n1=100) == 0


def test_asking_for_the_answer_does_not_change_the_run(drive: Drive) -> None:
    def respond(step: int, arm: int) -> bool:
        return (step * 7 + arm * 3) % 5 > 1

    asked = BAIR(delta=0.3, m=2)
    asked.reset(4, np.random.default_rng(0))
    arms: list[int] = []
    while (arm := asked.act()) is not None:
        assert 0 <= asked.answer() < 4
        asked.observe(arm, respond(len(arms), arm))
        arms.append(arm)
    left_alone = BAIR(delta=0.3, m=2)
    assert arms == drive(left_alone, 4, respond)
    assert asked.answer() == left_alone.answer()
