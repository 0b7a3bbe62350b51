"""The environments' names in Gymnasium's registry."""

import gymnasium as gym

ENV_ID = "ExplorativeUser-v0"
BAI_ENV_ID = "ExplorativeUserBAI-v0"

MAX_EPISODE_STEPS = 1000
"""Of `ExplorativeUser-v0`, which does not end by itself."""


def register_environments() -> None:
    """Let `gym.make` and `gym.make_vec` find the environments, unless somebody has seen to it.

    The entry points are names of the package itself: a saved `EnvSpec` outlives any later move.
    """
    limits = {ENV_ID: MAX_EPISODE_STEPS, BAI_ENV_ID: None}
    classes = {ENV_ID: "ExplorativeUser", BAI_ENV_ID: "ExplorativeUserBAI"}
    for name, limit in limits.items():
        if name not in gym.registry:
            gym.register(
                id=name,
                entry_point=f"explorative_user_env:{classes[name]}Env",
                vector_entry_point=f"explorative_user_env:{classes[name]}VectorEnv",
                max_episode_steps=limit,
            )
