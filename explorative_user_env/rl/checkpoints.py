"""A training that can be gone on with, to the very model that it would have come to undisturbed.

A checkpoint is taken where a rollout begins. It has the weights, the optimiser and the states of
random streams, and what the users were recommended since the one before: they meet it all again
when the training goes on, which takes a small part of the time that learning from it took. So
nothing of theirs is kept, and no code of a file is run.
"""

import base64
import io
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from explorative_user_env.protocol import Array
from explorative_user_env.results.parts import NoPieces
from explorative_user_env.results.records import record_of
from explorative_user_env.results.store import Store
from explorative_user_env.rl.callback import TrainingWatch
from explorative_user_env.validation import InvalidArgumentError

CHECKPOINTS = 50
"""How many a training has at most, at equal distances."""

COUNTERS = (
    "num_timesteps",
    "_n_updates",
    "_n_calls",
    "_episode_num",
    "exploration_rate",
    "_current_progress_remaining",
)
"""Attributes of models, those of some of them, that say how far they are."""

LSTM_STATES = "_last_lstm_states"
"""The attribute of recurrent models with what they remember of the users."""


class Checkpoints(BaseCallback):
    """Keep checkpoints of a training, and go on from the last of them.

    Args:
        store: what keeps them; nothing does if it is None.
        watch: what evaluates the model in training, and remembers what it found.
        steps: of the whole training.
    """

    def __init__(self, store: Store | None, watch: TrainingWatch, steps: int) -> None:
        super().__init__()
        self._kept = NoPieces() if store is None else store.pieces({"what": "training"})
        self._watch, self._steps, self._distance = watch, steps, steps / CHECKPOINTS
        self._actions: list[Array] = []
        self._last = 0
        self._began, self.cpu_seconds = time.process_time(), 0.0

    def learn(self, model: BaseAlgorithm) -> None:
        """Train a model that has learnt nothing, from the last checkpoint on if there is one.

        Raises:
            InvalidArgumentError: if it cannot be read.
        """
        if pieces := self._kept.found():
            try:
                self._restore(model, pieces)
            except Exception as error:  # whatever is wrong inside the file
                allowed = f"one of this training ({type(error).__name__}: {error})"
                raise InvalidArgumentError("checkpoint", len(pieces), allowed) from error
        left = self._steps - model.num_timesteps
        watches: list[BaseCallback] = [self._watch, self]
        model.learn(left, callback=watches, reset_num_timesteps=not pieces)

    def _restore(self, model: BaseAlgorithm, pieces: Sequence[Any]) -> None:
        _meet_again(model, [actions for piece in pieces for actions in _unpacked(piece)])
        last = pieces[-1]
        state = torch.load(io.BytesIO(base64.b64decode(last["state"])), weights_only=True)
        model.set_parameters(state["parameters"], exact_match=True, device=model.device)
        for name, value in last["counters"].items():
            setattr(model, name, value)
        if state["lstm"] is not None:
            setattr(model, LSTM_STATES, type(getattr(model, LSTM_STATES))(*state["lstm"]))
        torch.set_rng_state(state["torch"])
        kind, words, *rest = last["numpy"]
        # Stable-Baselines3 draws from the global one.
        np.random.set_state((kind, np.array(words, np.uint32), *rest))  # noqa: NPY002
        model.action_space.np_random.bit_generator.state = last["space"]
        self._watch.evaluations = list(last["evaluations"])
        self._last, self.cpu_seconds = model.num_timesteps, last["cpu_seconds"]

    def _on_step(self) -> bool:
        self._actions.append(np.asarray(self.locals["actions"]).reshape(-1).copy())
        return True

    def _on_rollout_start(self) -> None:
        if self._actions and self.num_timesteps >= self._last + self._distance:
            self._kept.add(self._checkpoint())
            self._actions, self._last = [], self.num_timesteps

    def used(self) -> float:
        """Return the seconds of the processor that the training has taken, all in all."""
        return self.cpu_seconds + time.process_time() - self._began

    def _checkpoint(self) -> dict[str, Any]:
        model, states = self.model, getattr(self.model, LSTM_STATES, None)
        state = {
            "parameters": model.get_parameters(),
            "torch": torch.get_rng_state(),
            "lstm": None if states is None else tuple(map(tuple, states)),
        }
        written = io.BytesIO()
        torch.save(state, written)
        kind, words, *rest = np.random.get_state()  # noqa: NPY002
        counters = {name: getattr(model, name) for name in COUNTERS if hasattr(model, name)}
        told: dict[str, Any] = record_of(
            {
                "counters": counters,
                "numpy": [kind, list(words), *rest],
                "space": dict(model.action_space.np_random.bit_generator.state),
                "evaluations": self._watch.evaluations,
                "cpu_seconds": self.used(),
            }
        )
        return told | _packed(self._actions) | {"state": _text(written.getvalue())}


def _meet_again(model: BaseAlgorithm, steps: list[Array]) -> None:
    """Let a model's users be recommended again what they were, and say again what they said."""
    trained: Any = model
    env, scaled = trained.get_env(), trained.get_vec_normalize_env()
    trained._last_obs = env.reset()
    trained._last_episode_starts = np.ones(env.num_envs, bool)
    if scaled is not None:
        trained._last_original_obs = scaled.get_original_obs()
    buffer = getattr(trained, "replay_buffer", None)
    for actions in steps:
        observations, rewards, dones, infos = env.step(actions)
        if buffer is not None:
            trained._store_transition(buffer, actions, observations, rewards, dones, infos)
        trained._last_obs, trained._last_episode_starts = observations, dones


def _packed(actions: list[Array]) -> dict[str, Any]:
    """Return the actions of some steps, shape (steps, users), as text."""
    whole = np.array(actions, np.uint32)
    return {"shape": list(whole.shape), "actions": _text(zlib.compress(whole.tobytes()))}


def _unpacked(piece: Mapping[str, Any]) -> list[Array]:
    whole = np.frombuffer(zlib.decompress(base64.b64decode(piece["actions"])), np.uint32)
    return list(whole.reshape(piece["shape"]).astype(np.int64))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
