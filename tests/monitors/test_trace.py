import math
from dataclasses import asdict, replace

import gymnasium as gym
import pytest
from traces import environment

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, AlgorithmAgent, TrackAndStop, uniform
from explorative_user_env.evaluation.monitors import CLAIMS, check_run, is_bair
from explorative_user_env.theory import phase2_length_bound
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import Setting


@pytest.mark.parametrize("seed", range(8))
def test_a_watched_run_is_the_run_that_nobody_watches(seed: int, setting: Setting) -> None:
    env, agent = environment(n_arms=4, setting=setting), BAIR(delta=0.1)
    episode = eu.rollout(env, agent, seed=seed)
    check = check_run(env, agent, seed)
    assert check.recommendations == episode.stopping_time
    assert (check.agent, check.user_seed, check.answer) == ("BAIR", seed, episode.answer)
    assert check.phase1_rejections + 3 == episode.rejections
    after = env.hidden_state()
    eu.rollout(env, agent, seed=seed)
    assert env.hidden_state() == after


def test_the_numbers_are_the_agents_own_and_the_users() -> None:
    env = environment(n_arms=3, alpha=2.0, rho=0.5, means=(0.0, 1.0, 0.5))
    agent = BAIR(delta=0.2, n1="proof", alpha=2.0, rho_0=0.5, phase2="round robin", name="mine")
    check = check_run(env, agent, seed=3)
    assert (check.agent, check.n_arms, check.delta, check.best_arm) == ("mine", 3, 0.2, 1)
    assert check.n1 == pytest.approx(math.sqrt(2 * 2 / 0.2) / 0.5)
    instance = Instance((0.0, 1.0, 0.5), 1)
    bound = phase2_length_bound(instance, check.n1, 0.2, 2.0, 0.5, "round robin")
    assert check.phase2_length_bound == bound
    assert check_run(env, BAIR(), seed=3).delta == 0.1
    assert all(f"{claim.name}_broken" in asdict(check) for claim in CLAIMS)


def test_a_bair_is_known_by_its_rule_and_not_by_its_name() -> None:
    assert is_bair(BAIR(name="mine"))
    assert not is_bair(AlgorithmAgent(replace(uniform.ALGORITHM, name="BAIR"), {}))


def test_other_agents_and_other_environments_are_refused() -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^agent must be a BAIR"):
        check_run(environment(), TrackAndStop(), seed=0)
    with pytest.raises(eu.InvalidArgumentError, match=r"^env must be"):
        check_run(gym.make("CartPole-v1"), BAIR(), seed=0)
    with pytest.raises(eu.InvalidArgumentError, match=r"^env must be"):
        check_run(environment(behaviour="omniscient"), BAIR(), seed=0)
