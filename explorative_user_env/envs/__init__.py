"""The Gymnasium environments and their ids."""

from typing import Any

import gymnasium as gym

from explorative_user_env.envs.scores import SCORES
from explorative_user_env.protocol import BAI, DEVIATION, N_USERS, POPULATION, REGRET

#: Regret minimization; the observation is the user's response.
ENV_ID = "ExplorativeUser-v0"

#: Regret minimization; the observation is the counts of all responses.
COUNTS_ENV_ID = "ExplorativeUserCounts-v0"

#: Best-arm identification; the actions include answers.
BAI_ENV_ID = "ExplorativeUserBAI-v0"

#: Best-arm identification; the observation is the counts of all responses.
BAI_COUNTS_ENV_ID = "ExplorativeUserBAICounts-v0"

#: Best-arm identification with two arms and a known optimum.
TINY_ENV_ID = "ExplorativeUserTiny-v0"

#: Several users one after another; their means share a popularity.
POPULATION_ENV_ID = "ExplorativePopulation-v0"

#: Several users one after another; the observation is the counts of all users' responses.
POPULATION_COUNTS_ENV_ID = "ExplorativePopulationCounts-v0"

#: The default time limit of `ExplorativeUser-v0`.
MAX_EPISODE_STEPS = 1000


def _entry(one: str, many: str, limit: int | None = None, **kwargs: Any) -> dict[str, Any]:
    points = (f"explorative_user_env.{place}" for place in (one, many))
    names = ("entry_point", "vector_entry_point")
    return {**dict(zip(names, points, strict=True)), "max_episode_steps": limit, "kwargs": kwargs}


_POPULATION: dict[str, Any] = {
    "n_users": N_USERS,
    "deviation": DEVIATION,
    "horizon": POPULATION.horizon,
}

# fmt: off
#: The arguments of `gym.register`, by id; a task that ends by itself lists its defaults.
ENTRIES = {
    ENV_ID: _entry("envs.user:ExplorativeUserEnv",
                   "envs.user_vector:ExplorativeUserVectorEnv", MAX_EPISODE_STEPS),
    COUNTS_ENV_ID: _entry("envs.counts_envs:ExplorativeUserCountsEnv",
                          "envs.counts_envs:ExplorativeUserCountsVectorEnv", REGRET.horizon),
    BAI_ENV_ID: _entry("envs.bai:ExplorativeUserBAIEnv",
                       "envs.bai:ExplorativeUserBAIVectorEnv", horizon=BAI.horizon),
    BAI_COUNTS_ENV_ID: _entry("envs.counts_envs:ExplorativeUserBAICountsEnv",
                              "envs.counts_envs:ExplorativeUserBAICountsVectorEnv",
                              horizon=BAI.horizon),
    TINY_ENV_ID: _entry("envs.tiny:ExplorativeUserTinyEnv",
                        "envs.tiny:ExplorativeUserTinyVectorEnv"),
    POPULATION_ENV_ID: _entry("envs.population:ExplorativePopulationEnv",
                              "envs.population:ExplorativePopulationVectorEnv",
                              **_POPULATION),
    POPULATION_COUNTS_ENV_ID: _entry("envs.counts_envs:ExplorativePopulationCountsEnv",
                                     "envs.counts_envs:ExplorativePopulationCountsVectorEnv",
                                     **_POPULATION),
}
# fmt: on


def register_environments() -> None:
    """Register the environments for `gym.make` and `gym.make_vec`, unless already registered."""
    for name, entry in ENTRIES.items():
        if name not in gym.registry:
            gym.register(id=name, reward_threshold=SCORES[name][0].threshold, **entry)
