"""What a file of Stable-Baselines3 keeps beside its weights, read without running any of it.

Such a file holds JSON, and pickles among it, and a pickle is a program: whatever it names is called
when it is read. Here names become records that do nothing, arrays and plain values are all that is
made, and what playing a model needs is built anew from these. What only its training needed is left
out.
"""

import base64
import io
import pickle
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.utils import ConstantSchedule, FloatSchedule, LinearSchedule

from explorative_user_env.envs.spaces import labelled
from explorative_user_env.files import from_json
from explorative_user_env.validation import InvalidArgumentError

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
