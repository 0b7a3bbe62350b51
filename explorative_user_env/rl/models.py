"""Trained models as folders: the model, how it was made, and how it came along."""

import base64
import io
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import ConstantSchedule, FloatSchedule, LinearSchedule

from explorative_user_env.envs.user import labelled
from explorative_user_env.files import Folder, check_one_run, from_json
from explorative_user_env.protocol import BAI, POPULATION, Task
from explorative_user_env.results.records import versions_of
from explorative_user_env.rl.agent import SB3Agent
from explorative_user_env.shipped import SETTINGS_FILE, shipped_models
from explorative_user_env.validation import InvalidArgumentError, choice, require
from explorative_user_env.wrappers.observations import SORTED_POPULATION

BROUGHT = ("stable_baselines3", "sb3_contrib")


def require_rl() -> None:
    """Make sure that Stable-Baselines3 and sb3-contrib are there.

    Raises:
        MissingExtraError: naming what is missing and the command that installs it.
    """
    require("reinforcement learning needs", "rl", BROUGHT)


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


TRAININGS_OWN = frozenset(
    {
        "_last_episode_starts",
        "_last_lstm_states",
        "_last_original_obs",
        "action_noise",
        "ep_info_buffer",
        "ep_success_buffer",
        "exploration_schedule",  # made anew from what JSON says of it
        "replay_buffer_class",  # None is the algorithm's own, and so for the next
        "rollout_buffer_class",
    }
)
"""Pickles that are not read, as no answer of a model rests on them."""

_OF_ARRAYS = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}
"""What a pickle may call: the makers of arrays and of NumPy's numbers."""


class _Record:
    """What stands in a pickle for an object whose class is not looked up."""

    kind = ""
    args: tuple[Any, ...]
    state: Any

    def __new__(cls, *args: Any) -> "_Record":
        record = object.__new__(cls)
        record.args, record.state = args, {}
        return record

    def __init__(self, *args: Any) -> None:
        """Nothing: a pickle makes objects with or without it."""

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Inert(pickle.Unpickler):
    """Reads arrays, plain values and records."""

    def find_class(self, module: str, name: str) -> Any:
        module = module.replace("numpy.core.", "numpy._core.")  # as NumPy 1 calls it
        if (module, name) in _OF_ARRAYS:
            return getattr(import_module(module), name)
        return type(name, (_Record,), {"kind": f"{module}.{name}"})


def kept_in(path: Path, algorithm: type[BaseAlgorithm], policy: str) -> dict[str, Any]:
    """Return what stands in place of every pickle of a model's file, for SB3's `custom_objects`.

    Args:
        path: the file.
        algorithm: the class of the model.
        policy: the name of its policy there.

    Raises:
        InvalidArgumentError: naming a pickle of which nothing is known, or that is not what it
            should be.
        Exception: for a file that cannot be read.
    """
    with ZipFile(path) as archive:
        data = from_json(archive.read("data"))
        for name in archive.namelist():
            if name.endswith(".pth"):
                _look_at_weights(name, archive.read(name))
    aliases: Mapping[str, type] = algorithm.policy_aliases
    known = {**_READ, "policy_class": _one_of(aliases[policy])}
    kept: dict[str, Any] = {}
    for key, value in data.items():
        if not isinstance(value, dict) or ":serialized:" not in value:
            continue
        if key in TRAININGS_OWN:
            kept[key] = None
        elif key in known:
            kept[key] = _read(key, value[":serialized:"], known[key])
        else:
            raise _refused(key)
    return kept


def _look_at_weights(name: str, content: bytes) -> None:
    """Make sure that weights are no more than that: SB3 before 2.8 would run what else is there."""
    try:
        torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # whatever else it is
        raise _refused(name) from error


def _read(key: str, text: str, build: Callable[[Any], Any]) -> Any:
    try:
        return build(_Inert(io.BytesIO(base64.b64decode(text))).load())
    except Exception as error:  # whatever is wrong inside the pickle
        raise _refused(key) from error


def _refused(key: str) -> InvalidArgumentError:
    allowed = "a model whose file keeps nothing pickled but what is known of such models"
    return InvalidArgumentError("model", key, allowed)


def _state(thing: Any, kind: str) -> Mapping[str, Any]:
    """Return the attributes of a record of this kind."""
    if not isinstance(thing, _Record) or thing.kind != kind:
        raise ValueError(f"no {kind}")
    return dict(thing.state)


def _one_of(policy: type) -> Callable[[Any], Any]:
    """Return what makes sure that a policy's class is this one."""

    def read(found: Any) -> type:
        named = getattr(found, "kind", None)
        if named != f"{policy.__module__}.{policy.__qualname__}":
            raise ValueError(f"{named} is another policy")
        return policy

    return read


def _space(found: Any) -> spaces.Space[Any]:
    """Return a space with what is written on it (see `envs.spaces.labelled`)."""
    space: spaces.Space[Any]
    if getattr(found, "kind", None) == "gymnasium.spaces.discrete.Discrete":
        state = _state(found, found.kind)
        space = spaces.Discrete(int(state["n"]), start=int(state["start"]))
    else:
        state = _state(found, "gymnasium.spaces.box.Box")
        space = spaces.Box(state["low"], state["high"], dtype=state["dtype"].type)
    reading = dict(state.get("reading", {}))
    if not all(isinstance(value, str | int | None) for value in reading.values()):
        raise ValueError("a label is a word or a number")
    return labelled(space, **reading) if reading else space


def _schedule(found: Any) -> Any:
    """Return a schedule of a rate: a number, or one of SB3's own."""
    match found.kind.rpartition(".")[2] if isinstance(found, _Record) else "":
        case "LinearSchedule":
            state = found.state
            return LinearSchedule(*(float(state[k]) for k in ("start", "end", "end_fraction")))
        case "ConstantSchedule":
            return ConstantSchedule(float(found.state["val"]))
        case "FloatSchedule":
            return FloatSchedule(_schedule(found.state["value_schedule"]))
    return float(found)


def _array(found: Any) -> Any:
    """Return an array of numbers."""
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biuf":
        raise ValueError("no array of numbers")
    return found


def _train_freq(found: Any) -> tuple[int, str]:
    """Return how often an off-policy model is trained, as SB3 takes it."""
    every, unit = found.args
    return int(every), str(unit.args[0])


def _policy_kwargs(found: Any) -> dict[str, Any]:
    """Return the options of a network; classes in them are those of PyTorch."""
    return {str(name): _option(value) for name, value in dict(found).items()}


def _option(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, _Record):
        module, _, name = value.kind.rpartition(".")
        if not module.startswith(("torch.optim.", "torch.nn.modules.activation")):
            raise ValueError(f"{value.kind} is no part of a network")
        made = getattr(import_module(module), name)
        if not isinstance(made, type):
            raise ValueError(f"{value.kind} is no class")
        return made
    if isinstance(value, dict):
        return {str(name): _option(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_option(each) for each in value]
    if not isinstance(value, str | int | float | None):
        raise ValueError("no plain value")
    return value


_READ: Mapping[str, Callable[[Any], Any]] = {
    "observation_space": _space,
    "action_space": _space,
    "_last_obs": _array,
    "learning_rate": _schedule,
    "lr_schedule": _schedule,
    "clip_range": _schedule,
    "clip_range_vf": _schedule,
    "train_freq": _train_freq,
    "policy_kwargs": _policy_kwargs,
}
"""What makes each of the pickles that are read, from the records in it."""


MODEL_FILE, PROGRESS_FILE = "model.zip", "training.csv"

MODEL_LIBRARIES = (
    "gymnasium",
    "numpy",
    "sb3-contrib",
    "stable-baselines3",
    "torch",
)
"""What the numbers of a training may depend on."""


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that a training rests on."""
    return versions_of(MODEL_LIBRARIES)


def save_model(
    folder: Folder,
    model: BaseAlgorithm,
    settings: Mapping[str, Any],
    progress: Sequence[Mapping[str, Any]],
) -> list[Path]:
    """Write a model, its settings and its evaluations in training; all of it or nothing."""
    text = json.dumps(settings, indent=2) + "\n"
    return folder.write(
        {
            MODEL_FILE: lambda path: model.save(path),
            SETTINGS_FILE: lambda path: path.write_text(text, encoding="utf-8"),
            PROGRESS_FILE: lambda path: pd.DataFrame(progress).to_csv(path, index=False),
        }
    )


def settings_of(source: str | Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a model and its settings.

    Args:
        source: a folder that a training has written, or the name of a model of this package.

    Raises:
        InvalidArgumentError: if there is no model, or its files are not all of one training.
    """
    folder = shipped_models().get(str(source), Path(source))
    check_one_run("model", folder, (MODEL_FILE, SETTINGS_FILE))
    try:
        settings = from_json((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        needed = {"task", "observation", "horizon", "environment"} - set(settings)
        if settings["algo"] not in RECIPES or needed:
            raise KeyError(*needed)
        if not isinstance(settings["environment"], dict):
            raise TypeError("environment")
    except (OSError, ValueError, KeyError, TypeError) as error:
        names = ", ".join(shipped_models())
        raise InvalidArgumentError(
            "model",
            str(source),
            f"a folder written by `explorative-user train`, or a model of the package ({names})",
        ) from error
    return folder, settings


def load_agent(
    source: str | Path, *, deterministic: bool | None = None, name: str | None = None
) -> SB3Agent:
    """Return a saved model as an agent of the harness.

    No code in the file is run, as it is where Stable-Baselines3 loads a model itself: of what is
    pickled there only arrays, spaces, schedules and the names of classes are read (see
    `rl.stored`). Buffers and counters of the training are left out.

    Args:
        source: a folder that a training has written, or the name of a model of this package.
        deterministic: as in `SB3Agent`.
        name: what tables call the agent; None is the algorithm's name, as "PPO".

    Raises:
        InvalidArgumentError: if there is no model, it cannot be read, or its file has something
            pickled that is not known of such models.
    """
    folder, settings = settings_of(source)
    recipe = RECIPES[settings["algo"]]
    algorithm, path = recipe.model, folder / MODEL_FILE
    try:
        kept = kept_in(path, algorithm, recipe.policy)
        model = algorithm.load(path, device="cpu", custom_objects=kept)
    except InvalidArgumentError:
        raise
    except Exception as error:  # whatever is wrong inside the file
        raise InvalidArgumentError(
            "model", str(source), f"a model that can be read ({type(error).__name__}: {error})"
        ) from error
    agent = SB3Agent(
        model,
        task=settings["task"],
        observation=settings["observation"],
        horizon=settings["horizon"],
        mask=settings["environment"].get("mask", "rejections"),
        deterministic=deterministic,
        name=name,
        n_users=settings.get("n_users"),
    )
    if isinstance(setting := settings["environment"].get("setting"), str):
        agent.trained_on["setting"] = setting
    return agent
