"""Reinforcement learning with Stable-Baselines3: train models, load them, use them as agents.

Needs the extra `rl`; without it, the import raises an error with the command to install it.
"""

from explorative_user_env.validation import require

#: Modules of the extra `rl`.
MODULES = ("stable_baselines3", "sb3_contrib")

require("reinforcement learning needs", "rl", MODULES)

from explorative_user_env.rl.agent import SB3Agent  # noqa: E402
from explorative_user_env.rl.models import load_agent  # noqa: E402
from explorative_user_env.rl.training import train  # noqa: E402
from explorative_user_env.rl.vec_env import SB3VecEnv, make_sb3_vec_env  # noqa: E402
from explorative_user_env.shipped import shipped_models  # noqa: E402

__all__ = ["SB3Agent", "SB3VecEnv", "load_agent", "make_sb3_vec_env", "shipped_models", "train"]
