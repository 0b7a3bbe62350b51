"""The first lines that users of other libraries write."""

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import COUNTS_ENV_ID, ENV_ID

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

SHORT = {"PPO": {"n_steps": 8, "batch_size": 8}, "A2C": {}, "DQN": {"learning_starts": 8}}


@pytest.mark.parametrize("algorithm", SHORT)
def test_stable_baselines3_learns_by_an_id(algorithm):
    learner = getattr(pytest.importorskip("stable_baselines3"), algorithm)
    utilities = pytest.importorskip("stable_baselines3.common.env_util")
    many = utilities.make_vec_env(COUNTS_ENV_ID, n_envs=3, seed=1, env_kwargs={"n_arms": 4})
    assert (many.num_envs, many.observation_space.shape) == (3, (17,))
    learner("MlpPolicy", ENV_ID, device="cpu")
    for envs in (COUNTS_ENV_ID, many):
        model = learner("MlpPolicy", envs, seed=0, device="cpu", **SHORT[algorithm])
        model.learn(24)
        actions, _ = model.predict(model.get_env().reset())
        assert actions.shape == (model.n_envs,)


def test_cleanrl_makes_its_environments_by_hand():
    torch = pytest.importorskip("torch")

    def make_env():
        return gym.wrappers.RecordEpisodeStatistics(gym.make(COUNTS_ENV_ID, max_episode_steps=9))

    envs = gym.vector.SyncVectorEnv([make_env for _ in range(3)])
    n_inputs = np.array(envs.single_observation_space.shape).prod()
    actor = torch.nn.Linear(n_inputs, envs.single_action_space.n)
    observations, _ = envs.reset(seed=1)
    lengths = []
    for _ in range(25):
        chances = torch.distributions.Categorical(logits=actor(torch.Tensor(observations)))
        observations, _, _, _, infos = envs.step(chances.sample().numpy())
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert lengths == [9] * 6
