import math
from dataclasses import replace

import gymnasium as gym
import pandas as pd
import pytest
from traces import RESTLESS, broken, environment, trace_of

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.agents import BAIR, AlgorithmAgent, TrackAndStop, uniform
from explorative_user_env.agents.bair import ELIMINATION, ROUNDS, SWEEP
from explorative_user_env.evaluation.monitors import broken_table, check_run, examine, is_bair
from explorative_user_env.runs.loop import Episode
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import PRINTED


def judged(trace, n1, answer=0, censored=False):
    rewards = (0.0,) * len(trace.steps)
    arms, accepted = tuple(step[1] for step in trace.steps), tuple(step[2] for step in trace.steps)
    episode = Episode("BAIR", 7, arms, accepted, rewards, answer, censored)
    return examine(trace, episode, 0.1, n1, (1.0, 1.0, 2.0), "round robin")


def test_a_forced_run_breaks_what_it_should_and_nothing_else():
    wide = Instance((1000.0, 0.0), 0)  # so that one acceptance of each is enough
    start = {"instance": wide, "estimates": [1000.0, 0.0], "counts": [9, 9]}

    def told(*steps, **given):
        return judged(trace_of([*steps], **start), 1.0, **given)

    good = (ELIMINATION, 1, False, 0.0, 9)
    assert broken(told(good)) == set()
    assert broken(told(good, answer=1)) == {"answer"}
    assert broken(told(good, answer=1, censored=True)) == set()
    off = start | {"estimates": [1010.0, 0.0]}
    assert broken(judged(trace_of([good], **off), 1.0)) == {"band", "interval"}

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
    assert check.rounds == 3
    assert check.rounds_bound == pytest.approx(1 + math.sqrt(2 * math.log(40)))
    assert "rounds" not in broken(check)
    assert "rounds" in broken(told(*rounds * 4))


def test_every_complete_round_lowers_the_largest_mean_as_it_surely_must():
    n_rounds_seen = 0
    for kind in (
        RESTLESS,
        RESTLESS | {"setting": replace(PRINTED, private_draws=1)},
        RESTLESS | {"alpha": 0.3, "rho": 0.05, "n_arms": 5},
    ):
        env = environment(**kind)
        for seed in range(20):
            check = check_run(env, BAIR(n1=200.0), seed, max_steps=2000)
            n_rounds_seen += check.rounds
            assert not check.drop_broken
    assert n_rounds_seen > 20


def test_phase_2_can_wait_for_the_best_arm_as_long_as_phase_1_took():
    """This user accepts the other arm all through Phase 1: the lemma's length does not hold."""
    check = check_run(environment(n_arms=2, gap=1.0), BAIR(delta=0.001), seed=1363226325308006140)
    assert check.n1 == pytest.approx(4000.0)
    assert check.phase2_length_printed_bound < 2200
    assert check.phase2_length > 3900
    assert broken(check) == {"phase2_length_printed"}


def test_the_bounds_are_those_of_the_user_s_and_the_agent_s_numbers():
    # rho_t is in [1, 2], and alpha so large that the bounds feel which end is which.
    instance = Instance((0.0, 1.0, 0.5), 1)
    env = environment(n_arms=3, alpha=4.0, means=instance.means)
    check = check_run(env, BAIR(delta=0.2, n1=30.0, name="mine"), seed=0, max_steps=20)
    assert (check.agent, check.n_arms, check.delta, check.best_arm) == ("mine", 3, 0.2, 1)
    assert check.rounds_bound == pytest.approx(
        theory.early_rounds_bound(alpha=4.0, rho_0=1.0) + theory.phase1_rounds_bound(30.0, 3, 0.2)
    )
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
        episode = eu.rollout(env, agent, seed=seed)
        check = check_run(env, agent, seed)
        assert check.recommendations == episode.stopping_time
        assert (check.agent, check.user_seed, check.answer) == ("BAIR", seed, episode.answer)
        assert check.phase1_rejections + 3 == episode.rejections
        after = env.hidden_state()
        eu.rollout(env, agent, seed=seed)
        assert env.hidden_state() == after
    limited = gym.make("ExplorativeUser-v0", n_arms=5, max_episode_steps=40)
    check = check_run(limited, BAIR(), seed=1, max_steps=40)
    assert check.censored
    assert (check.recommendations, check.phase2_length) == (40, 0)
    assert check_run(env, BAIR(max_steps=7), seed=1).recommendations == 7
    assert check_run(env, BAIR(max_steps=7), seed=1, max_steps=9).recommendations == 9


def test_what_no_claim_is_about_is_refused():
    env = environment()
    assert is_bair(BAIR(name="mine"))
    named = AlgorithmAgent(replace(uniform.ALGORITHM, name="BAIR"), {})
    rows = [
        (lambda: check_run(env, TrackAndStop(), seed=0), "agent must be a BAIR"),
        (lambda: check_run(env, named, seed=0), "agent must be a BAIR"),
        (lambda: check_run(gym.make("CartPole-v1"), BAIR(), seed=0), "env must be"),
        (lambda: check_run(environment(behaviour="omniscient"), BAIR(), seed=0), "env must be"),
        (lambda: broken_table(pd.DataFrame({"agent": ["BAIR"]})), "checks must be"),
        (lambda: broken_table(pd.DataFrame(), delta=1.0), "delta must be"),
    ]
    for ask, words in rows:
        with pytest.raises(eu.InvalidArgumentError, match=f"^{words}"):
            ask()
