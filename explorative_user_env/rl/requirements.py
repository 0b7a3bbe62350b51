"""What the extra `rl` brings, or one line about how to get it."""

from importlib.util import find_spec

from explorative_user_env.validation import MissingExtraError

BROUGHT = ("stable_baselines3", "sb3_contrib")


def require_rl() -> None:
    """Make sure that Stable-Baselines3 and sb3-contrib are there.

    Raises:
        MissingExtraError: naming what is missing and the command that installs it.
    """
    missing = [name.replace("_", "-") for name in BROUGHT if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"reinforcement learning needs {' and '.join(missing)}: "
            'pip install "explorative-user-env[rl]"'
        )
