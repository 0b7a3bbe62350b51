"""A policy as an agent: what it is shown, what it answers, and that all ways to run it agree."""

import copy
import pickle

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import Uniform

SMALL = {"n_arms": 3, "n_instances": 20, "seed": 4, "progress": False}


def in_turn(observation):
    last = np.flatnonzero(observation[:3])
    return int(last[0] + 1) % 3 if last.size else 0


def early_ranks(observations):
    """The second rank where the first is accepted much, and the last answer or rank when late."""
    return np.where(observations[..., -1] > 0.5, 3, observations[..., 3] > 0.2)


def ranks(observations):
    return early_ranks(observations) % 3


def test_a_policy_that_goes_round_the_arms_is_uniform_exploration():
    mine = eu.PolicyAgent(in_turn, observation="last-step", name="mine")
    runs = eu.evaluate([Uniform(), mine], task="regret", horizon=40, **SMALL).runs
    figures = ["user_seed", "acceptances", "regret", "utility", "last_arm", "most_accepted_arm"]
    own, reference = (
        runs[runs["agent"] == name][figures].to_numpy().tolist() for name in ("mine", "UNI")
    )
    assert own == reference


@pytest.mark.parametrize(("task", "policy"), [("regret", ranks), ("bai", early_ranks)])
def test_one_row_or_many_at_once_step_by_step_or_in_step_or_copied_are_the_same(task, policy):
    options = {"task": task, "horizon": 30, "name": "mine"}
    one = eu.PolicyAgent(policy, **options)
    facts = SMALL | {"task": task} | ({"horizon": 30} if task == "regret" else {})
    runs = eu.evaluate([one], **facts).runs
    assert eu.evaluate([one], compiled=False, **facts).runs.equals(runs)
    many = eu.PolicyAgent(policy, batched=True, **options)
    for again in (many, copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again.max_steps, again.needs_horizon) == (one.max_steps, one.needs_horizon)
        assert eu.evaluate([again], **facts).runs.equals(runs)
    assert task == "regret" or not runs["censored"].any()


def test_an_answer_stops_and_is_the_arm_of_its_rank():
    # The third rank is recommended four times; all are tied, so it is arm 2 that gets ahead.
    agent = eu.PolicyAgent(
        lambda seen: 2 if seen[-1] == 0.0 else (0 if seen[-1] < 0.4 else 3), task="bai", horizon=10
    )
    runs = eu.evaluate([agent], **SMALL).runs
    assert set(runs["answer"]) == {2}
    assert set(runs["interactions"]) == {4}
    assert not runs["censored"].any()


def test_a_policy_that_never_answers_is_cut_off_at_its_horizon():
    # The third rank first, and then arm 2, which that put ahead.
    agent = eu.PolicyAgent(lambda seen: 0 if seen[0] else 2, task="bai", horizon=10)
    for compiled in (True, False):
        runs = eu.evaluate([agent], compiled=compiled, **SMALL).runs
        assert runs["censored"].all()
        assert set(runs["interactions"]) == {10}
    episode = eu.rollout(eu.ExplorativeUserEnv(3), agent, seed=0)
    assert (episode.stopping_time, episode.censored) == (10, True)
    assert agent.answer() == 2  # the most accepted, as there is no answer


WRONG = [
    ({"task": "x"}, "task must be one of bai, population, regret"),
    ({"observation": "x"}, "observation must be one of counts, last-step, response"),
    ({"horizon": 0}, "horizon must be an integer of at least 1, got 0"),
    ({"batched": 1}, "batched must be True or False, got 1"),
]


def test_a_wrong_argument_or_action_is_named():
    for wrong, words in WRONG:
        with pytest.raises(eu.InvalidArgumentError, match=f"^{words}"):
            eu.PolicyAgent(in_turn, **wrong)
    for action in (3, -1, 0.0, None, [0, 1]):
        agent = eu.PolicyAgent(lambda seen, said=action: said, name="odd")
        with pytest.raises(eu.InvalidArgumentError, match=r"^actions of odd must be 20 int"):
            eu.evaluate([agent], task="regret", horizon=5, **SMALL)
