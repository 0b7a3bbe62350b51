"""A run that is watched again is the run, and watching it changes nothing."""

import copy
import pickle
import threading

import gymnasium as gym
import pytest
from toy_agents import Wanderer
from watched import Silent, run

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, rollout
from explorative_user_env.agents import AGENTS, BAIR, REFERENCES, agent_named
from explorative_user_env.protocol import CENSORED
from explorative_user_env.runs.films import film_of
from explorative_user_env.runs.moments import repeat
from explorative_user_env.show.words import explanation_of
from explorative_user_env.validation import CallableError

EVERY = [*(agent_named(name) for name in [*AGENTS, *REFERENCES]), Wanderer(0.01), Silent()]


def moments_of(episode):
    moments = []
    repeat(episode, moments.append)
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


def test_each_moment_is_what_the_environment_and_the_agent_say_after_the_response():
    agent, env = BAIR(n1=30), eu.ExplorativeUserEnv(n_arms=5)
    episode = run(agent, max_steps=60)
    agent.reset(5, None, None)
    env.reset(seed=episode.seed)
    before, heard = None, [[] for _ in range(5)]
    for step, moment in enumerate(moments_of(episode)):
        if step:
            arm, accepted = episode.arms[step - 1], episode.accepted[step - 1]
            env.step(arm)
            agent.observe(arm, accepted)
            heard[arm].append(accepted)
        assert moment.explained == explanation_of(agent, 5)
        assert moment.decided == before
        assert moment.hidden == (before := env.hidden_state())
        seen = moment.seen
        assert seen.steps == step
        for arm, said in enumerate(heard):
            assert (seen.accepted[arm], seen.rejected[arm]) == (said.count(True), said.count(False))
            assert seen.latest[arm] == (said[-1] if said else None)
    assert all(moment.explained == {} for moment in moments_of(run(Silent())))  # it has no explain


def test_what_cannot_be_watched_is_told_of():
    changed, travelled = run(Silent()), pickle.loads(pickle.dumps(run(max_steps=5)))
    changed.rerun.agent.steps = 61
    assert (changed._repr_html_(), travelled._repr_html_()) == (None, None)
    foreign = rollout(gym.make("FrozenLake-v1"), Silent(steps=3), 1)
    wrong, locked = Silent(), Silent()
    wrong.explain = lambda: {"F": [1]}
    locked.lock = threading.Lock()
    for act, told in (
        (run(wrong).film, "explain of silent, F must be a number, a word"),
        (run(locked).explain, "a copy of silent raised TypeError: cannot pickle"),
        (changed.film, ".*a run that can be repeated; silent"),
        (travelled.explain, ".*an episode from rollout or replay in this process"),
        (foreign.film, ".*with users of this package"),
    ):
        with pytest.raises((CallableError, InvalidArgumentError), match=f"^(?:{told})[^\\n]*$"):
            act()


def test_a_run_that_commits_is_watched_to_its_end():
    users = {"task": "regret", "n_arms": 3, "gap": 4.0, "n_instances": 1}
    results = eu.evaluate([BAIR(n1=10)], horizon=200, compiled=False, progress=False, **users)
    moments = film_of(results.replay(0)).moments
    assert [moment.seen.steps for moment in moments] == list(range(201))
    assert moments[-1].explained == moments[-2].explained  # it has stopped
    assert sum(moments[-1].explained["F"]) == 1


def test_a_run_that_a_time_limit_cut_off_is_watched_as_it_was():
    for limit in (7, 40):
        env = gym.make("ExplorativeUser-v0", max_episode_steps=limit)
        with pytest.warns(UserWarning, match="time limit"):
            film = rollout(env, "bair", 3).film()
        assert (film.n_steps, film.end == CENSORED) == (limit, True)
    episode = rollout(env, "exp3", 3)  # it is told the same horizon
    assert episode.film().moments[-1].explained["t of T"] == (40.0, 40.0)


def test_who_met_neither_travels_nor_makes_a_difference():
    episode = run(max_steps=50)
    travelled = pickle.dumps(episode)
    assert b"Rerun" not in travelled
    assert pickle.loads(travelled) == episode == copy.deepcopy(episode)


def test_a_long_run_has_some_steps_left_out_evenly():
    assert len(run(Silent(steps=0)).film().moments) == 1
    heard = []
    film = film_of(run(Silent(steps=1100), max_steps=1100), on_step=heard.append)
    steps = [moment.seen.steps for moment in film.moments]
    assert (steps, film.thinned) == ([*range(0, 1101, 2)], True)
    assert heard == list(range(1101))
    assert not run(max_steps=30).film().thinned
