import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.agents import BAIR

Drive = Callable[..., list[int]]


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
