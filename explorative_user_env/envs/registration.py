"""The environments' names in Gymnasium's registry."""

from collections.abc import Mapping
from typing import Any, NamedTuple

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


class Entry(NamedTuple):
    """An id's modules and names of what makes one user and many, its time limit and arguments."""

    room: str
    one: str
    room_of_many: str
    many: str
    max_episode_steps: int | None = None
    kwargs: Mapping[str, Any] = {}


_POPULATION = {"n_users": N_USERS, "deviation": DEVIATION, "horizon": POPULATION.horizon}

# fmt: off
#: The environments by their ids. A task that ends by itself shows its arguments.
ENTRIES = {
    ENV_ID: Entry("envs.user", "ExplorativeUserEnv",
                  "envs.user_vector", "ExplorativeUserVectorEnv", MAX_EPISODE_STEPS),
    COUNTS_ENV_ID: Entry("wrappers.make", "counts_env",
                         "wrappers.make", "counts_vector_env", REGRET.horizon),
    BAI_ENV_ID: Entry("envs.bai", "ExplorativeUserBAIEnv",
                      "envs.bai", "ExplorativeUserBAIVectorEnv", None, {"horizon": BAI.horizon}),
    POPULATION_ENV_ID: Entry("envs.population", "ExplorativePopulationEnv", "envs.population",
                             "ExplorativePopulationVectorEnv", None, _POPULATION),
}
# fmt: on


def register_environments() -> None:
    """Register the environments for `gym.make` and `gym.make_vec`, unless they are already."""
    for name, entry in ENTRIES.items():
        if name not in gym.registry:
            gym.register(
                id=name,
                entry_point=f"explorative_user_env.{entry.room}:{entry.one}",
                vector_entry_point=f"explorative_user_env.{entry.room_of_many}:{entry.many}",
                max_episode_steps=entry.max_episode_steps,
                kwargs={**entry.kwargs},
            )
