import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from traces import RESTLESS, environment, trace_of

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, AlgorithmAgent
from explorative_user_env.agents.bair import ELIMINATION, ROUNDS, SWEEP
from explorative_user_env.evaluation.monitors import band_margin, check_run, measured
from explorative_user_env.runs.loop import Episode
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import Setting


class Replayed(NamedTuple):
    """A run with the hidden state before it and after every step."""

    episode: Episode
    parts: list[int]
    states: list[HiddenState]


def replayed(env: eu.ExplorativeUserEnv, agent: AlgorithmAgent, seed: int) -> Replayed:
    episode = eu.rollout(env, agent, seed=seed, max_steps=3000)
    agent.reset(3, np.random.default_rng(0))
    env.reset(seed=seed)
    states, parts = [env.hidden_state()], []
    for arm, accepted in zip(episode.arms, episode.accepted, strict=True):
        parts.append(agent._state.part[0])
        agent.observe(arm, accepted)
        env.step(arm)
        states.append(env.hidden_state())
    return Replayed(episode, parts, states)


def slow_band(run: Replayed, delta: float) -> float:
    truth = run.states[0].instance.means
    return min(
        math.sqrt(2 / n * math.log(3 * n * (n + 1) / delta)) - abs(truth[arm] - estimate)
        for state in run.states
        for arm, (n, estimate) in enumerate(zip(state.counts, state.estimates, strict=True))
        if n > 0
    )


def slow_interval(run: Replayed) -> float:
    truth, least = run.states[0].instance.means, math.inf
    for step, part in enumerate(run.parts):
        before, arm = run.states[step], run.episode.arms[step]
        if part == ELIMINATION and not run.episode.accepted[step]:
            rivals = sorted((b, j) for j, b in enumerate(before.lower_bounds) if j != arm)
            for i in (arm, rivals[-1][1]):
                above = before.upper_bounds[i] - truth[i]
                least = min(least, above, truth[i] - before.lower_bounds[i])
    return least


def slow_drop(run: Replayed) -> tuple[float, int]:
    """The drop margin, and the number of complete rounds."""
    if ROUNDS not in run.parts:
        return math.inf, 0
    least, tops, n_rejected = math.inf, [run.parts.index(ROUNDS)], 0
    for step, part in enumerate(run.parts):
        if part == ROUNDS and not run.episode.accepted[step]:
            n_rejected += 1
            if n_rejected % 3 == 0:
                start, after = run.states[tops[-1]], run.states[step + 1]
                gamma = min(state.gamma for state in run.states[tops[-1] : step + 2])
                fall = max(start.estimates) - max(after.estimates)
                least = min(least, fall - 2 * math.sqrt(gamma / after.acceptances))
                tops.append(step + 1)
    return least, len(tops) - 1


@pytest.mark.parametrize("given", [{"n_arms": 3}, RESTLESS], ids=["usual", "restless"])
def test_the_margins_are_those_of_the_hidden_state(given: dict[str, Any], setting: Setting) -> None:
    """A slow monitor by the definitions, from `hidden_state()` at every step of a replay."""
    n_rounds_seen = n_eliminations = 0
    for seed in range(12):
        env, agent = environment(**given, setting=setting), BAIR(delta=0.2, n1=60.0)
        check = check_run(env, agent, seed, max_steps=3000)
        run = replayed(env, agent, seed)
        drop, n_complete = slow_drop(run)
        assert check.band_margin == pytest.approx(slow_band(run, 0.2), abs=1e-12)
        assert check.interval_margin == pytest.approx(slow_interval(run), abs=1e-12)
        assert check.drop_margin == pytest.approx(drop, abs=1e-12)
        assert check.rounds == n_complete
        assert check.phase2_length == run.parts.count(ELIMINATION)
        n_phase1 = len(run.parts) - check.phase2_length
        assert check.phase1_acceptances == sum(run.episode.accepted[:n_phase1])
        n_rounds_seen += check.rounds
        n_eliminations += check.interval_margin < math.inf
    assert (n_rounds_seen > 0) == (given is RESTLESS)
    assert n_eliminations > 0


def test_a_mean_outside_its_band_is_seen() -> None:
    # sqrt(2 ln 40) = 2.7162; hat mu = 5 is 4 away from mu = 1
    trace = trace_of([(SWEEP, 1, True, 0.0, 1), (SWEEP, 0, True, 5.0, 1)])
    assert band_margin(trace, 0.1) == pytest.approx(math.sqrt(2 * math.log(40)) - 4)
    private = trace_of([], estimates=[1.0, -5.0], counts=[0, 2])  # arm 0 has no reward yet
    assert band_margin(private, 0.1) == pytest.approx(math.sqrt(math.log(120)) - 5)
    assert band_margin(trace_of([]), 0.1) == math.inf


def test_a_mean_outside_its_interval_at_an_elimination_is_seen() -> None:
    # n = 4 and Gamma = 1: the half-width is 1/2.
    start: dict[str, Any] = {"estimates": [0.9, -0.7], "counts": [4, 4]}
    rejected = (ELIMINATION, 1, False, -0.7, 4)
    found = measured(trace_of([rejected], **start), 0.1)
    assert found["interval_margin"] == pytest.approx(0.5 - 0.7)
    start["estimates"] = [1.8, 0.1]
    found = measured(trace_of([rejected], **start), 0.1)
    assert found["interval_margin"] == pytest.approx(0.5 - 0.8)
    assert measured(trace_of([(SWEEP, *rejected[1:])], **start), 0.1)["interval_margin"] == math.inf


def test_the_arm_that_an_eliminated_one_lost_to_has_the_largest_lower_bound() -> None:
    three = Instance((1.0, 0.0, 2.0), 2)
    # lcb: 1.0 - 1/10 = 0.9 of arm 0, 1.8 - 1 = 0.8 of arm 2
    start = {"instance": three, "estimates": [1.0, 0.0, 1.8], "counts": [100, 100, 1]}
    trace = trace_of([(ELIMINATION, 1, False, 0.0, 100)], **start)
    assert measured(trace, 0.1)["interval_margin"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("estimates", "counts", "margin"),
    [
        ([1.0, 0.0, 3.4], [100, 100, 1], 1 - 1.4),  # one reward is enough to stand against it
        ([1.3, 0.0, 9.9], [100, 100, 0], 0.1 - 0.3),  # and none is not
        ([0.0, 0.5, 0.0], [0, 25, 0], 0.2 - 0.5),  # nobody, so a coin flip: its own interval counts
        ([1.5, 0.0, 0.0], [4, 0, 0], 0.5 - 0.5),  # it has no interval itself
        ([0.0, 0.0, 0.0], [0, 0, 0], math.inf),
    ],
)
def test_arms_without_a_reward_have_no_interval(
    estimates: list[float], counts: list[int], margin: float
) -> None:
    three = Instance((1.0, 0.0, 2.0), 2)
    start = {"instance": three, "estimates": estimates, "counts": counts}
    trace = trace_of([(ELIMINATION, 1, False, 0.0, counts[1])], **start)
    assert measured(trace, 0.1)["interval_margin"] == pytest.approx(margin)


def test_a_round_that_does_not_lower_the_largest_mean_is_seen() -> None:
    start: dict[str, Any] = {"estimates": [1.0, 0.8], "counts": [1, 1]}
    steps = [
        (SWEEP, 0, True, 3.0, 2),
        (SWEEP, 0, False, 3.0, 2),
        (SWEEP, 1, False, 0.8, 1),
        (ROUNDS, 0, True, 0.5, 3),
        (ROUNDS, 0, False, 0.5, 3),
        (ROUNDS, 1, True, 0.6, 2),
        (ROUNDS, 1, True, 0.7, 3),
        (ROUNDS, 1, False, 0.7, 3),
        (ROUNDS, 0, False, 0.5, 3),
    ]
    # From 3.0 to 0.7 with n(t_e) = 4 and Gamma = 1: 2.3 - 2/2. The second round is cut short.
    trace = trace_of(steps, **start)
    assert measured(trace, 0.1)["drop_margin"] == pytest.approx(1.3)
    assert measured(trace, 0.1)["rounds"] == 1
    phases = ("phase1_acceptances", "phase1_rejections", "phase2_length")
    assert [measured(trace, 0.1)[name] for name in phases] == [4, 5, 0]
    trace.gammas[5] = 4.0  # not the least of the round
    assert measured(trace, 0.1)["drop_margin"] == pytest.approx(1.3)
    for step in (3, 8):  # its start and its end count
        trace.gammas[step] = 0.25
        assert measured(trace, 0.1)["drop_margin"] == pytest.approx(1.8)
        trace.gammas[step] = 1.0
    # The second round, complete: the largest mean stays at 0.7.
    trace = trace_of([*steps, (ROUNDS, 1, False, 0.7, 3)], **start)
    assert measured(trace, 0.1)["drop_margin"] == pytest.approx(-1.0)
    assert measured(trace, 0.1)["rounds"] == 2
