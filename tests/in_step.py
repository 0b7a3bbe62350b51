"""Many users in step beside Gymnasium's own vector of single environments, all of it alike."""

from collections import Counter

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from population_env import SMALL

from explorative_user_env import BAI_ENV_ID, ENV_ID, POPULATION_ENV_ID, ExplorativeUserVectorEnv
from explorative_user_env import envs as ids
from explorative_user_env import wrappers as single
from explorative_user_env.check.environments import exact
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.counts_envs import (
    ExplorativePopulationCountsVectorEnv,
    ExplorativeUserBAICountsVectorEnv,
    ExplorativeUserCountsVectorEnv,
)
from explorative_user_env.envs.population import ExplorativePopulationVectorEnv
from explorative_user_env.wrappers import vector as many

LANES = 7  # more than the compiled lanes look ahead
MODES = list(AutoresetMode)

KINDS = {
    ENV_ID: ExplorativeUserVectorEnv,
    BAI_ENV_ID: ExplorativeUserBAIVectorEnv,
    POPULATION_ENV_ID: ExplorativePopulationVectorEnv,
}

COUNTS = {
    ENV_ID: ids.COUNTS_ENV_ID,
    BAI_ENV_ID: ids.BAI_COUNTS_ENV_ID,
    POPULATION_ENV_ID: ids.POPULATION_COUNTS_ENV_ID,
}
"""The id that observes counts, by the id that observes the response."""

KINDS |= {
    ids.COUNTS_ENV_ID: ExplorativeUserCountsVectorEnv,
    ids.BAI_COUNTS_ENV_ID: ExplorativeUserBAICountsVectorEnv,
    ids.POPULATION_COUNTS_ENV_ID: ExplorativePopulationCountsVectorEnv,
}

GIVEN = {
    ENV_ID: {},
    BAI_ENV_ID: {"n_arms": 3, "horizon": 13, "step_cost": 0.01},
    POPULATION_ENV_ID: SMALL | {"horizon": 5},
}
"""Episodes that soon end by themselves, where they do."""

GIVEN |= {counts: GIVEN[name] for name, counts in COUNTS.items()}
GIVEN[ids.COUNTS_ENV_ID] = {"horizon": 8}  # fewer than the steps, so that counts pass their scale


class Beside:
    """A vector environment beside Gymnasium's own vector of single ones: all they say is alike."""

    def __init__(self, vector, sync):
        self.vector, self.sync = vector, sync

    def reset(self, seed=None, **options):
        # Gymnasium takes the mask out of the options that it is given: each gets its own.
        one = self.vector.reset(seed=seed, options=dict(options))
        assert exact(one) == exact(self.sync.reset(seed=seed, options=dict(options)))
        self.assert_same_truth()

    def step(self, actions):
        """Return what the vector says to these actions, which it leaves alone."""
        before = actions.copy()
        outcome = self.vector.step(actions)
        assert np.array_equal(actions, before)
        assert exact(outcome) == exact(self.sync.step(actions))
        return outcome

    def assert_same_truth(self):
        """Look at what neither says unasked: the hidden states, and a rendering."""
        singles = [env.unwrapped for env in self.sync.envs]
        truths = tuple(env.hidden_state() for env in singles)
        assert self.vector.unwrapped.hidden_states() == truths
        if self.vector.render_mode is not None:
            assert self.vector.render() == self.sync.render()

    def same_masks(self, done):
        """Look at the masks of a moment; return whether an answer is legal in some lane."""
        if not hasattr(self.vector, "action_masks"):
            return False
        # The lanes in which somebody acts next: not those finished and not yet reset.
        same_step = self.vector.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        acting = np.ones_like(done) if same_step else ~done
        masks, found = np.stack(self.sync.call("action_masks")), self.vector.action_masks()
        assert found.shape == (LANES, self.vector.single_action_space.n)
        assert exact(found[acting]) == exact(masks[acting])
        return bool(masks[acting][:, -1].any())


def played(name, mode, compiled, limit=None, wrap=lambda room, env: env, **kwargs):
    """Play the same in both, over autoresets and resets of all kinds; count what happens."""
    given, mode = GIVEN[name] | kwargs, AutoresetMode(mode)
    vector = wrap(many, KINDS[name](LANES, limit, mode, compiled, **given))

    def make():
        return wrap(single, gym.make(name, limit, disable_env_checker=True, **given))

    sync = SyncVectorEnv([make] * LANES, autoreset_mode=mode)
    both, rng, seen = Beside(vector, sync), np.random.default_rng(0), Counter[str]()
    n_arms, odd = vector.unwrapped.user.n_arms, np.arange(LANES) % 2 == 1
    in_population, answers = "Population" in name, "BAI" in name
    numbers = "popularity" if in_population else "means"
    resets = {
        3: {"reset_mask": ~odd},  # from here on the lanes end at different times
        20: {"seed": [1, None, 3, 4, None, 6, 7], "reset_mask": odd},
        31: {"user": given["n_users"] - 1} if in_population else {},
        43: {numbers: np.arange(n_arms, dtype=float).tolist(), "reset_mask": ~odd},
    }
    for space in ("action_space", "observation_space", "single_observation_space"):
        assert getattr(vector, space) == getattr(sync, space)
    both.reset(seed=3)
    for t in range(60):
        actions = rng.integers(n_arms, size=LANES)
        if answers:
            actions += n_arms * (rng.random(LANES) < 0.08)
        observations, _, terminated, truncated, infos = both.step(actions)
        assert observations in vector.observation_space
        done = terminated | truncated
        if t % 5 == 0:
            both.assert_same_truth()
        seen["legal"] += both.same_masks(done)
        last = infos.get("final_info", infos)
        seen.update(
            yes=infos["acceptances"].any(),
            no=infos["rejections"].any(),
            terminated=terminated.sum(),
            truncated=truncated.sum(),
            some=0 < done.sum() < LANES,
            new=(infos.get("new_user", done) & (infos.get("user", 0 * done) > 0)).sum(),
            answered=(terminated & (last.get("answer", done) >= 0)).sum() if done.any() else 0,
        )
        if done.any() and (mode == AutoresetMode.DISABLED or t > 45):
            both.reset(reset_mask=done)
            both.same_masks(np.zeros(LANES, bool))
        if t in resets:
            both.reset(**resets[t])
    users, singles = vector.unwrapped, [env.unwrapped for env in sync.envs]
    assert users.np_random_seed == sync.np_random_seed
    if in_population:
        assert users.episode_seeds == tuple(env.episode_seed for env in singles)
        assert users.popularity() == tuple(env.popularity() for env in singles)
    return seen
