from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ENV_ID, ExplorativeUserEnv, InvalidArgumentError, rollout
from explorative_user_env.agents import FullInformation, Thompson


class Scripted:
    """Recommends by a script, answers, and keeps all it is told; its answer is the last seen."""

    name = "scripted"

    def __init__(self, script: list[int], answer: Any = 2) -> None:
        self.script, self.given = script, answer
        self.learned: list[tuple[int, float]] = []

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.left, self.horizon = list(self.script), horizon
        self.told: list[tuple[int, bool]] = []
        self.n_answers = 0

    def act(self) -> int | None:
        return self.left.pop(0) if self.left else None

    def observe(self, arm: int, accepted: bool) -> None:
        self.told.append((arm, accepted))

    def learn(self, arm: int, reward: float) -> None:
        assert self.told[-1] == (arm, True), "learn comes after observe"
        self.learned.append((arm, reward))

    def answer(self) -> Any:
        self.n_answers += 1
        return self.given


class Seeing(Scripted):
    """The same, as a reference that is told rewards."""

    sees_rewards = True


def env_of(reward: str = "regret") -> ExplorativeUserEnv:
    return ExplorativeUserEnv(n_arms=3, reward=reward, noise=0.2)


def test_an_agent_that_commits_recommends_its_answer_to_the_end() -> None:
    agent = Scripted([0, 1, 0])
    episode = rollout(env_of(), agent, 4, max_steps=10, commits=True)
    assert episode.arms == (0, 1, 0, 2, 2, 2, 2, 2, 2, 2)
    assert episode.answer == 2
    assert not episode.censored
    assert agent.n_answers == 1


def test_an_agent_hears_nothing_after_its_answer() -> None:
    agent = Scripted([0, 1, 0])
    episode = rollout(env_of(), agent, 4, max_steps=10, commits=True)
    assert agent.told == list(zip(episode.arms, episode.accepted, strict=True))[:3]


def test_the_environment_goes_on_after_the_answer() -> None:
    committed = rollout(env_of(), Scripted([0, 1, 0]), 4, max_steps=60, commits=True)
    written_out = rollout(env_of(), Scripted([0, 1, 0] + [2] * 57), 4, max_steps=60)
    assert committed.accepted == written_out.accepted
    assert committed.rewards == written_out.rewards


def test_without_commits_the_answer_ends_the_run() -> None:
    assert rollout(env_of(), Scripted([0, 1, 0]), 4, max_steps=10).arms == (0, 1, 0)


def test_an_agent_that_has_not_stopped_at_the_cap_is_censored_and_asked_once() -> None:
    agent = Scripted([0, 1] * 20, answer=1)
    episode = rollout(env_of(), agent, 4, max_steps=10, commits=True)
    assert episode.arms == (0, 1) * 5
    assert episode.censored
    assert (episode.answer, agent.n_answers) == (1, 1)


def test_an_agent_that_stops_at_the_very_cap_is_not_censored() -> None:
    episode = rollout(env_of(), Scripted([0, 1, 0]), 4, max_steps=3, commits=True)
    assert episode.arms == (0, 1, 0)
    assert not episode.censored


def test_a_time_limit_ends_a_run_that_commits() -> None:
    env: Any = gym.make(ENV_ID, n_arms=3, max_episode_steps=8)
    agent = Scripted([0])
    assert rollout(env, agent, 4, commits=True).arms == (0, *[2] * 7)
    assert agent.horizon == 8


def test_a_run_that_commits_and_has_no_end_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="max_steps must be given"):
        rollout(env_of(), Scripted([0]), 4, commits=True)


def test_an_agents_own_cap_ends_a_run_that_commits() -> None:
    agent: Any = Scripted([0])
    agent.max_steps = 5
    assert rollout(env_of(), agent, 4, commits=True).arms == (0, 2, 2, 2, 2)


@pytest.mark.parametrize("answer", [3, -1, None, 0.5])
def test_an_answer_that_is_no_arm_is_refused_before_it_is_recommended(answer: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"answer of scripted must be an arm in 0\.\.2"):
        rollout(env_of(), Scripted([0], answer), 4, max_steps=5, commits=True)


@pytest.mark.parametrize("commits", [False, True])
def test_a_reference_is_told_the_realized_rewards_of_accepted_recommendations(
    commits: bool,
) -> None:
    agent = Seeing([0, 1, 2] * 10)
    episode = rollout(env_of("realized"), agent, 4, max_steps=40, commits=commits)
    own = list(zip(episode.arms, episode.accepted, episode.rewards, strict=True))[:30]
    assert agent.learned == [(arm, reward) for arm, yes, reward in own if yes]
    assert 0 < len(agent.learned) < 30
    assert len({reward for _, reward in agent.learned}) == len(agent.learned)


@pytest.mark.parametrize("reward", ["regret", "utility", "accept", "none"])
@pytest.mark.parametrize("agent", [Seeing([0, 1]), FullInformation(horizon=5)])
def test_a_reference_is_refused_an_environment_that_hides_rewards(agent: Any, reward: str) -> None:
    message = f"environment of {agent.name} must be \"realized\".*got '{reward}'"
    with pytest.raises(InvalidArgumentError, match=message):
        rollout(env_of(reward), agent, 4, max_steps=5)


def test_a_reference_sees_rewards_through_wrappers() -> None:
    agent = Seeing([0, 1, 2] * 10)
    env: Any = gym.make(ENV_ID, n_arms=3, reward="realized")
    episode = rollout(env, agent, 4)
    own = zip(episode.arms, episode.accepted, episode.rewards, strict=True)
    assert agent.learned == [(arm, reward) for arm, yes, reward in own if yes]
    assert len(agent.learned) > 3


def test_nobody_else_is_told_a_reward_that_the_environment_pays() -> None:
    agent = Scripted([0, 1, 2] * 10)
    episode = rollout(env_of("realized"), agent, 4)
    assert any(episode.rewards)
    assert agent.learned == []


def test_an_agent_that_sees_responses_only_refuses_to_learn() -> None:
    agent = Thompson(horizon=5)
    agent.reset(3, np.random.default_rng(0))
    with pytest.raises(TypeError, match="may not be told a reward"):
        agent.learn(0, 1.0)
