"""Training recipes, and the loader of trained models, which runs no code of a model's file."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from explorative_user_env.files import check_one_run, from_json
from explorative_user_env.protocol import BAI, POPULATION, Task
from explorative_user_env.results.records import versions_of
from explorative_user_env.rl.agent import SB3Agent
from explorative_user_env.rl.vec_env import make_sb3_vec_env
from explorative_user_env.shipped import SETTINGS_FILE, shipped_models
from explorative_user_env.validation import InvalidArgumentError, choice, count
from explorative_user_env.wrappers.observations import SORTED_POPULATION

MODEL_FILE, PROGRESS_FILE = "model.zip", "training.csv"

#: Most lanes, and most arms, of a training; the learner stores some hundred steps of each.
MOST_LANES = 10_000

#: Most bytes of an unpacked member of a model's zip file.
LARGEST_PART = 2**28


@dataclass(frozen=True)
class Recipe:
    """The training settings of one algorithm.

    Attributes:
        library: "stable_baselines3" or "sb3_contrib".
        algorithm: name of the algorithm's class in the library.
        options: options of the class that differ from its defaults.
        policy: name of the policy.
        observation: name of the policy's observation.
        n_envs: number of lanes.
        needs_masks: whether the algorithm needs a task with action masks.
        scales_rewards: whether rewards are divided by the standard deviation of returns.
    """

    library: str
    algorithm: str
    options: Mapping[str, Any]
    policy: str = "MlpPolicy"
    observation: str = "sorted-counts"
    n_envs: int = 64
    needs_masks: bool = False
    scales_rewards: bool = True

    def shows(self, task: Task) -> str:
        """Return the default observation for this task."""
        sorted_arms = self.observation == "sorted-counts"
        return SORTED_POPULATION if task == POPULATION and sorted_arms else self.observation

    @property
    def model(self) -> type[BaseAlgorithm]:
        """The class of the algorithm."""
        kind: type[BaseAlgorithm] = getattr(import_module(self.library), self.algorithm)
        return kind

    def options_for(self, n_envs: int) -> dict[str, Any]:
        """Return the options for `n_envs` lanes; no batch exceeds the steps of a rollout."""
        options = dict(self.options)
        if "n_steps" in options:
            options["batch_size"] = min(options["batch_size"], n_envs * options["n_steps"])
        return options

    def untrained(self, env: VecEnv, **given: Any) -> BaseAlgorithm:
        """Return a model with initial weights, on the CPU."""
        options = self.options_for(env.num_envs)
        return self.model(self.policy, env, device="cpu", **options, **given)


NETWORK = {"net_arch": [64, 64]}

#: Many lanes and a high gamma: one response is weak evidence, and exploration pays off late.
POLICY_GRADIENT: dict[str, Any] = {"n_steps": 256, "batch_size": 512, "n_epochs": 4}
POLICY_GRADIENT |= {"learning_rate": LinearSchedule(1e-3, 0.0, 1.0), "gamma": 0.995}
POLICY_GRADIENT |= {"gae_lambda": 0.95, "ent_coef": 0.0, "policy_kwargs": NETWORK}

RECURRENT = POLICY_GRADIENT | {"n_steps": 128, "policy_kwargs": {"lstm_hidden_size": 64, **NETWORK}}
MASKABLE = POLICY_GRADIENT | {"n_steps": 128, "batch_size": 1024, "gamma": 0.999}

DQN: dict[str, Any] = {"learning_rate": 5e-4, "buffer_size": 200_000, "learning_starts": 20_000}
DQN |= {"batch_size": 512, "train_freq": 4, "gradient_steps": 4, "gamma": 0.99}
DQN |= {"target_update_interval": 2_000, "exploration_fraction": 0.3}
DQN |= {"exploration_final_eps": 0.02, "policy_kwargs": NETWORK}

#: Recipes by the algorithm's name on the command line.
RECIPES: Mapping[str, Recipe] = {
    "ppo": Recipe("stable_baselines3", "PPO", POLICY_GRADIENT),
    "maskable-ppo": Recipe(
        "sb3_contrib", "MaskablePPO", MASKABLE, n_envs=256, needs_masks=True, scales_rewards=False
    ),
    "recurrent-ppo": Recipe(
        "sb3_contrib", "RecurrentPPO", RECURRENT, policy="MlpLstmPolicy", observation="last-step"
    ),
    "dqn": Recipe("stable_baselines3", "DQN", DQN),
}


def recipe_for(algo: str, task: Task) -> Recipe:
    """Return the recipe of an algorithm, or raise an error if the task lacks required masks."""
    recipe = RECIPES[choice("algo", algo, RECIPES)]
    if recipe.needs_masks and task != BAI:
        raise InvalidArgumentError("task", task.name, f'"bai", as {algo} needs masks')
    return recipe


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries on which a training depends."""
    return versions_of(("gymnasium", "numpy", "sb3-contrib", "stable-baselines3", "torch"))


def load_agent(
    source: str | Path, *, deterministic: bool | None = None, name: str | None = None
) -> SB3Agent:
    """Load a trained model as an agent.

    The loader reads weights and numbers, and takes everything else from the settings file. Unlike
    `load` of Stable-Baselines3 it never runs code from the model's file.

    Args:
        source: a folder written by a training, or the name of a model of this package.
        deterministic: as in `SB3Agent`.
        name: the agent's name in tables; None is the name of the algorithm, such as "PPO".

    Raises:
        InvalidArgumentError: if there is no model, the model cannot be read, or its files come from
            different trainings.
    """
    folder = shipped_models().get(str(source), Path(source))
    check_one_run("model", folder, (MODEL_FILE, SETTINGS_FILE))
    try:
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        given = {name: settings[name] for name in ("task", "observation", "horizon")}
        mask, setting = map(settings["environment"].get, ("mask", "setting"))
        recipe = RECIPES[settings["algo"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        shipped = f"or a model of the package ({', '.join(shipped_models())})"
        allowed = f"a folder written by `explorative-user train`, {shipped}"
        raise InvalidArgumentError("model", str(source), allowed) from error
    given |= {"mask": mask, "n_users": settings.get("n_users")}
    weights = {}
    try:
        with ZipFile(folder / MODEL_FILE) as archive:
            if max(part.file_size for part in archive.infolist()) > LARGEST_PART:
                raise ValueError(f"a file in the archive has more than {LARGEST_PART} bytes")
            data = from_json(archive.read("data"))
            for part in ("policy", "policy.optimizer"):
                content = io.BytesIO(archive.read(f"{part}.pth"))
                weights[part] = torch.load(content, map_location="cpu", weights_only=True)
        users = make_sb3_vec_env(
            count("n_envs", settings.get("n_envs", 1), 1, MOST_LANES),
            n_arms=count("n_arms", settings["n_arms"], 2, MOST_LANES),
            **{option: value for option, value in given.items() if value is not None},
        )
        model: Any = recipe.untrained(users)
        model.set_parameters(weights, exact_match=True, device="cpu")
        if hasattr(model, "exploration_rate"):
            model.exploration_rate = float(data["exploration_rate"])
        model.env = None
    except InvalidArgumentError:
        raise
    except Exception as error:  # a damaged file may raise any exception
        allowed = f"a model that can be read ({type(error).__name__}: {error})"
        raise InvalidArgumentError("model", str(source), allowed) from error
    agent = SB3Agent(model, **given, deterministic=deterministic, name=name)
    if isinstance(setting, str):
        agent.trained_on["setting"] = setting
    return agent
