"""What the extra `rl` brings, or one line about how to get it."""

from explorative_user_env.extras import require

BROUGHT = ("stable_baselines3", "sb3_contrib")


def require_rl() -> None:
    """Make sure that Stable-Baselines3 and sb3-contrib are there.

    Raises:
        MissingExtraError: naming what is missing and the command that installs it.
    """
    require("reinforcement learning needs", "rl", BROUGHT)
