"""A policy as an agent: what it is shown, what it answers, and that all ways to run it agree."""

import copy
import pickle

import numpy as np
import pytest
from toy_agents import Answering

import explorative_user_env as eu
from explorative_user_env.agents import Uniform

SMALL = {"n_arms": 3, "n_instances": 20, "seed": 4, "progress": False}


def in_turn(observation):
    last = np.flatnonzero(observation[:3])
    return int(last[0] + 1) % 3 if last.size else 0


def test_a_policy_that_goes_round_the_arms_is_uniform_exploration():
    mine = eu.PolicyAgent(in_turn, observation="last-step", name="mine")
    runs = eu.evaluate([Uniform(), mine], task="regret", horizon=40, **SMALL).runs
    own, reference = (
        runs[runs["agent"] == name].drop(columns="agent").reset_index(drop=True)
        for name in ("mine", "UNI")
    )
    figures = ["user_seed", "acceptances", "regret", "utility", "last_arm", "most_accepted_arm"]
    assert own[figures].equals(reference[figures])


@pytest.mark.parametrize("task", ["regret", "bai"])
def test_one_row_or_many_at_once_step_by_step_or_in_step_are_the_same(task):
    def ranks(observations):
        late = observations[..., -1] > 0.5
        answer = 3 if task == "bai" else 0
        return np.where(late, answer, (observations[..., 3] > 0.2).astype(int))

    options = {"task": task, "horizon": 30, "name": "mine"}
    one = eu.PolicyAgent(lambda observation: int(ranks(observation)), **options)
    many = eu.PolicyAgent(ranks, batched=True, **options)
    facts = SMALL | {"task": task} | ({"horizon": 30} if task == "regret" else {})
    found = [eu.evaluate([agent], **facts).runs for agent in (one, many)]
    found.append(eu.evaluate([one], compiled=False, **facts).runs)
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


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
        always = {"shown": action}.get
        agent = eu.PolicyAgent(lambda seen, say=always: say("shown"), name="odd")
        with pytest.raises(eu.InvalidArgumentError, match=r"^actions of odd must be 20 int"):
            eu.evaluate([agent], task="regret", horizon=5, **SMALL)


@pytest.mark.parametrize("task", ["regret", "bai"])
def test_a_copied_or_pickled_agent_is_of_the_same_task(task):
    agent = eu.PolicyAgent(Answering() if task == "bai" else in_turn, task=task, horizon=10)
    facts = SMALL | {"task": task, "horizon": 10 if task == "regret" else None}
    runs = eu.evaluate([agent], **facts).runs
    for again in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert (again.max_steps, again.needs_horizon) == (agent.max_steps, agent.needs_horizon)
        assert eu.evaluate([again], **facts).runs.equals(runs)
    assert task == "regret" or not runs["censored"].any()
