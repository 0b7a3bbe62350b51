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
from explorative_user_env.runs.films import Film, film_of
from explorative_user_env.runs.moments import Moment, watch_again
from explorative_user_env.show.words import explanation_of
from explorative_user_env.validation import CallableError

EVERY = [*(agent_named(name) for name in [*AGENTS, *REFERENCES]), Wanderer(0.01), Silent()]


def moments_of(episode: eu.Episode) -> list[Moment]:
    moments: list[Moment] = []
    watch_again(episode, moments.append)
    return moments


@pytest.mark.parametrize("agent", EVERY, ids=lambda agent: agent.name)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_watching_an_agent_changes_no_bit_of_its_run(agent: Any, noise: float) -> None:
    reward = "realized" if getattr(agent, "sees_rewards", False) else "regret"
    users: dict[str, Any] = {"n_arms": 4, "noise": noise, "reward": reward}
    agent = copy.deepcopy(agent)
    episode = run(agent, 5, max_steps=150, **users)
    state = repr(vars(agent))
    moments = moments_of(episode)
    heard = [moment.seen.last for moment in moments]
    assert heard == [None, *zip(episode.arms, episode.accepted, strict=True)]
    assert repr(vars(agent)) == state  # a copy was watched
    assert run(agent, 5, max_steps=150, **users) == episode


def test_what_is_seen_and_true_at_each_moment_is_what_the_environment_says() -> None:
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


def test_what_the_agent_says_is_what_it_thinks_after_the_response() -> None:
    episode = run(BAIR(n1=30), max_steps=60)
    agent = rollout_agent(episode)
    for step, moment in enumerate(moments_of(episode)):
        if step:
            agent.observe(episode.arms[step - 1], episode.accepted[step - 1])
        assert moment.said == explanation_of(agent, 5)


class Counting(Silent):
    """It says how often it was asked, and how often it was told."""

    def reset(self, *given: Any) -> None:
        super().reset(*given)
        self.acts = 0

    def act(self) -> int | None:
        self.acts += 1
        return super().act()

    def explain(self) -> Any:
        return {"acts": self.acts, "told": self.t}


def test_an_agent_is_asked_after_the_response_and_before_it_acts_again() -> None:
    for step, moment in enumerate(moments_of(run(Counting(9)))):
        assert moment.said == {"acts": step, "told": step}


def rollout_agent(episode: eu.Episode) -> Any:
    """Return the agent of an episode as it is before the first step."""
    assert episode.rerun is not None
    agent = copy.deepcopy(episode.rerun.agent)
    agent.reset(5, None, None)  # type: ignore[arg-type]
    return agent


def test_a_third_party_s_agent_without_explain_shows_nothing_of_itself() -> None:
    assert all(moment.said == {} for moment in moments_of(run(Silent())))


def test_what_an_agent_cannot_say_is_one_line_that_names_it() -> None:
    class Wrong(Silent):
        def explain(self) -> Any:
            return {"F": [1]}

    with pytest.raises(CallableError, match=r"^explain of silent, F must be a number, a word") as e:
        run(Wrong()).film()
    assert "\n" not in str(e.value)


@pytest.mark.slow
def test_a_run_that_commits_is_watched_to_its_end() -> None:
    results = eu.evaluate(
        [BAIR(n1=10), EXP3()],
        task="regret",
        n_arms=3,
        gap=4.0,
        n_instances=2,
        horizon=300,
        progress=False,
    )
    for row in range(4):
        episode = results.replay(row)
        film = film_of(episode)
        assert [moment.seen.steps for moment in film.moments] == list(range(301))
        if episode.agent == "BAIR":  # it has stopped, and what it said last stays
            assert film.moments[-1].said == film.moments[-2].said
            assert sum(film.moments[-1].said["F"]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [7, 40])
def test_a_run_that_a_time_limit_cut_off_is_watched_as_it_was(limit: int) -> None:
    env = gym.make("ExplorativeUser-v0", max_episode_steps=limit)
    with pytest.warns(UserWarning, match="time limit"):
        episode = rollout(env, "bair", 3)
    film = episode.film()
    assert (film.n_steps, film.end == CENSORED) == (limit, True)


def test_an_agent_that_needs_a_horizon_is_told_the_same_one() -> None:
    env = gym.make("ExplorativeUser-v0", max_episode_steps=50)
    episode = rollout(env, "exp3", 3)
    assert episode.film().moments[-1].said["t of T"] == (50.0, 50.0)


def test_an_agent_that_stops_at_once_has_a_film_of_one_moment() -> None:
    film = run(Silent(steps=0)).film(reveal=True)
    assert len(film.moments) == 1
    assert "stopped and named arm 0" in str(film.explanation)


def test_an_agent_that_is_another_by_now_is_told_of() -> None:
    agent = Silent()
    episode = run(agent)
    agent.steps = 61
    with pytest.raises(InvalidArgumentError, match="a run that silent repeats; it, or its user"):
        episode.film()
    assert episode._repr_html_() is None


class Uncopied(Silent):
    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("no copies")


def test_an_agent_that_cannot_be_copied_is_told_of() -> None:
    told = "a copy of silent raised TypeError: no copies"
    with pytest.raises(CallableError, match=told):
        run(Uncopied()).explain()


def test_who_met_neither_travels_nor_makes_a_difference() -> None:
    episode = run(max_steps=50)
    travelled = pickle.loads(pickle.dumps(episode))
    assert travelled == episode == copy.deepcopy(episode)
    assert hash(travelled) == hash(episode)
    assert b"Rerun" not in pickle.dumps(episode)
    assert "rerun" not in repr(episode)
    assert travelled._repr_html_() is None
    with pytest.raises(InvalidArgumentError, match="one that rollout or replay has made here"):
        travelled.explain()
    with pytest.raises(InvalidArgumentError, match="one that rollout or replay has made here"):
        travelled.save("nowhere.html")


class Foreign(gym.Env[int, int]):
    action_space: Any = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 0, {}

    def step(self, action: int) -> Any:
        return 1, 0.0, False, False, {}


def test_a_user_of_another_package_cannot_be_met_again() -> None:
    episode = rollout(Foreign(), Silent(steps=3), 1)
    with pytest.raises(InvalidArgumentError, match="with users of this package"):
        episode.film()


def test_a_long_run_has_some_steps_left_out_evenly() -> None:
    film = run(Silent(steps=2500), max_steps=2500).film()
    steps = [moment.seen.steps for moment in film.moments]
    assert steps[0] == 0
    assert steps[-1] == 2500
    assert len(steps) <= 1002
    assert {later - earlier for earlier, later in pairwise(steps)} <= {1, 3}
    assert film.thinned
    assert not run(max_steps=20).film().thinned
    assert isinstance(film, Film)


def test_each_step_is_reported_to_who_waits() -> None:
    heard: list[int] = []
    film_of(run(max_steps=30), on_step=heard.append)
    assert heard == list(range(31))
