"""The monitors of the paper's bounds, on runs made by hand and beside slow looks at the truth."""

import math
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.agents import BAIR, AlgorithmAgent, TrackAndStop, uniform
from explorative_user_env.agents.bair import ELIMINATION, ROUNDS, SWEEP
from explorative_user_env.evaluation.monitors import (
    CLAIMS,
    Trace,
    broken_table,
    check_run,
    examine,
    is_bair,
    measured,
)
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.runs.loop import Episode
from explorative_user_env.users.instances import Instance

RESTLESS = {"n_arms": 3, "gap": 0.1, "alpha": 1e-3}
"""Users who are so hard to please that Phase 1 has complete rounds, which are rare otherwise."""


def environment(**arguments):
    return eu.ExplorativeUserEnv(**arguments, reward="none")


def trace_of(steps, **start):
    """A hand-made run: (part, arm, accepted, hat mu after, n_i after) of every step; Gamma is 1."""
    return Trace(**start, gammas=[1.0] * (len(steps) + 1), steps=steps)


def broken(check):
    return {claim.name for claim in CLAIMS if getattr(check, f"{claim.name}_broken")}


def met(n_runs, **figures):
    """Checks of runs in which everything happened and nothing was broken."""
    happened = {claim.name.removesuffix("_printed"): 1 for claim in CLAIMS}
    margins = {f"{name}_margin": 0.5 for name in ("band", "interval", "drop")}
    flags = {f"{claim.name}_broken": [False] * n_runs for claim in CLAIMS}
    known = {"agent": "BAIR", "delta": 0.1, "error_bound": 0.08, "censored": False}
    return pd.DataFrame(flags | happened | margins | known | figures)


def test_the_table_counts_what_was_broken():
    frame = met(40)
    for claim, times in (("answer", 10), ("band", 4), ("drop", 1)):
        frame.loc[: times - 1, f"{claim}_broken"] = True
    table = broken_table(frame).set_index("claim")
    assert list(table.index) == [claim.name for claim in CLAIMS]
    assert tuple(table.loc["answer", ["low", "high"]]) == proportion_interval(10, 40)
    found = {"answer": 10, "band": 4, "drop": 1}
    assert dict(table["broken"]) == dict.fromkeys(table.index, 0) | found
    assert table.loc["answer", "share"] == 0.25
    # The low ends are 0.127 and 0.028; what is sure may not break once.
    assert set(table.index[~table["holds"]]) == {"answer", "drop"}
    assert (table.loc["recommendations", "allowed"], table.loc["drop", "allowed"]) == (0.2, 0.0)
    assert broken_table(frame, delta=0.2).set_index("claim").loc["answer", "holds"]


def test_a_claim_that_nothing_put_to_the_test_does_not_hold():
    frame = met(4, rounds=[0, 0, 0, 2], drop_margin=math.inf, censored=[True, False, True, True])
    table = broken_table(frame).set_index("claim")
    tested = {"rounds": 1, "drop": 0, "answer": 1}
    assert dict(table["put_to_test"]) == dict.fromkeys(table.index, 4) | tested
    assert set(table.index[~table["holds"]]) == {"drop"}


def test_a_smaller_n1_may_be_wrong_as_often_as_its_own_bound_says():
    eager = broken_table(met(3, error_bound=0.3)).set_index("claim")["allowed"]
    claims = ["answer", "interval", "phase2_length", "recommendations", "band", "rounds", "drop"]
    assert eager[claims].tolist() == pytest.approx([0.3, 0.3, 0.4, 0.4, 0.1, 0.1, 0.0])
    empty = broken_table(met(3, error_bound=1.0)).set_index("claim").loc["answer"]
    assert (empty["put_to_test"], empty["holds"]) == (0, False)  # it may break in every run
    check = check_run(environment(n_arms=3), BAIR(n1=20, delta=0.1), seed=0)
    assert check.error_bound == pytest.approx(0.2)  # 2(K-1)/N_1
    both = broken_table(pd.concat([met(2), met(2, agent="eager", error_bound=0.8, delta=0.3)]))
    assert list(both["agent"]) == ["BAIR"] * len(CLAIMS) + ["eager"] * len(CLAIMS)
    assert set(both["n_runs"]) == {2}
    assert both.iloc[-1]["allowed"] == 1.0  # 0.3 and 0.8


def test_a_forced_run_breaks_what_it_should_and_nothing_else():
    wide = Instance((1000.0, 0.0), 0)  # so that one acceptance of each is enough

    def told(*steps, estimate=1000.0, answer=0, censored=False):
        start = {"instance": wide, "estimates": [estimate, 0.0], "counts": [9, 9]}
        _, arms, accepted, *_ = zip(*steps, strict=True)
        episode = Episode("BAIR", 7, arms, accepted, (0.0,) * len(arms), answer, censored)
        return examine(trace_of(steps, **start), episode, 0.1, 1.0, (1.0, 1.0, 2.0), "round robin")

    good = (ELIMINATION, 1, False, 0.0, 9)
    assert broken(told(good)) == set()
    assert broken(told(good, answer=1)) == {"answer"}
    assert broken(told(good, answer=1, censored=True)) == set()
    assert broken(told(good, estimate=1010.0)) == {"band", "interval"}

    accepted = (ELIMINATION, 0, True, 1000.0, 10)
    slow = told(*[accepted] * 4)
    assert (slow.phase2_length, slow.phase2_length_bound) == (4, 1 + 1 + 1 + 1)
    printed = "phase2_length_printed"  # 1 + 1 + 1
    assert broken(told(*[accepted] * 3)) == set()
    assert broken(slow) == {printed}
    assert broken(told(*[accepted] * 5)) == {"phase2_length", printed}
    assert broken(told(*[accepted] * 50)) == {"phase2_length", printed, "recommendations"}

    # N_1 = 1: 1 early round and sqrt(2 ln 40) = 2.7 more; K + K (1 + 2) + K - 1 = 9 rejections.
    swept = [(SWEEP, 1, False, 0.0, 9)] * 10
    assert broken(told(*swept[:9])) == set()
    assert broken(told(*swept)) == {"phase1_rejections"}
    rounds = [(ROUNDS, arm, False, 1000.0 * (1 - arm), 9) for arm in (0, 1)]
    check = told(*rounds * 3)
    assert (check.rounds, check.rounds_bound) == (3, pytest.approx(1 + math.sqrt(2 * math.log(40))))
    assert "rounds" not in broken(check)
    assert "rounds" in broken(told(*rounds * 4))


def test_phase_2_can_wait_for_the_best_arm_as_long_as_phase_1_took():
    """This user accepts the other arm all through Phase 1: the lemma's length does not hold."""
    check = check_run(environment(n_arms=2, gap=1.0), BAIR(delta=0.001), seed=1363226325308006140)
    assert check.phase2_length_printed_bound < 2200 < 3900 < check.phase2_length
    assert broken(check) == {"phase2_length_printed"}


def test_the_bounds_are_those_of_the_user_s_and_the_agent_s_numbers():
    # rho_t is in [1, 2], and alpha so large that the bounds feel which end is which.
    instance = Instance((0.0, 1.0, 0.5), 1)
    env = environment(n_arms=3, alpha=4.0, means=instance.means)
    check = check_run(env, BAIR(delta=0.2, n1=30.0, name="mine"), seed=0, max_steps=20)
    assert (check.agent, check.n_arms, check.delta, check.best_arm) == ("mine", 3, 0.2, 1)
    early = theory.early_rounds_bound(alpha=4.0, rho_0=1.0)
    rounds = early + theory.phase1_rounds_bound(30.0, 3, 0.2)
    assert check.rounds_bound == pytest.approx(rounds)
    rejections = theory.phase1_rejections_bound(30.0, 3, 0.2, alpha=4.0, rho_0=1.0)
    assert check.phase1_rejections_bound == rejections
    length = theory.phase2_length_bound(instance, 30.0, 0.2, alpha=4.0, rho_1=2.0)
    assert check.phase2_length_bound == length
    printed = theory.printed_phase2_length_bound(instance, 0.2, alpha=4.0, rho_0=1.0, rho_1=2.0)
    assert check.phase2_length_printed_bound == printed
    assert check.recommendations_bound == 32 + rejections + length
    turned = check_run(env, BAIR(n1=30.0, phase2="round robin"), seed=0, max_steps=20)
    bound = theory.phase2_length_bound(instance, 30.0, 0.1, 4.0, 2.0, "round robin")
    assert turned.phase2_length_bound == bound


def test_a_watched_run_is_the_run_that_nobody_watches(setting):
    env, agent = environment(n_arms=4, setting=setting), BAIR(delta=0.1)
    for seed in range(4):
        check = check_run(env, agent, seed)
        after = env.hidden_state()
        episode = eu.rollout(env, agent, seed=seed)
        assert env.hidden_state() == after
        assert check.recommendations == episode.stopping_time
        assert (check.agent, check.user_seed, check.answer) == ("BAIR", seed, episode.answer)
        assert check.phase1_rejections + 3 == episode.rejections
    check = check_run(env, BAIR(), seed=1, max_steps=40)
    assert (check.censored, check.recommendations, check.phase2_length) == (True, 40, 0)
    assert check_run(env, BAIR(max_steps=7), seed=1).recommendations == 7


def test_what_no_claim_is_about_is_refused():
    env = environment()
    assert is_bair(BAIR(name="mine"))
    named = AlgorithmAgent(replace(uniform.ALGORITHM, name="BAIR"), {})
    omniscient = environment(behaviour="omniscient")
    rows = [
        (lambda: check_run(env, TrackAndStop(), seed=0), "agent must be a BAIR"),
        (lambda: check_run(env, named, seed=0), "agent must be a BAIR"),
        (lambda: check_run(gym.make("CartPole-v1"), BAIR(), seed=0), "env must be"),
        (lambda: check_run(omniscient, BAIR(), seed=0), "env must be"),
        (lambda: broken_table(pd.DataFrame({"agent": ["BAIR"]})), "checks must be"),
        (lambda: broken_table(pd.DataFrame(), delta=1.0), "delta must be"),
    ]
    for ask, words in rows:
        with pytest.raises(eu.InvalidArgumentError, match=f"^{words}"):
            ask()


def replayed(env, agent, seed):
    episode = eu.rollout(env, agent, seed=seed, max_steps=3000)
    agent.reset(3, np.random.default_rng(0))
    env.reset(seed=seed)
    states, parts = [env.hidden_state()], []  # before the run and after every step
    for arm, accepted in zip(episode.arms, episode.accepted, strict=True):
        parts.append(agent._state.part[0])
        agent.observe(arm, accepted)
        env.step(arm)
        states.append(env.hidden_state())
    return episode, parts, states


def slow_band(states):
    truth = states[0].instance.means
    return min(
        math.sqrt(2 / n * math.log(3 * n * (n + 1) / 0.2)) - abs(truth[arm] - estimate)
        for state in states
        for arm, (n, estimate) in enumerate(zip(state.counts, state.estimates, strict=True))
        if n > 0
    )


def slow_interval(episode, parts, states):
    truth, least = states[0].instance.means, math.inf
    for arm, accepted, part, before in zip(
        episode.arms, episode.accepted, parts, states[:-1], strict=True
    ):
        if part == ELIMINATION and not accepted:
            rivals = [other for other in range(3) if other != arm]
            for i in (arm, max(rivals, key=before.lower_bounds.__getitem__)):
                least = min(least, before.upper_bounds[i] - truth[i])
                least = min(least, truth[i] - before.lower_bounds[i])
    return least


def slow_drop(episode, parts, states):
    """The drop margin, and the number of complete rounds."""
    if ROUNDS not in parts:
        return math.inf, 0
    least, tops, n_rejected = math.inf, [parts.index(ROUNDS)], 0
    for step, part in enumerate(parts):
        if part == ROUNDS and not episode.accepted[step]:
            n_rejected += 1
            if n_rejected % 3 == 0:
                start, after = states[tops[-1]], states[step + 1]
                gamma = min(state.gamma for state in states[tops[-1] : step + 2])
                fall = max(start.estimates) - max(after.estimates)
                least = min(least, fall - 2 * math.sqrt(gamma / after.acceptances))
                tops.append(step + 1)
    return least, len(tops) - 1


@pytest.mark.parametrize(
    ("given", "setting"),
    [({"n_arms": 3}, "printed"), (RESTLESS, "printed"), (RESTLESS, "released")],
)
def test_the_margins_are_those_of_the_hidden_state(given, setting):
    rounds_seen = eliminations = 0
    for seed in range(8):
        env, agent = environment(**given, setting=setting), BAIR(delta=0.2, n1=60.0)
        check = check_run(env, agent, seed, max_steps=3000)
        episode, parts, states = run = replayed(env, agent, seed)
        drop, n_complete = slow_drop(*run)
        assert check.band_margin == pytest.approx(slow_band(states), abs=1e-12)
        assert check.interval_margin == pytest.approx(slow_interval(*run), abs=1e-12)
        assert check.drop_margin == pytest.approx(drop, abs=1e-12)
        assert (check.rounds, check.drop_broken) == (n_complete, False)
        assert check.phase2_length == parts.count(ELIMINATION)
        n_phase1 = len(parts) - check.phase2_length
        assert check.phase1_acceptances == sum(episode.accepted[:n_phase1])
        rounds_seen += check.rounds
        eliminations += check.interval_margin < math.inf
    assert (rounds_seen > 0) == (given is RESTLESS)
    assert eliminations > 0


def test_a_mean_outside_its_interval_at_an_elimination_is_seen():
    """Of the eliminated arm 1 and of the rival with the largest lower bound, if they have one."""
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
        start = {"instance": Instance((1.0, 0.0, 2.0), 2), "estimates": estimates, "counts": counts}
        for part, wanted in ((ELIMINATION, margin), (SWEEP, math.inf)):
            trace = trace_of([(part, 1, False, estimates[1], counts[1])], **start)
            assert measured(trace, 0.1)["interval_margin"] == pytest.approx(wanted)
