"""The environments' names in Gymnasium's registry."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym

from explorative_user_env.protocol import BAI, DEVIATION, N_USERS, POPULATION, REGRET

ENV_ID = "ExplorativeUser-v0"
"""One bit a step: what she said."""

COUNTS_ENV_ID = "ExplorativeUserCounts-v0"
"""All that was heard of her, for a policy without memory."""

BAI_ENV_ID = "ExplorativeUserBAI-v0"
"""Best-arm identification: to stop and to answer are actions, too."""

POPULATION_ENV_ID = "ExplorativePopulation-v0"
"""One user after another, who share what is popular."""

MAX_EPISODE_STEPS = 1000
"""Of `ExplorativeUser-v0`, which does not end by itself."""


class Entry(NamedTuple):
    """What an id stands for: what makes one user and many, and how episodes end."""

    one: str
    many: str
    max_episode_steps: int | None = None
    kwargs: Mapping[str, Any] = {}


ENTRIES = {
    ENV_ID: Entry("ExplorativeUserEnv", "ExplorativeUserVectorEnv", MAX_EPISODE_STEPS),
    COUNTS_ENV_ID: Entry("counts_env", "counts_vector_env", REGRET.horizon),
    # The horizon is the task's own; it stands here so that the specification tells it.
    BAI_ENV_ID: Entry(
        "ExplorativeUserBAIEnv", "ExplorativeUserBAIVectorEnv", kwargs={"horizon": BAI.horizon}
    ),
    POPULATION_ENV_ID: Entry(
        "ExplorativePopulationEnv",
        "ExplorativePopulationVectorEnv",
        kwargs={"n_users": N_USERS, "deviation": DEVIATION, "horizon": POPULATION.horizon},
    ),
}


def register_environments() -> None:
    """Let `gym.make` and `gym.make_vec` find the environments, unless somebody has seen to it.

    The entry points are names of the package itself: a saved `EnvSpec` outlives any later move.
    """
    for name, entry in ENTRIES.items():
        if name not in gym.registry:
            gym.register(
                id=name,
                entry_point=f"explorative_user_env:{entry.one}",
                vector_entry_point=f"explorative_user_env:{entry.many}",
                max_episode_steps=entry.max_episode_steps,
                kwargs={**entry.kwargs},
            )
