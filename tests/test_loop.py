from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ENV_ID, ExplorativeUserEnv, InvalidArgumentError, rollout
from explorative_user_env.protocol import Agent
from explorative_user_env.seeding import agent_generator


class RoundRobin:
    """Recommends `steps` arms in turn, then answers the arm accepted most."""

    def __init__(self, steps: float = 50) -> None:
        self.steps = steps

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.accepted = [0] * n_arms
        self.t = 0

    def act(self) -> int | None:
        return None if self.t >= self.steps else self.t % len(self.accepted)

    def observe(self, arm: int, accepted: bool) -> None:
        self.t += 1
        self.accepted[arm] += accepted

    def answer(self) -> int:
        return self.accepted.index(max(self.accepted))


class Forever(RoundRobin):
    """Never stops by itself, and complains if nobody stops it."""

    def __init__(self) -> None:
        super().__init__(steps=float("inf"))

    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        assert self.t < 2000, "nobody stopped the run"


class RandomArms(RoundRobin):
    """Takes every arm and the answer from its stream."""

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        super().reset(n_arms, rng, horizon)
        self.rng = rng

    def act(self) -> int | None:
        return None if self.t >= self.steps else int(self.rng.integers(len(self.accepted)))

    def answer(self) -> int:
        return int(self.rng.integers(len(self.accepted)))


class Spy(RoundRobin):
    """Remembers all it is told."""

    name = "spy"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        super().reset(n_arms, rng, horizon)
        self.told: list[Any] = [n_arms, horizon]
        self.rng = rng

    def observe(self, arm: int, accepted: bool) -> None:
        super().observe(arm, accepted)
        self.told += [arm, accepted]


class Answers(RoundRobin):
    """Answers what it was made with."""

    def __init__(self, given: Any) -> None:
        super().__init__(steps=1)
        self.given = given

    def answer(self) -> Any:
        return self.given


@pytest.fixture
def env() -> gym.Env[int, int]:
    return gym.make(ENV_ID, n_arms=3)


def test_the_record_is_what_happened(env: gym.Env[int, int]) -> None:
    episode = rollout(env, RoundRobin(40), seed=2)
    again = ExplorativeUserEnv(n_arms=3)
    again.reset(seed=2)
    outcomes = [again.step(t % 3) for t in range(40)]
    assert episode.arms == tuple(t % 3 for t in range(40))
    assert episode.accepted == tuple(bool(outcome[0]) for outcome in outcomes)
    assert episode.rewards == tuple(outcome[1] for outcome in outcomes)
    counts = [sum(episode.accepted[arm::3]) for arm in range(3)]
    assert episode.answer == counts.index(max(counts))
    assert (episode.agent, episode.seed, episode.censored) == ("RoundRobin", 2, False)


def test_the_counts_of_a_record_add_up() -> None:
    episode = rollout(gym.make(ENV_ID, means=[5.0, -5.0], n_arms=2), RoundRobin(40), seed=2)
    assert episode.stopping_time == 40
    assert episode.acceptances == episode.accepted.count(True)
    assert episode.rejections == episode.accepted.count(False) > 0


def test_the_seed_repeats_the_run_and_another_does_not(env: gym.Env[int, int]) -> None:
    agent = RandomArms(50)
    first = rollout(env, agent, seed=7)
    assert rollout(env, agent, seed=8) != first
    assert rollout(gym.make(ENV_ID, n_arms=3), RandomArms(50), seed=7) == first
    assert rollout(env, agent, seed=7) == first


def test_made_and_raw_environments_give_the_same_record(env: gym.Env[int, int]) -> None:
    made = rollout(env, RandomArms(50), seed=3)
    assert rollout(ExplorativeUserEnv(n_arms=3), RandomArms(50), seed=3) == made


def test_max_steps_cuts_a_run_off_and_it_is_censored() -> None:
    episode = rollout(ExplorativeUserEnv(n_arms=3), Forever(), seed=0, max_steps=12)
    assert (episode.stopping_time, episode.censored) == (12, True)
    assert rollout(ExplorativeUserEnv(), RoundRobin(13), seed=0, max_steps=12).censored


def test_an_agent_that_stops_exactly_at_the_cap_is_not_censored() -> None:
    episode = rollout(ExplorativeUserEnv(n_arms=3), RoundRobin(12), seed=0, max_steps=12)
    assert (episode.stopping_time, episode.censored) == (12, False)
    limited = gym.make(ENV_ID, n_arms=3, max_episode_steps=12)
    episode = rollout(limited, RoundRobin(12), seed=0)
    assert (episode.stopping_time, episode.censored) == (12, False)


def test_the_time_limit_of_the_environment_cuts_a_run_off() -> None:
    limited = gym.make(ENV_ID, n_arms=3, max_episode_steps=7)
    with pytest.warns(UserWarning, match=r"time limit cut the run of Forever off after 7 steps"):
        episode = rollout(limited, Forever(), seed=0)
    assert (episode.stopping_time, episode.censored) == (7, True)
    assert rollout(limited, Forever(), seed=0, max_steps=5).stopping_time == 5
    assert rollout(limited, Forever(), seed=0, max_steps=7).censored  # asked for: no warning


def test_an_agents_own_cap_holds_unless_another_is_given() -> None:
    agent = Forever()
    agent.max_steps = 9  # type: ignore[attr-defined]
    episode = rollout(ExplorativeUserEnv(n_arms=3), agent, seed=0)
    assert (episode.stopping_time, episode.censored) == (9, True)
    assert rollout(ExplorativeUserEnv(n_arms=3), agent, seed=0, max_steps=4).stopping_time == 4


@pytest.mark.parametrize("cap", [-1, 2.5, "10"])
def test_an_agents_own_cap_must_be_a_number_of_steps(env: gym.Env[int, int], cap: Any) -> None:
    agent = RoundRobin(5)
    agent.max_steps = cap  # type: ignore[attr-defined]
    with pytest.raises(InvalidArgumentError, match=r"max_steps .*must be an integer"):
        rollout(env, agent, seed=0)


def test_an_agent_may_stop_at_once(env: gym.Env[int, int]) -> None:
    episode = rollout(env, RoundRobin(0), seed=0)
    assert (episode.stopping_time, episode.answer, episode.censored) == (0, 0, False)


@pytest.mark.parametrize("reward", ["regret", "realized"])
def test_an_agent_is_told_only_ints_and_bools(reward: str) -> None:
    spy = Spy(30)
    assert isinstance(spy, Agent)
    env = gym.make(ENV_ID, n_arms=3, reward=reward, info_level="full")
    episode = rollout(env, spy, seed=1)
    assert spy.told[:2] == [3, None]
    assert [type(each) for each in spy.told] == [int, type(None)] + [int, bool] * 30
    assert tuple(spy.told[2::2]) == episode.arms
    assert tuple(spy.told[3::2]) == episode.accepted


@pytest.mark.parametrize("seed", [0, 5])
def test_an_agents_stream_follows_from_its_name_and_the_users_seed(seed: int) -> None:
    spy = Spy(3)
    assert rollout(ExplorativeUserEnv(), spy, seed=seed).agent == "spy"
    assert spy.rng.random() == agent_generator(seed, "spy").random()


@pytest.mark.parametrize("needs", [True, False])
def test_the_horizon_told_is_the_given_one_or_for_who_needs_one_the_time_limit(
    needs: bool,
) -> None:
    spy: Any = Spy(1)
    spy.needs_horizon = needs
    for env, given, told in (
        (ExplorativeUserEnv(), None, None),
        (ExplorativeUserEnv(), 30, 30),
        (gym.make(ENV_ID, max_episode_steps=20), None, 20 if needs else None),
        (gym.make(ENV_ID, max_episode_steps=20), 30, 30),
    ):
        rollout(env, spy, seed=0, horizon=given)
        assert spy.told[1] == told


def test_a_raw_environment_has_no_time_limit_to_tell_of() -> None:
    spy = Spy(1)
    rollout(gym.make(ENV_ID, max_episode_steps=20).unwrapped, spy, seed=0)
    assert spy.told[1] is None


@pytest.mark.parametrize("answer", [-1, 3, None, 1.0, True, "0"])
def test_an_answer_that_is_not_an_arm_is_refused(env: gym.Env[int, int], answer: Any) -> None:
    with pytest.raises(
        InvalidArgumentError, match=rf"answer of Answers must be an arm in 0\.\.2, got {answer!r}"
    ):
        rollout(env, Answers(answer), seed=0)


def test_numpy_integers_are_recorded_as_ints(env: gym.Env[int, int]) -> None:
    episode = rollout(env, Answers(np.int64(2)), seed=np.int64(7))  # type: ignore[arg-type]
    assert (type(episode.answer), episode.answer) == (int, 2)
    assert (type(episode.seed), episode.seed) == (int, 7)


def test_a_recommendation_that_is_not_an_arm_is_refused(env: gym.Env[int, int]) -> None:
    agent = RoundRobin(5)
    agent.act = lambda: 3  # type: ignore[method-assign]
    with pytest.raises(
        InvalidArgumentError, match=r"arm of RoundRobin must be an arm in 0\.\.2, got 3"
    ):
        rollout(env, agent, seed=0)


@pytest.mark.parametrize("seed", [-1, 1.5, None, True])
def test_a_bad_seed_is_refused(env: gym.Env[int, int], seed: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="seed must be an integer of at least 0, got"):
        rollout(env, RoundRobin(5), seed=seed)


@pytest.mark.parametrize("argument", ["max_steps", "horizon"])
@pytest.mark.parametrize("number", [-1, 2.5, "10", True])
def test_a_bad_number_of_steps_is_refused(
    env: gym.Env[int, int], argument: str, number: Any
) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{argument} must be an integer"):
        rollout(env, RoundRobin(5), seed=0, **{argument: number})


def test_an_episode_is_shown_in_one_short_line() -> None:
    episode = rollout(ExplorativeUserEnv(n_arms=3), RoundRobin(12), seed=4, max_steps=12)
    assert repr(episode) == (
        f"Episode(agent='RoundRobin', seed=4, stopping_time=12, "
        f"acceptances={episode.acceptances}, answer={episode.answer}, censored=False)"
    )
