"""What each agent says of itself, held against its own choices."""

import copy
import math

import numpy as np
import pytest

from explorative_user_env import agents
from explorative_user_env.agents import BAIR, agent_named
from explorative_user_env.protocol import Against
from explorative_user_env.show.words import explanation_of

K = 4


def meet(agent, steps):
    """Let an agent meet a user who likes arms of high numbers; yield what it recommends."""
    user = np.random.default_rng(3)
    agent.reset(K, np.random.default_rng(4), 400 if agent.needs_horizon else None)
    for _ in range(steps):
        arm = agent.act()
        yield arm
        if arm is None:
            return
        agent.observe(arm, bool(user.random() < (arm + 1) / (K + 1)))


@pytest.mark.parametrize("name", [*agents.ALGORITHMS, "SE"])
def test_each_agent_says_something_of_itself_at_every_moment(name):
    agent = agent_named(name)
    for _ in meet(agent, 120):
        before = copy.deepcopy(agent._state)
        assert explanation_of(agent, K)
        assert agent._state == before
    assert any(len(each) == K for each in explanation_of(agent, K).values() if type(each) is tuple)


def test_bair_names_its_phase_what_it_counts_to_and_who_is_left():
    agent, phases = BAIR(n1=30, m=2), []
    for _ in meet(agent, 300):
        told, state = agent.explain(), agent._state
        assert (told["F"], told["n_i"]) == (state.candidate, state.accepted)
        assert told["rejections of m"].target == [2] * K
        phases.append(told["phase"])
        if phases[-1] != "Phase 2, elimination":
            assert told["acceptances of N_1"] == Against(sum(state.accepted), 30)
    order = ["Phase 1, first sweep", "Phase 1, rounds", "Phase 2, elimination"]
    assert list(dict.fromkeys(phases)) == order
    assert told["F"] == [arm == agent.answer() for arm in range(K)]


@pytest.mark.parametrize(("delta", "steps", "least"), [(0.2, 4000, 1), (1e-9, 300, 51)])
def test_track_and_stop_stops_and_tracks_by_what_it_names(delta, steps, least):
    agent, below, tracked = agents.TrackAndStop(delta=delta), 0, 0
    for arm in meet(agent, steps):
        told = agent.explain()
        if "Z of beta" not in told:
            continue
        (z, beta), (counts, targets) = told["Z of beta"], told["N_a of t w*_a"]
        assert beta == math.log((1 + math.log(sum(counts))) / delta)
        assert (z > beta) == (arm is None)
        below += z <= beta
        assert sum(targets) == pytest.approx(sum(counts))
        if arm is not None and min(counts) > math.sqrt(sum(counts)) - K / 2:
            behind = [target - count for count, target in zip(counts, targets, strict=True)]
            assert behind[arm] == pytest.approx(max(behind), abs=1e-6)
            tracked += 1
    assert (arm is None) == (delta == 0.2)
    assert below > 5
    assert tracked >= least


def test_baselines_choose_by_what_they_name():
    uniform = agents.Uniform(horizon=10)
    for arm in meet(uniform, 20):
        assert arm is None or uniform.explain()["turn"] == f"arm {arm}"
    assert uniform.explain()["t of T"] == Against(10, 10)
    exp3 = agents.EXP3(horizon=400)
    for arm in meet(exp3, 60):
        chances = exp3.explain()["chance"]
        assert sum(chances) == pytest.approx(1.0)
        assert chances[arm] == exp3._state.chance[0]
    ucb1 = agents.UCB1(horizon=400)
    for t, arm in enumerate(meet(ucb1, 60)):
        bounds = ucb1.explain().get("upper bound", [])
        assert len(bounds) == (K if t >= K else 0)
        assert t < K or bounds[arm] == max(bounds)
    assert ucb1.explain()["upper bound"] != ucb1._state.bounds  # those of the next step
    thompson = agents.Thompson(horizon=400, prior=(2.0, 1.0))
    for arm in meet(thompson, 30):
        told = thompson.explain()
        assert told["latest draw"].index(max(told["latest draw"])) == arm
    means, n = thompson.explain()["posterior mean"], thompson._state
    assert means == [(2 + a) / (3 + a + r) for a, r in zip(n.accepted, n.rejected, strict=True)]
    reference = agents.FullInformation(horizon=50)
    list(meet(reference, 3))
    reference.learn(2, 3.0)
    assert reference.explain()["posterior mean"][2] == pytest.approx(1.5)
