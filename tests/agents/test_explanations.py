"""What each agent says of itself, held against its own choices."""

import copy
import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorative_user_env.agents import (
    BAIR,
    EXP3,
    UCB1,
    AlgorithmAgent,
    FullInformation,
    Phase1,
    SuccessiveElimination,
    Thompson,
    TrackAndStop,
    Uniform,
    after_phase1,
    agent_named,
)
from explorative_user_env.agents.track_and_stop import THRESHOLDS
from explorative_user_env.agents.uniform import ALGORITHM
from explorative_user_env.kernels import loops as kernels
from explorative_user_env.protocol import Against
from explorative_user_env.results.records import record_of
from explorative_user_env.show.words import explanation_of
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import ACCEPTANCE_RATE

K = 4


def meet(agent: Any, steps: int, seed: int = 3) -> Iterator[int | None]:
    """Let an agent meet somebody who likes arms of high numbers; yield what it recommends."""
    user = np.random.default_rng(seed)
    agent.reset(K, np.random.default_rng(seed + 1), 400 if agent.needs_horizon else None)
    for _ in range(steps):
        arm = agent.act()
        yield arm
        if arm is None:
            return
        agent.observe(arm, bool(user.random() < (arm + 1) / (K + 1)))


@pytest.mark.parametrize(
    "name", ["bair", "se", "tas", "uni", "exp3", "ucb1", "thompson", "full-information"]
)
def test_each_agent_says_something_of_itself_at_every_moment(name: str) -> None:
    agent = agent_named(name)
    for _ in meet(agent, 120):
        assert explanation_of(agent, K)
    assert any(len(each) == K for each in explanation_of(agent, K).values() if type(each) is tuple)


def test_bair_names_its_phase_what_it_counts_to_and_who_is_left() -> None:
    agent, told = BAIR(n1=30, m=2), []
    for _ in meet(agent, 300):
        told.append(agent.explain())
        state = agent._state
        assert told[-1]["F"] == state.candidate
        assert told[-1]["n_i"] == state.accepted
        assert told[-1]["acceptances of N_1"] == Against(sum(state.accepted), 30) or (
            told[-1]["phase"] == "Phase 2, elimination"
        )
        assert told[-1]["rejections of m"].target == [2] * K
    phases = list(dict.fromkeys(each["phase"] for each in told))
    assert phases == ["Phase 1, first sweep", "Phase 1, rounds", "Phase 2, elimination"]
    assert sum(told[-1]["F"]) == 1
    assert told[-1]["F"].index(1) == agent.answer()


def test_elimination_alone_counts_to_nothing() -> None:
    agent = SuccessiveElimination()
    list(meet(agent, 5))
    assert set(agent.explain()) == {"phase", "F", "n_i"}


def test_exp3_draws_by_the_chances_that_it_names() -> None:
    agent = EXP3(horizon=400)
    for arm in meet(agent, 60):
        assert arm is not None
        chances = agent.explain()["chance"]
        assert sum(chances) == pytest.approx(1.0)
        assert chances[arm] == agent._state.chance[0]


def test_track_and_stop_names_the_statistic_and_the_threshold_that_it_stops_by() -> None:
    agent, below = TrackAndStop(delta=0.2), 0
    stopped = False
    for arm in meet(agent, 4000):
        told = agent.explain()
        if "Z of beta" in told:
            z, beta = told["Z of beta"]
            t = sum(agent._state.recommended)
            assert beta == math.log((1 + math.log(t)) / 0.2)
            assert (z > beta) == (arm is None)
            below += z <= beta
        stopped = arm is None
    assert stopped
    assert below > 5


def test_track_and_stop_tracks_the_weights_that_it_names() -> None:
    agent = TrackAndStop(delta=1e-9)
    tracked = 0
    for arm in meet(agent, 300):
        told = agent.explain()
        if arm is None or not isinstance(told["N_a of t w*_a"], Against):
            continue
        counts, targets = told["N_a of t w*_a"]
        assert sum(targets) == pytest.approx(sum(counts))
        if min(counts) > math.sqrt(sum(counts)) - K / 2:
            behind = [target - count for count, target in zip(counts, targets, strict=True)]
            assert behind[arm] == pytest.approx(max(behind), abs=1e-6)
            tracked += 1
    assert tracked > 50


def test_track_and_stop_says_why_it_makes_no_test() -> None:
    agent = TrackAndStop()
    agent.reset(K, np.random.default_rng(0))
    assert agent.explain()["leader"] == "every arm once, at first"
    for arm in range(K):
        agent.observe(arm, arm < 3)
    assert agent.explain()["leader"] == "3 arms tie: no test"


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_asking_track_and_stop_leaves_its_solver_as_it_is(threshold: str) -> None:
    agent = TrackAndStop(threshold=threshold)
    for _ in meet(agent, 100):
        before = copy.deepcopy(agent._state)
        agent.explain()
        assert agent._state == before


def test_ucb1_recommends_the_largest_of_the_bounds_that_it_names() -> None:
    agent = UCB1(horizon=400)
    for t, arm in enumerate(meet(agent, 60)):
        assert arm is not None
        if t >= K:
            bounds = agent.explain()["upper bound"]
            assert bounds[arm] == max(bounds)
        else:
            assert "upper bound" not in agent.explain()
    stale = list(agent._state.bounds)
    assert agent.explain()["upper bound"] != stale
    assert agent._state.bounds == stale


def test_thompson_names_its_posterior_and_the_draws_that_decided() -> None:
    agent = Thompson(horizon=400, prior=(2.0, 1.0))
    for arm in meet(agent, 30):
        told = agent.explain()
        assert told["latest draw"].index(max(told["latest draw"])) == arm
    means, n = agent.explain()["posterior mean"], agent._state
    assert means == [(2 + a) / (3 + a + r) for a, r in zip(n.accepted, n.rejected, strict=True)]


def test_uniform_exploration_names_whose_turn_it_is() -> None:
    agent = Uniform(horizon=10)
    for arm in meet(agent, 20):
        if arm is not None:
            assert agent.explain()["turn"] == f"arm {arm}"
    assert agent.explain()["t of T"] == Against(10, 10)
    random = Uniform(horizon=10, order="random")
    list(meet(random, 3))
    assert "turn" not in random.explain()


def test_the_reference_that_sees_rewards_names_what_it_makes_of_them() -> None:
    agent = FullInformation(horizon=50)
    list(meet(agent, 3))
    agent.learn(2, 3.0)
    assert agent.explain()["posterior mean"][2] == pytest.approx(1.5)


def test_an_agent_after_phase_1_says_what_it_is_in() -> None:
    agent = after_phase1(EXP3(horizon=60), n1=10)
    named = [set(agent.explain()) for _ in meet(agent, 60)]
    assert {"phase", "F"} <= named[0]
    assert {"chance", "t of T"} <= named[-1]
    alone = Phase1(n1=10)
    list(meet(alone, 4))
    assert alone.explain()["phase"] == "Phase 1, first sweep"


def test_an_algorithm_without_words_for_itself_says_nothing() -> None:
    silent = AlgorithmAgent(dataclasses.replace(ALGORITHM, explain=None), {"horizon": 5})
    silent.reset(K, np.random.default_rng(0))
    assert silent.explain() == {}


def aloud(params: Any, state: Any) -> dict[str, Any]:
    return {"t": state.steps[0]}


def test_what_an_algorithm_says_of_itself_is_no_part_of_its_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loud = dataclasses.replace(ALGORITHM, explain=aloud)
    assert loud == ALGORITHM
    assert hash(loud) == hash(ALGORITHM)
    assert record_of(loud) == record_of(ALGORITHM)
    assert "explain" not in record_of(loud)
    compiled = []
    monkeypatch.setattr(kernels, "compile_loop", lambda *given: compiled.append(given))
    renamed = dataclasses.replace(loud, name="loud")  # whose loop nobody else asks for
    kernels.compiled_loop(renamed, ACCEPTANCE_RATE.rule, EXPLORATIVE)
    assert [checked for _, checked in compiled] == [False]  # it is not code that was handed in
