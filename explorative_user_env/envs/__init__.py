"""The environments, and their names in Gymnasium's registry."""

from typing import Any

import gymnasium as gym

from explorative_user_env.protocol import BAI, DEVIATION, N_USERS, POPULATION, REGRET

#: One bit a step: the user's response.
ENV_ID = "ExplorativeUser-v0"

#: The counts of all responses, for a policy without memory.
COUNTS_ENV_ID = "ExplorativeUserCounts-v0"

#: Best-arm identification: answers are actions, too.
BAI_ENV_ID = "ExplorativeUserBAI-v0"

#: One user after another, who share what is popular.
POPULATION_ENV_ID = "ExplorativePopulation-v0"

#: The time limit of `ExplorativeUser-v0`, which does not end by itself.
MAX_EPISODE_STEPS = 1000

_ROOM = f"{__name__}."

#: What Gymnasium registers, by id; a task that ends by itself shows its arguments.
ENTRIES: dict[str, dict[str, Any]] = {
    ENV_ID: {
        "entry_point": _ROOM + "user:ExplorativeUserEnv",
        "vector_entry_point": _ROOM + "user_vector:ExplorativeUserVectorEnv",
        "max_episode_steps": MAX_EPISODE_STEPS,
    },
    COUNTS_ENV_ID: {
        "entry_point": "explorative_user_env.wrappers:counts_env",
        "vector_entry_point": "explorative_user_env.wrappers.vector:counts_vector_env",
        "max_episode_steps": REGRET.horizon,
    },
    BAI_ENV_ID: {
        "entry_point": _ROOM + "bai:ExplorativeUserBAIEnv",
        "vector_entry_point": _ROOM + "bai:ExplorativeUserBAIVectorEnv",
        "kwargs": {"horizon": BAI.horizon},
    },
    POPULATION_ENV_ID: {
        "entry_point": _ROOM + "population:ExplorativePopulationEnv",
        "vector_entry_point": _ROOM + "population:ExplorativePopulationVectorEnv",
        "kwargs": {"n_users": N_USERS, "deviation": DEVIATION, "horizon": POPULATION.horizon},
    },
}


def register_environments() -> None:
    """Register the environments for `gym.make` and `gym.make_vec`, unless they are already."""
    for name, entry in ENTRIES.items():
        if name not in gym.registry:
            gym.register(id=name, **entry)
