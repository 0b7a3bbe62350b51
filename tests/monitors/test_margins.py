import math
from typing import NamedTuple

import numpy as np
import pytest
from traces import RESTLESS, environment, trace_of

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.agents.bair import ELIMINATION, ROUNDS, SWEEP
from explorative_user_env.evaluation.monitors import check_run, measured
from explorative_user_env.runs.loop import Episode
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance


class Replayed(NamedTuple):
    episode: Episode
    parts: list[int]
    states: list[HiddenState]  # before the run and after every step


def replayed(env, agent, seed):
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


def slow_band(run, delta):
    truth = run.states[0].instance.means
    return min(
        math.sqrt(2 / n * math.log(3 * n * (n + 1) / delta)) - abs(truth[arm] - estimate)
        for state in run.states
        for arm, (n, estimate) in enumerate(zip(state.counts, state.estimates, strict=True))
        if n > 0
    )


def slow_interval(run):
    truth, least = run.states[0].instance.means, math.inf
    for step, part in enumerate(run.parts):
        before, arm = run.states[step], run.episode.arms[step]
        if part == ELIMINATION and not run.episode.accepted[step]:
            rivals = sorted((b, j) for j, b in enumerate(before.lower_bounds) if j != arm)
            for i in (arm, rivals[-1][1]):
                above = before.upper_bounds[i] - truth[i]
                least = min(least, above, truth[i] - before.lower_bounds[i])
    return least


def slow_drop(run):
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


@pytest.mark.parametrize(
    ("given", "setting"),
    [({"n_arms": 3}, "printed"), (RESTLESS, "printed"), (RESTLESS, "released")],
)
def test_the_margins_are_those_of_the_hidden_state(given, setting):
    n_rounds_seen = n_eliminations = 0
    for seed in range(8):
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


def test_a_mean_outside_its_interval_at_an_elimination_is_seen():
    """Of the eliminated arm 1 and of the rival with the largest lower bound, if they have one."""
    three = Instance((1.0, 0.0, 2.0), 2)
    rows = [
        ([0.9, -0.7, 0.0], [4, 4, 0], 0.5 - 0.7),  # n = 4 and Gamma = 1: the half-width is 1/2
        ([1.0, 0.0, 1.8], [100, 100, 1], 0.1),  # lcb: 1.0 - 1/10 of arm 0, 1.8 - 1 of arm 2
        ([1.0, 0.0, 3.4], [100, 100, 1], 1 - 1.4),  # one reward is enough to stand against it
        ([1.3, 0.0, 9.9], [100, 100, 0], 0.1 - 0.3),  # and none is not
        ([0.0, 0.5, 0.0], [0, 25, 0], 0.2 - 0.5),  # nobody, so a coin flip: its own counts
        ([1.5, 0.0, 0.0], [4, 0, 0], 0.5 - 0.5),  # it has no interval itself
        ([0.0, 0.0, 0.0], [0, 0, 0], math.inf),
    ]
    for estimates, counts, margin in rows:
        start = {"instance": three, "estimates": estimates, "counts": counts}
        step = (1, False, estimates[1], counts[1])
        found = measured(trace_of([(ELIMINATION, *step)], **start), 0.1)
        assert found["interval_margin"] == pytest.approx(margin)
        swept = measured(trace_of([(SWEEP, *step)], **start), 0.1)
        assert swept["interval_margin"] == math.inf
