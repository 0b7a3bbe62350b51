"""Which algorithm trains with what: the hyperparameters that worked, found by trial."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import LinearSchedule

from explorative_user_env.tasks import BAI, POPULATION, Task
from explorative_user_env.validation import InvalidArgumentError, choice
from explorative_user_env.wrappers.features import SORTED_POPULATION


@dataclass(frozen=True)
class Recipe:
    """How one algorithm is trained.

    Attributes:
        library: "stable_baselines3" or "sb3_contrib".
        algorithm: the name of its class there.
        policy: the policy's name.
        observation: what the policy sees of a user.
        options: all options of the class that are not its defaults.
        n_envs: users in step.
        needs_masks: whether it trains only where there are masks.
        scales_rewards: whether rewards are divided by the spread of returns.
    """

    library: str
    algorithm: str
    policy: str
    observation: str
    options: Mapping[str, Any]
    n_envs: int = 64
    needs_masks: bool = False
    scales_rewards: bool = True

    def shows(self, task: Task) -> str:
        """Return what the policy sees in this task, where nothing else is said."""
        sorted_arms = self.observation == "sorted-counts"
        return SORTED_POPULATION if task == POPULATION and sorted_arms else self.observation

    @property
    def model(self) -> type[BaseAlgorithm]:
        """The class of the algorithm."""
        made: type[BaseAlgorithm] = getattr(import_module(self.library), self.algorithm)
        return made


NETWORK = {"net_arch": [64, 64]}

POLICY_GRADIENT: Mapping[str, Any] = {
    "n_steps": 256,
    "batch_size": 512,
    "n_epochs": 4,
    "learning_rate": LinearSchedule(1e-3, 0.0, 1.0),
    "gamma": 0.995,
    "gae_lambda": 0.95,
    "ent_coef": 0.0,
    "policy_kwargs": NETWORK,
}
"""Many users and long looks ahead: one response says little, and what it taught pays later."""

RECIPES: Mapping[str, Recipe] = {
    "ppo": Recipe("stable_baselines3", "PPO", "MlpPolicy", "sorted-counts", POLICY_GRADIENT),
    "maskable-ppo": Recipe(
        "sb3_contrib",
        "MaskablePPO",
        "MlpPolicy",
        "sorted-counts",
        {**POLICY_GRADIENT, "n_steps": 128, "batch_size": 1024, "gamma": 0.999},
        n_envs=256,
        needs_masks=True,
        scales_rewards=False,
    ),
    "recurrent-ppo": Recipe(
        "sb3_contrib",
        "RecurrentPPO",
        "MlpLstmPolicy",
        "last-step",
        {
            **POLICY_GRADIENT,
            "n_steps": 128,
            "n_epochs": 4,
            "policy_kwargs": {"lstm_hidden_size": 64, **NETWORK},
        },
    ),
    "dqn": Recipe(
        "stable_baselines3",
        "DQN",
        "MlpPolicy",
        "sorted-counts",
        {
            "learning_rate": 5e-4,
            "buffer_size": 200_000,
            "learning_starts": 20_000,
            "batch_size": 512,
            "train_freq": 4,
            "gradient_steps": 4,
            "gamma": 0.99,
            "target_update_interval": 2_000,
            "exploration_fraction": 0.3,
            "exploration_final_eps": 0.02,
            "policy_kwargs": NETWORK,
        },
    ),
}
"""By the names of the command line."""


def recipe_for(algo: str, task: Task) -> Recipe:
    """Return the recipe called `algo`, if it can be trained for this task."""
    recipe = RECIPES[choice("algo", algo, RECIPES)]
    if recipe.needs_masks and task != BAI:
        raise InvalidArgumentError("task", task.name, f'"bai" for {algo}, as it needs masks')
    return recipe
