from typing import Any

import gymnasium as gym
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from gymnasium.vector import AutoresetMode
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from explorative_user_env import BAI_ENV_ID, ENV_ID, InvalidArgumentError
from explorative_user_env.rl import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms
from explorative_user_env.wrappers.make import make_task

TASKS = ["regret", "bai"]
OBSERVATIONS = ["response", "counts", "sorted-counts", "last-step"]
N_ARMS = 3
HORIZON = 23


def single(task: str, observation: str, **kwargs: Any) -> Any:
    """One user of a task, wrapped as SB3's own `make_vec_env` does."""
    if task == "bai":
        env: Any = gym.make(BAI_ENV_ID, n_arms=N_ARMS, horizon=HORIZON, **kwargs)
    else:
        env = gym.make(ENV_ID, n_arms=N_ARMS, max_episode_steps=HORIZON, **kwargs)
    match observation:
        case "counts":
            env = CountsObservation(env)
        case "sorted-counts":
            env = SortedArms(CountsObservation(env))
        case "last-step":
            env = LastStepObservation(env)
    return Monitor(env)


def many(n_envs: int = 4, task: str = "regret", **kwargs: Any) -> SB3VecEnv:
    return make_sb3_vec_env(n_envs, task=task, n_arms=N_ARMS, horizon=HORIZON, **kwargs)


def pair(
    task: str, observation: str, n_envs: int, seed: int, **kwargs: Any
) -> tuple[Any, SB3VecEnv]:
    dummy = DummyVecEnv([lambda: single(task, observation, **kwargs) for _ in range(n_envs)])
    dummy.seed(seed)
    return dummy, many(n_envs, task, observation=observation, seed=seed, **kwargs)


def actions_of(rng: np.random.Generator, env: Any) -> np.ndarray:
    """Mostly recommendations: answers end episodes, at times that differ."""
    recommended = rng.integers(0, N_ARMS, env.num_envs)
    answers = rng.random(env.num_envs) < 0.04
    return np.asarray(np.where(answers, env.action_space.n - 1, recommended))


def assert_same_step(one: Any, other: Any) -> None:
    """Compare what `step` returned: to the bit, but for the seconds of an episode."""
    for mine, theirs in zip(one[:3], other[:3], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs, done in zip(one[3], other[3], one[2], strict=True):
        assert mine["TimeLimit.truncated"] is theirs["TimeLimit.truncated"]
        if not done:
            assert "terminal_observation" not in mine
            assert "episode" not in mine
            continue
        assert set(mine) == set(theirs)
        last, their_last = mine.pop("terminal_observation"), theirs.pop("terminal_observation")
        np.testing.assert_array_equal(last, their_last)
        assert np.asarray(last).dtype == np.asarray(their_last).dtype or last.shape == ()
        episode, their_episode = mine.pop("episode"), theirs.pop("episode")
        assert set(episode) == set(their_episode) == {"r", "l", "t"}
        assert episode["l"] == their_episode["l"]
        # Both are rounded to six digits.
        assert episode["r"] == pytest.approx(their_episode["r"], abs=1.1e-6)
        assert episode["t"] >= 0.0
        assert mine == theirs
        assert [type(mine[name]) for name in theirs] == [type(each) for each in theirs.values()]


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("n_envs", [3, 66])
def test_many_users_are_as_many_of_stable_baselines3s_own(
    task: str, observation: str, n_envs: int
) -> None:
    dummy, envs = pair(task, observation, n_envs, seed=9, noise=0.1)
    assert envs.observation_space == dummy.observation_space
    assert envs.action_space == dummy.action_space
    np.testing.assert_array_equal(envs.reset(), dummy.reset())
    rng = np.random.default_rng(1)
    lengths = set()
    for _ in range(120 if n_envs < 64 else 40):
        actions = actions_of(rng, envs)
        found, expected = envs.step(actions), dummy.step(actions)
        lengths |= {info["episode"]["l"] for info in found[3] if "episode" in info}
        assert_same_step(found, expected)
        if task == "bai":
            masks, theirs = (each.env_method("action_masks") for each in (envs, dummy))
            np.testing.assert_array_equal(masks, theirs)
    # Episodes of the one task end with answers at any time, those of the other at the limit.
    assert len(lengths) > 4 if task == "bai" else lengths == {HORIZON}


@pytest.mark.parametrize("reward", ["regret", "utility", "realized", "none"])
def test_rewards_and_returns_are_stable_baselines3s_own(reward: str) -> None:
    dummy, envs = pair("regret", "counts", 3, seed=2, reward=reward, setting="released")
    envs.reset()
    dummy.reset()
    rng = np.random.default_rng(0)
    for _ in range(2 * HORIZON + 1):
        actions = actions_of(rng, envs) % N_ARMS
        assert_same_step(envs.step(actions), dummy.step(actions))


def test_a_time_limit_is_truncation_and_the_end_of_a_task_is_none() -> None:
    for task, truncated in (("regret", True), ("bai", False)):
        envs = many(2, task, seed=0)
        for _ in range(5):
            envs.reset()
            envs.step(np.zeros(2, int))
        envs.reset()
        for _ in range(HORIZON):
            _, _, dones, infos = envs.step(np.zeros(2, int))
        assert dones.all()
        assert [info["TimeLimit.truncated"] for info in infos] == [truncated] * 2
        # A reset has begun new returns and lengths.
        assert [info["episode"]["l"] for info in infos] == [HORIZON] * 2


def test_lanes_have_the_seeds_from_the_given_one_on_and_only_once() -> None:
    envs = many(3, seed=40)
    envs.reset()
    first = [truth.instance for truth in envs.env_method("hidden_state")]
    for lane, instance in enumerate(first):
        env = single("regret", "response")
        env.reset(seed=40 + lane)
        assert env.unwrapped.hidden_state().instance == instance
    envs.reset()
    assert [truth.instance for truth in envs.env_method("hidden_state")] != first
    assert all(isinstance(seed, int) for seed in envs.seed())  # fresh entropy
    assert envs.seed(40) == [40, 41, 42]
    envs.reset()
    assert [truth.instance for truth in envs.env_method("hidden_state")] == first


def test_options_go_to_all_users_and_are_refused_where_they_differ() -> None:
    envs = many(2)
    envs.set_options({"means": [0.0, 2.0, 1.0]})
    envs.reset()
    assert [truth.instance.best_arm for truth in envs.env_method("hidden_state")] == [1, 1]
    envs.reset()
    means = [truth.instance.means for truth in envs.env_method("hidden_state")]
    assert means[0] != (0.0, 2.0, 1.0)
    envs.set_options([{"means": [0.0, 2.0, 1.0]}, {}])
    with pytest.raises(InvalidArgumentError, match="options must be the same for all users"):
        envs.reset()


def test_methods_and_attributes_are_those_of_the_chosen_lanes() -> None:
    envs = many(5, "bai", observation="sorted-counts", seed=1)
    envs.reset()
    for step in range(12):
        envs.step(np.full(5, step % N_ARMS))
    masks = envs.env_method("action_masks")
    assert np.array(masks).shape == (5, 2 * N_ARMS)
    assert len(envs.env_method("hidden_state", indices=[1, 3])) == 2
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=3)[0], masks[3])
    np.testing.assert_array_equal(get_action_masks(envs), masks)
    assert envs.get_attr("step_cost") == [5e-4] * 5
    assert envs.get_attr("horizon", indices=[0, 2]) == [HORIZON] * 2
    assert envs.get_attr("horizon", indices=4) == [HORIZON]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        envs.get_attr("nothing")


def test_masks_are_there_for_the_task_that_has_them() -> None:
    envs = many(2, "bai")
    assert envs.has_attr("action_masks")
    assert is_masking_supported(envs)
    assert not envs.has_attr("nothing")
    for observation in ("counts", "sorted-counts"):
        assert not is_masking_supported(many(2, "regret", observation=observation))


def test_spaces_are_those_of_a_lane() -> None:
    envs = many(2, "regret")
    assert envs.get_attr("action_space") == [envs.action_space] * 2
    assert envs.get_attr("observation_space", indices=1) == [envs.observation_space]


def test_attributes_are_not_set_afterwards() -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be given to make_sb3_vec_env, not"):
        many(2).set_attr("alpha", 2.0)


def test_lanes_count_as_wrapped_in_a_monitor_and_in_nothing_else() -> None:
    envs = many(3)
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(Monitor, indices=[0]) == [True]
    assert envs.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])
def test_another_autoreset_mode_is_refused(mode: AutoresetMode) -> None:
    with pytest.raises(InvalidArgumentError, match="envs must be made with autoreset_mode=SAME"):
        SB3VecEnv(make_task("regret", 2, autoreset_mode=mode))


def test_paying_for_acceptance_warns() -> None:
    with pytest.warns(UserWarning, match='reward="accept" pays most for never exploring') as told:
        many(2, reward="accept")
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_envs": 0}, "num_envs must be an integer of at least 1, got 0"),
        ({"task": "sleep"}, "task must be one of"),
        ({"observation": "all"}, "observation must be one of counts, last-step, response, sorted"),
        ({"horizon": 0}, "horizon must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
    ],
)
def test_a_wrong_argument_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        make_sb3_vec_env(**({"n_envs": 2} | wrong))


def test_vec_normalize_scales_rewards_and_leaves_returns_as_they_are() -> None:
    raw, below = many(4, seed=3), many(4, seed=3)
    scaled = VecNormalize(below, norm_obs=False)
    np.testing.assert_array_equal(raw.reset(), scaled.reset())
    for step in range(HORIZON):
        found, expected = scaled.step(np.full(4, step % 3)), raw.step(np.full(4, step % 3))
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(scaled.get_original_reward(), expected[1])
    assert not np.array_equal(found[1], expected[1])
    for mine, theirs in zip(found[3], expected[3], strict=True):
        assert mine["episode"]["r"] == theirs["episode"]["r"]
    assert scaled.env_is_wrapped(Monitor) == [True] * 4


@pytest.mark.parametrize("task", TASKS)
def test_stable_baselines3s_evaluate_policy_runs_the_episodes_it_is_asked_for(task: str) -> None:
    envs = many(3, task, seed=0)
    model = PPO("MlpPolicy", envs, seed=0, device="cpu", n_steps=8, batch_size=8)
    returns, lengths = evaluate_policy(
        model, envs, n_eval_episodes=7, deterministic=False, return_episode_rewards=True
    )
    assert isinstance(returns, list)
    assert isinstance(lengths, list)
    assert len(returns) == len(lengths) == 7
    assert max(lengths) <= HORIZON
    if task == "regret":
        assert lengths == [HORIZON] * 7
        assert max(returns) < 0.0


LEARNERS = [
    (PPO, "MlpPolicy", {"n_steps": 32, "batch_size": 32, "n_epochs": 1}),
    (A2C, "MlpPolicy", {}),
    (TRPO, "MlpPolicy", {"n_steps": 32, "batch_size": 32}),
    (DQN, "MlpPolicy", {"learning_starts": 20, "train_freq": 4}),
    (QRDQN, "MlpPolicy", {"learning_starts": 20, "train_freq": 4}),
    (RecurrentPPO, "MlpLstmPolicy", {"n_steps": 32, "batch_size": 32, "n_epochs": 1}),
    (MaskablePPO, "MlpPolicy", {"n_steps": 32, "batch_size": 32, "n_epochs": 1}),
]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("algorithm", "policy", "options"), LEARNERS)
def test_every_algorithm_learns_without_a_warning(
    algorithm: Any, policy: str, options: dict[str, Any], task: str
) -> None:
    task = "bai" if algorithm is MaskablePPO else task  # the other has no masks
    observation = "last-step" if algorithm is RecurrentPPO else "sorted-counts"
    envs = many(4, task, observation=observation)
    model = algorithm(policy, envs, seed=0, device="cpu", **options)
    before = {name: weights.clone() for name, weights in model.policy.state_dict().items()}
    model.learn(128)
    assert model.num_timesteps >= 128
    after = model.policy.state_dict()
    assert any(not weights.equal(after[name]) for name, weights in before.items())
    # SB3's own log has heard of the episodes that ended.
    assert len(model.ep_info_buffer) >= 4
