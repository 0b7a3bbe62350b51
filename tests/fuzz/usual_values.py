"""What is right, of users and of how much is done."""

from collections.abc import Sequence
from typing import Any

from explorative_user_env.users import model as confidence
from explorative_user_env.users.population import RELEASED

NAMES = ("BAIR", "T&S", "UNI", "EXP3", "UCB1", "Thompson", "SE", "Full-information")

USERS: dict[str, Sequence[Any]] = {
    "setting": ("printed", "released", RELEASED),
    "n_arms": (2, 3, 4),
    "alpha": (1.0, 0.5, 2),
    "gap": (None, 0.1, 0.9),
    "noise": (0.0, 0.1, 1),
    "means": (None, "uniform_with_room"),
    "rho": (None, 1.5, "acceptance_rate", confidence.constant(1.2)),
    "reward_law": ("gaussian", "bounded"),
    "behaviour": ("explorative", "omniscient", "forgetful", "logistic"),
}
"""Right values of what is said of users."""


SIZES = frozenset(
    {"n_arms", "n_instances", "max_steps", "horizon", "baseline_time", "num_envs", "n_envs"}
    | {"workers", "n0", "n1", "confirm", "n_paths", "max_episode_steps", "m"}
)
