import copy
import dataclasses
import pickle

import pytest
from pairs import pairs

pytest.importorskip("numba")

from compared import CAP, HORIZON, agent_as_in_an_evaluation, as_lists, play_of, run_of

import explorative_user_env as eu
from explorative_user_env.agents import (
    BAIR,
    EXP3,
    UCB1,
    FullInformation,
    SuccessiveElimination,
    Thompson,
    Uniform,
    informed,
)
from explorative_user_env.envs.user import environment_of
from explorative_user_env.evaluation.paths import Runs
from explorative_user_env.kernels import loops
from explorative_user_env.kernels.loops import compiled_loop
from explorative_user_env.runs.loop import rollout
from explorative_user_env.users import model as user_rules
from explorative_user_env.users.behaviours import EXPLORATIVE, forgetful
from explorative_user_env.users.model import ACCEPTANCE_RATE, blank_state, constant, no_law
from explorative_user_env.users.population import SETTINGS, Population

SEEDS = (1, 2, 3)


@pytest.mark.slow
@pairs(noise=[0.0, 0.1], n_arms=[2, 5, 20], setting=sorted(SETTINGS), name=["BAIR", "T&S", "UNI"])
def test_compiled_runs_are_the_readable_ones_and_those_of_the_environment(
    name, setting, n_arms, noise
):
    users = Population(setting=SETTINGS[setting], n_arms=n_arms, noise=noise)
    agent = agent_as_in_an_evaluation(name, users)
    env = environment_of(users, agent)
    numbers, schedule = users.user, users.schedule
    found = Runs(users, agent, CAP, HORIZON).figures("compiled", SEEDS)
    for place, seed in enumerate(SEEDS):
        episode = rollout(env, agent, seed, CAP, HORIZON)
        truth = env.hidden_state()
        assert found["best_arm"][place] == truth.instance.best_arm
        for column in ("acceptances", "rejections", "answer", "end"):
            assert found[column][place] == getattr(episode, column)
        left = run_of(users, agent, seed, True)
        assert left == run_of(users, agent, seed, False)
        user = dataclasses.replace(blank_state(numbers), **left.user)
        assert (tuple(user.means), tuple(user.counts)) == (truth.instance.means, truth.counts)
        assert tuple(user.estimates) == truth.estimates
        assert user_rules.rho(numbers, user, schedule.rule) == truth.rho
        assert user.spread[0] ** 2 == truth.gamma
        assert user.acceptances == [truth.acceptances]
        assert user.interactions == [truth.interactions] == [episode.stopping_time]


PLAYERS = [
    EXP3(),
    SuccessiveElimination(),
    UCB1(exploration=0.3),
    Thompson(prior=(30.5, 2.0)),
    FullInformation(prior_mean=0.7, prior_variance=3.0),
]


@pytest.mark.slow
@pairs(n_arms=[2, 5, 20], setting=sorted(SETTINGS), player=PLAYERS)
def test_compiled_plays_are_the_readable_ones_and_those_of_the_environment(player, setting, n_arms):
    users = Population(setting=SETTINGS[setting], n_arms=n_arms, noise=0.1)
    player = informed(player, users, delta=0.3)
    env = environment_of(users, player)
    for seed in SEEDS:
        left = play_of(users, player, seed, True)
        assert left == play_of(users, player, seed, False)
        episode = rollout(env, player, seed, CAP, HORIZON, commits=True)
        (answer,), (arms,), (responses,) = left.figures
        assert (tuple(arms), tuple(responses)) == (episode.arms, episode.accepted)
        assert answer == episode.answer
        assert left.state == as_lists(player._state)
        assert left.streams[1] == player._rng.bit_generator.state


@pytest.mark.slow
def test_a_copied_or_pickled_agent_runs_the_loop_that_is_compiled_already():
    loops._compiled.cache_clear()
    agents = [BAIR(max_steps=7), copy.deepcopy(BAIR(max_steps=7))]
    agents.append(pickle.loads(pickle.dumps(agents[0])))
    runs = [eu.evaluate([agent], n_instances=3, progress=False).runs for agent in agents]
    assert runs[0].equals(runs[1])
    assert runs[0].equals(runs[2])
    assert loops._compiled.cache_info().misses == 1
    # A run that stops at the very cap is not censored.
    assert runs[0]["interactions"].tolist() == [7] * 3
    assert runs[0]["censored"].all()
    whole = eu.evaluate([Uniform(horizon=7)], n_instances=3, max_steps=7, progress=False).runs
    assert not whole["censored"].any()


def test_rules_and_not_numbers_of_users_and_agents_compile_in():
    # Looked at where kernels are kept in memory: on the disk, equal ones are the same anyway.
    made = [
        compiled_loop(agent.algorithm, rule, behaviour, no_law)
        for agent in (UCB1(), UCB1(exploration=0.3), EXP3())
        for rule in (ACCEPTANCE_RATE.rule, constant(1.0).rule, constant(2.0).rule)
        for behaviour in (EXPLORATIVE, forgetful(3), forgetful(30))
    ]
    assert len({id(loop) for loop in made}) == 2 * 2 * 2
