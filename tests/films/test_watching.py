"""A run that is watched again is the run, and watching it changes nothing."""

import copy
import pickle
from itertools import pairwise
from typing import Any

import gymnasium as gym
import pytest
from toy_agents import Wanderer
from watched import Silent, run

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, rollout
from explorative_user_env.agents import AGENTS, BAIR, EXP3, REFERENCES, agent_named
from explorative_user_env.protocol import CENSORED
from explorative_user_env.runs.films import film_of
from explorative_user_env.runs.moments import watch_again
from explorative_user_env.show.words import explanation_of
from explorative_user_env.validation import CallableError

EVERY = [*(agent_named(name) for name in [*AGENTS, *REFERENCES]), Wanderer(0.01), Silent()]


def moments_of(episode):
    moments = []
    watch_again(episode, moments.append)
    return moments


@pytest.mark.parametrize("agent", EVERY, ids=lambda agent: agent.name)
def test_watching_an_agent_changes_no_bit_of_its_run(agent):
    reward = "realized" if getattr(agent, "sees_rewards", False) else "regret"
    users = {"n_arms": 4, "noise": 0.2, "reward": reward}
    agent = copy.deepcopy(agent)
    episode = run(agent, 5, max_steps=80, **users)
    state = repr(vars(agent))
    heard = [moment.seen.last for moment in moments_of(episode)]
    assert heard == [None, *zip(episode.arms, episode.accepted, strict=True)]
    assert repr(vars(agent)) == state  # a copy was watched
    assert run(agent, 5, max_steps=80, **users) == episode


def test_what_is_seen_and_true_at_each_moment_is_what_the_environment_says():
    episode = run(max_steps=120)
    env = eu.ExplorativeUserEnv(n_arms=5)
    env.reset(seed=episode.seed)
    before = None
    for step, moment in enumerate(moments_of(episode)):
        if step:
            env.step(episode.arms[step - 1])
        assert moment.decided == before
        assert moment.hidden == (before := env.hidden_state())
        past = list(zip(episode.arms, episode.accepted, strict=True))[:step]
        for arm in range(5):
            of_arm = [accepted for other, accepted in past if other == arm]
            assert moment.seen.accepted[arm] == sum(of_arm)
            assert moment.seen.rejected[arm] == len(of_arm) - sum(of_arm)
            assert moment.seen.latest[arm] == (of_arm[-1] if of_arm else None)
        assert moment.seen.steps == step


def test_what_the_agent_says_is_what_it_thinks_after_the_response():
    episode = run(BAIR(n1=30), max_steps=60)
    assert episode.rerun is not None
    agent = copy.deepcopy(episode.rerun.agent)
    agent.reset(5, None, None)
    for step, moment in enumerate(moments_of(episode)):
        if step:
            agent.observe(episode.arms[step - 1], episode.accepted[step - 1])
        assert moment.said == explanation_of(agent, 5)
    assert all(moment.said == {} for moment in moments_of(run(Silent())))  # it has no explain


class Wrong(Silent):
    def explain(self):
        return {"F": [1]}


class Uncopied(Silent):
    def __deepcopy__(self, memo):
        raise TypeError("no copies")


def test_what_cannot_be_watched_is_told_of():
    changed = Silent()
    another = run(changed)
    changed.steps = 61
    assert another._repr_html_() is None
    travelled = pickle.loads(pickle.dumps(run(max_steps=5)))
    assert travelled._repr_html_() is None
    refused = [
        (run(Wrong()).film, "explain of silent, F must be a number, a word"),
        (run(Uncopied()).explain, "a copy of silent raised TypeError: no copies"),
        (another.film, ".*a run that silent repeats"),
        (travelled.explain, ".*one that rollout or replay has made here"),
        (lambda: travelled.save("nowhere.html"), ".*one that rollout or replay has made here"),
        (rollout(Foreign(), Silent(steps=3), 1).film, ".*with users of this package"),
    ]
    for act, told in refused:
        with pytest.raises((CallableError, InvalidArgumentError), match=f"^(?:{told})") as error:
            act()
        assert "\n" not in str(error.value)


def test_a_run_that_commits_is_watched_to_its_end():
    users = {"task": "regret", "n_arms": 3, "gap": 4.0, "n_instances": 1}
    results = eu.evaluate(
        [BAIR(n1=10), EXP3()], horizon=200, compiled=False, progress=False, **users
    )
    for row in range(2):
        moments = film_of(results.replay(row)).moments
        assert [moment.seen.steps for moment in moments] == list(range(201))
        if row == 0:  # it has stopped, and what it said last stays
            assert moments[-1].said == moments[-2].said
            assert sum(moments[-1].said["F"]) == 1


def test_a_run_that_a_time_limit_cut_off_is_watched_as_it_was():
    for limit in (7, 40):
        env = gym.make("ExplorativeUser-v0", max_episode_steps=limit)
        with pytest.warns(UserWarning, match="time limit"):
            film = rollout(env, "bair", 3).film()
        assert (film.n_steps, film.end == CENSORED) == (limit, True)
    episode = rollout(env, "exp3", 3)  # it is told the same horizon
    assert episode.film().moments[-1].said["t of T"] == (40.0, 40.0)


def test_who_met_neither_travels_nor_makes_a_difference():
    episode = run(max_steps=50)
    assert pickle.loads(pickle.dumps(episode)) == episode == copy.deepcopy(episode)
    assert hash(copy.deepcopy(episode)) == hash(episode)
    assert b"Rerun" not in pickle.dumps(episode)
    assert "rerun" not in repr(episode)


class Foreign(gym.Env[int, int]):
    action_space: Any = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 1, 0.0, False, False, {}


def test_a_long_run_has_some_steps_left_out_evenly():
    assert len(run(Silent(steps=0)).film().moments) == 1
    film = run(Silent(steps=2500), max_steps=2500).film()
    steps = [moment.seen.steps for moment in film.moments]
    assert (steps[0], steps[-1]) == (0, 2500)
    assert len(steps) <= 1002
    assert {later - earlier for earlier, later in pairwise(steps)} <= {1, 3}
    assert film.thinned
    heard = []
    assert not film_of(run(max_steps=30), on_step=heard.append).thinned
    assert heard == list(range(31))
