"""BAIR and its Phase 2 alone, held against the paper's pseudo-code written down once more."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_agents import drive

from explorative_user_env.agents import BAIR, SuccessiveElimination
from explorative_user_env.evaluation import evaluate

CHOICES = {
    "rejections": ["all", "consecutive"],
    "phase1_counts": ["acceptances", "steps"],
    "first_sweep": ["full", "skipping"],
    "phase2": ["fewest acceptances", "round robin"],
}

OPTIONS = {name: st.sampled_from(values) for name, values in CHOICES.items()}
OPTIONS |= {"n1": st.integers(0, 25) | st.floats(0, 25), "m": st.integers(1, 4)}


def algorithms_1_and_2(n_arms, n1, m, rejections, phase1_counts, first_sweep, phase2):
    """The paper's pseudo-code: yields an arm, is sent the response; at its end None, the answer."""
    accepted = Counter[int]()
    clock = 0

    def recommend(arm):
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
    yield None
    yield left.pop()


def follow(n_arms, options, respond, n_steps=400):
    """Compare the arms of a run, and its answer; return whether it came to one in these steps."""
    agent = BAIR(**options)
    agent.reset(n_arms, np.random.default_rng(0))
    pseudo_code = algorithms_1_and_2(n_arms, **options)
    arm = next(pseudo_code)
    for step in range(n_steps):
        assert agent.act() == arm, f"step {step}"
        if arm is None:
            assert agent.answer() == next(pseudo_code)
            return True
        response = respond(arm)
        agent.observe(arm, response)
        arm = pseudo_code.send(response)
    return False


def test_runs_come_to_the_answer_of_the_pseudo_code():
    rng = np.random.default_rng(0)
    for chosen in itertools.product(*CHOICES.values()):
        options = dict(zip(CHOICES, chosen, strict=True)) | {"n1": 9, "m": 2}
        for chances in ((0.5, 0.4, 0.9, 0.5), tuple(rng.uniform(0.3, 0.9, 25))):
            respond = lambda arm, of=chances: bool(rng.random() < of[arm])  # noqa: E731
            assert follow(len(chances), options, respond, 4000)


@pytest.mark.slow
@settings(max_examples=120)
@given(st.integers(2, 12), st.fixed_dictionaries(OPTIONS), st.lists(st.booleans(), min_size=1))
def test_any_stream_of_responses_is_met_as_in_the_pseudo_code(n_arms, options, responses):
    stream = itertools.cycle(responses)
    follow(n_arms, options, lambda arm: next(stream))


def test_phases_1_and_2_by_hand():
    # Pass 1 accepts all of 0..3, pass 2 all but 1: seven acceptances, Phase 2 begins with 1.
    script = [True] * 4 + [True, False, True, True] + [False, True, False, False]
    agent = BAIR(n1=6)
    assert drive(agent, 4, lambda step, arm: script[step]) == [0, 1, 2, 3] * 2 + [1, 0, 2, 3]
    assert agent.answer() == 0


def test_n1_and_m_are_the_papers():
    rows = [
        ({}, 5, 100),
        ({"n1": "proof", "delta": 0.005}, 2, 400),
        ({"alpha": 0.8, "delta": 0.01}, 100, 20_000**1.25),
        ({"alpha": 2.0, "rho_0": 0.5, "n1": "proof", "delta": 0.2}, 11, 20),
        ({"n1": 7.5}, 5, 7.5),
    ]
    for options, n_arms, n1 in rows:
        assert BAIR(**options).params(n_arms, None).n1 == pytest.approx(n1, rel=1e-12)
    rows = [
        ({"m": "released"}, 5, 1),
        ({"noise": 0.02, "delta": 0.01}, 20, 16),  # 2 log 2000 = 15.2
        ({"noise": 0.1, "delta": 0.999}, 2, 2),  # 2 log 2.002 = 1.39
        ({"noise": 0.1, "m": "released"}, 5, 6),  # more than 1.125 log 100 = 5.18
        ({"noise": 0.3, "m": "released"}, 2, 5),  # more than 1.125 log 40 = 4.15
        ({"m": np.int64(3), "noise": 0.1}, 5, 3),
    ]
    for options, n_arms, m in rows:
        assert BAIR(**options).params(n_arms, None).m == m


def cut_off(script, n_arms, seed, n1):
    """The answer of a run cut off when the script is over."""
    agent = BAIR(n1=n1)
    arms = drive(agent, n_arms, lambda step, arm: script[step], len(script), seed)
    assert len(arms) == len(script)
    return agent.answer()


def test_a_cut_off_run_answers_a_random_one_of_the_most_accepted_arms_left():
    # Sweep: all accepted. Phase 2: 0 a, 1 a, 2 r, 3 a, 0 a, 1 a, 3 a, 0 r. Arms 0, 1 and 3 have
    # three acceptances each, and 0 is eliminated.
    script = [True] * 4 + [True, True, False, True, True, True, True, False]
    answers = Counter(cut_off(script, 4, seed, n1=3) for seed in range(1000))
    assert set(answers) == {1, 3}
    assert abs(answers[1] - 500) < 80  # five standard deviations
    # Dropped in a round of Phase 1, and accepted most.
    assert cut_off([False] * 3 + [True] * 5 + [False, True], 3, 0, n1=100) == 0


def test_elimination_is_bair_with_n1_zero():
    options = {"delta": 0.03, "m": 4, "rejections": "consecutive", "noise": 0.2}
    options |= {"first_sweep": "skipping", "phase2": "round robin"}
    agent = SuccessiveElimination(**options)
    assert agent.params(5, None) == BAIR(n1=0, **options).params(5, None)
    assert SuccessiveElimination().informed({"n1": "proof"}).params(5, None).n1 == 0.0
    # The stream, for ties, follows from the name.
    runs, same, other = (
        evaluate([each], n_instances=6, max_steps=1000, noise=0.1, compiled=False).runs
        for each in (SuccessiveElimination(), BAIR(n1=0, name="SE"), BAIR(name="SE"))
    )
    assert runs.equals(same)
    assert not runs.equals(other)
