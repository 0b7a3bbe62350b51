"""The readable loop: what an agent is told, what is recorded, what ends a run, who is blamed."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from failing import Failing, Inexact, breaks_down, never_begins, says_nothing
from keepers import Keeper
from own_laws import pair
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env import ENV_ID, ExplorativeUserEnv, InvalidArgumentError, rollout
from explorative_user_env.agents import FullInformation, Thompson, Uniform
from explorative_user_env.protocol import Agent
from explorative_user_env.seeding import agent_generator
from explorative_user_env.validation import CallableError


def turns(steps):
    return [t % 3 for t in range(steps)]


def given(script, **attributes):
    """A scripted agent with attributes; 2 is its answer."""
    agent = scripted(turns(script) if isinstance(script, int) else script)
    vars(agent).update(attributes)
    return agent


def env_of(reward="regret", limit=-1):
    return gym.make(ENV_ID, reward=reward, max_episode_steps=limit, n_arms=3, noise=0.2)


def test_the_record_is_what_happened():
    agent = given(40)
    episode = rollout(env_of(), agent, seed=2)
    again = ExplorativeUserEnv(n_arms=3, noise=0.2)
    again.reset(seed=2)
    outcomes = [again.step(arm) for arm in turns(40)]
    assert episode.arms == tuple(turns(40))
    assert episode.accepted == tuple(bool(outcome[0]) for outcome in outcomes)
    assert episode.rewards == tuple(outcome[1] for outcome in outcomes)
    assert (episode.agent, episode.seed, episode.answer) == ("scripted", 2, 2)
    assert (episode.stopping_time, episode.censored) == (40, False)
    assert episode.acceptances == episode.accepted.count(True)
    assert episode.rejections == episode.accepted.count(False) > 0
    assert agent.told == [list(zip(episode.arms, episode.accepted, strict=True))]
    assert {tuple(map(type, each)) for each in agent.told[0]} == {(int, bool)}


def test_the_seed_repeats_the_run_of_a_made_and_a_raw_environment_and_another_does_not():
    first = rollout(env_of(), Thompson(horizon=50), seed=7)
    raw, keeper = ExplorativeUserEnv(n_arms=3, noise=0.2), Keeper()
    for _ in range(2):
        assert rollout(raw, Thompson(horizon=50), seed=7) == first
    assert rollout(env_of(), Thompson(horizon=50), seed=8) != first
    assert isinstance(keeper, Agent)
    rollout(env_of(), keeper, seed=5)
    assert keeper.kept[0][1].random() == agent_generator(5, "keeper").random()


ENDS = [
    (99, -1, None, {"max_steps": 12}, 12, True),
    (13, -1, None, {"max_steps": 12}, 12, True),
    (12, -1, None, {"max_steps": 12}, 12, False),
    (12, 12, None, {}, 12, False),
    (99, 7, None, {}, 7, True),
    (99, 7, None, {"max_steps": 5}, 5, True),
    (99, -1, 9, {}, 9, True),
    (0, -1, None, {}, 0, False),
    # Whoever commits goes on with its answer.
    (3, -1, None, {"max_steps": 10, "commits": True}, 10, False),
    (99, -1, None, {"max_steps": 10, "commits": True}, 10, True),
    (1, 8, None, {"commits": True}, 8, False),
    (1, -1, 5, {"commits": True}, 5, False),
    (1, -1, None, {"horizon": 6, "commits": True}, 6, False),
]


@pytest.mark.filterwarnings("ignore:the environment's time limit")
def test_caps_time_limits_and_the_agent_end_a_run_and_only_caps_censor_it(subtests):
    for script, limit, own, options, steps, censored in ENDS:
        with subtests.test(script=script, limit=limit, own=own, options=options):
            agent = given(script, max_steps=own)
            episode = rollout(env_of(limit=limit), agent, seed=0, **options)
            assert (episode.stopping_time, episode.censored) == (steps, censored)
            assert episode.answer == 2
            assert episode.arms == tuple(turns(script) + [2] * steps)[:steps]


def test_only_a_time_limit_that_nobody_asked_for_is_warned_of():
    rollout(env_of(limit=7), given(99), seed=0, max_steps=7)
    with pytest.warns(UserWarning, match=r"time limit ended the run of scripted after 7 steps"):
        rollout(env_of(limit=7), given(99), seed=0)


def test_the_horizon_told_is_the_given_one_or_for_who_needs_one_the_time_limit():
    limited = env_of(limit=20)
    for needs, env, options, told in (
        (True, limited, {}, 20),
        (False, limited, {}, None),
        (True, limited, {"horizon": 30}, 30),
        (False, limited, {"commits": True}, 20),
        (True, limited.unwrapped, {}, None),
    ):
        agent = given(1, needs_horizon=needs)
        rollout(env, agent, seed=0, **options)
        assert agent.horizon == told


def test_the_environment_goes_on_after_the_answer_and_the_agent_hears_nothing_of_it():
    agent = given([0, 1, 0])
    committed = rollout(env_of(), agent, 4, max_steps=60, commits=True)
    written_out = rollout(env_of(), given([0, 1, 0] + [2] * 57), 4, max_steps=60)
    assert committed.accepted == written_out.accepted
    assert committed.rewards == written_out.rewards
    assert agent.told == [list(zip(committed.arms, committed.accepted, strict=True))[:3]]


class Learning(Keeper):
    learned = ()

    def learn(self, arm, reward):
        assert self.kept[-1] == (arm, True), "learn comes after observe"
        self.learned = (*self.learned, (arm, reward))


def test_a_reference_and_nobody_else_is_told_the_rewards_of_what_is_accepted():
    for commits in (False, True):
        agent, other = Learning(), Learning()
        agent.sees_rewards = True
        episode = rollout(env_of("realized"), agent, 4, max_steps=40, commits=commits)
        own = list(zip(episode.arms, episode.accepted, episode.rewards, strict=True))[:12]
        assert agent.learned == tuple((arm, reward) for arm, yes, reward in own if yes)
        assert 0 < len({reward for _, reward in agent.learned}) == len(agent.learned) < 12
        assert any(rollout(env_of("realized"), other, 4).rewards)
        assert other.learned == ()
    thompson = Thompson(horizon=5)
    thompson.reset(3, np.random.default_rng(0))
    with pytest.raises(TypeError, match="not from rewards"):
        thompson.learn(0, 1.0)


def test_integers_and_arrays_of_one_are_arms_and_are_recorded_as_ints():
    for arm in (2, np.int64(2), np.array([2])):
        episode = rollout(env_of(), scripted([0], arm), seed=np.int64(7))
        assert (type(episode.answer), episode.answer, type(episode.seed)) == (int, 2, int)
    arms = rollout(env_of(), Inexact(), seed=7).arms
    assert arms == tuple(turns(30))
    assert {type(each) for each in arms} == {int}


def test_truth_values_of_numpy_are_responses():
    def respond(user, state, rule, arm, rng):
        return np.bool_(arm == 1)

    env = ExplorativeUserEnv(3, behaviour=eu.Behaviour("numpy", respond=respond))
    assert rollout(env, given(3), seed=0).accepted == (False, True, False)


ONE = given(1)
REFUSED = [
    (ONE, "regret", {"seed": -1}, "seed must be an integer of at least 0"),
    (ONE, "regret", {"seed": None}, "seed must be an integer"),
    (ONE, "regret", {"max_steps": True}, "max_steps must be an integer"),
    (given(1, max_steps=2.5), "regret", {}, "max_steps .*must be an integer"),
    (ONE, "regret", {"horizon": 2.5}, "horizon must be an integer"),
    (ONE, "regret", {"commits": True}, "max_steps must be given"),
    (Uniform(), "regret", {}, "horizon"),
    *((scripted([0], wrong), "regret", {}, r"answer of scripted must be") for wrong in (3, True)),
    (scripted([0], None), "regret", {"max_steps": 5, "commits": True}, "answer of scripted"),
    (given(1, sees_rewards=True), "utility", {}, 'reward of the env.* of scripted .*"realized"'),
    (FullInformation(horizon=5), "regret", {}, "reward of the environment of Full-information"),
]


def test_what_is_asked_for_wrongly_is_refused(subtests):
    for agent, reward, options, words in REFUSED:
        with subtests.test(words), pytest.raises(InvalidArgumentError, match=f"^{words}"):
            rollout(env_of(reward), agent, **({"seed": 0} | options))


def test_an_agent_that_fails_is_told_by_name():
    rows = [
        ("reset", r"reset of mine raised OSError: no model \(at the start", OSError),
        ("act", r"act of mine raised KeyError: 'arm' \(at step 8", KeyError),
        ("arm", r"arm chosen by mine must be an arm in 0\.\.2, got 1\.0 \(at step 8", ValueError),
        ("observe", r"observe of mine raised ZeroDivisionError \(at step 5", ZeroDivisionError),
        ("answer", r"answer of mine raised RuntimeError: two lines \(at the end", RuntimeError),
    ]
    again = r"with the user of seed 7: rollout\(env, agent, seed=7\) repeats the run\)"
    for fails, message, cause in rows:
        with pytest.raises(CallableError, match=f"^{message}, {again}$") as caught:
            rollout(ExplorativeUserEnv(3), Failing(fails), seed=7)
        assert isinstance(caught.value.__cause__, cause)
        copy = pickle.loads(pickle.dumps(caught.value))
        assert (type(copy), str(copy)) == (CallableError, str(caught.value))
        assert str(copy).startswith(copy.failure)


def user_that(**parts):
    return {"behaviour": eu.Behaviour("hers", **parts)}


FAILURES = [
    (user_that(respond=says_nothing), "response of behaviour 'hers' must be True", 1, ValueError),
    (user_that(respond=breaks_down), "respond of behaviour 'hers' raised Look", 21, LookupError),
    ({"reward_law": pair}, "reward of reward_law 'pair' must be a finite", 1, TypeError),
    (user_that(start=never_begins), "start of behaviour 'hers' raised Look", 0, LookupError),
    ({"means": lambda n_arms, rng: [1.0]}, "means must be 3 finite numbers", 0, ValueError),
]


def test_a_user_who_fails_is_told_with_the_step_and_what_meets_her_again(subtests):
    for users, words, step, cause in FAILURES:
        with subtests.test(words):
            seed = 7 if step else 8
            env = ExplorativeUserEnv(3, **users)
            when = f"at step {step}" if step else "at the start"
            at = f"{when} of" if step else "while drawing"
            at += rf" the user of env\.reset\(seed={seed}\)\)$"
            with pytest.raises(CallableError, match=rf"^{words}.* \({at}"):  # noqa: PT012
                env.reset(seed=seed)
                for arm in turns(50):
                    env.step(arm)
            with pytest.raises(CallableError, match=rf"^{words}.* \({when}, with the") as caught:
                rollout(env, Uniform(horizon=50), seed=seed)
            if step:
                assert isinstance(caught.value.__cause__, cause)
                assert not isinstance(caught.value.__cause__, CallableError)


def test_what_is_asked_of_her_wrongly_is_no_failure_of_code():
    with pytest.raises(InvalidArgumentError, match="gap must be large enough") as caught:
        ExplorativeUserEnv(3, gap=1e-30).reset(seed=0)
    assert type(caught.value) is InvalidArgumentError
