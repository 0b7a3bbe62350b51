"""`train`: one call from an algorithm's name to a model that stands beside BAIR."""

import base64
import io
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.request import check_behaviour
from explorative_user_env.files import Folder
from explorative_user_env.kernels.presence import compiling_told
from explorative_user_env.protocol import POPULATION, Array, Task, as_task, kept_steps
from explorative_user_env.results.records import record_of
from explorative_user_env.results.store import Pieces, Store
from explorative_user_env.rl.agent import SB3Agent, one_thread
from explorative_user_env.rl.models import Recipe, recipe_for, save_model, versions
from explorative_user_env.rl.vec_env import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.seeding import number_of_users
from explorative_user_env.users.population import (
    Population,
    lists_user_options,
    population_of,
    split_options,
)
from explorative_user_env.validation import InvalidArgumentError, count, integer

EVALUATIONS = 10
EVALUATION_SEED = 2**31
"""Of the users a model meets while it is trained: neither those it learns from nor a table's."""


class TrainingWatch(BaseCallback):
    """Report progress, and let the model meet the same users at ten points of its training.

    Args:
        as_agent: makes an agent of the model as it is.
        met: whom the model meets, as arguments of `evaluate`.
        steps: of the whole training.
        progress: called with (what, done, total).
    """

    def __init__(
        self,
        as_agent: Callable[[], SB3Agent],
        met: dict[str, Any],
        steps: int,
        progress: OnProgress,
    ) -> None:
        super().__init__()
        self.evaluations: list[dict[str, Any]] = []
        self._as_agent, self._met = as_agent, met
        self._steps, self._progress = steps, progress
        self._told = "training"

    def _on_step(self) -> bool:
        self._progress(self._told, min(self.num_timesteps, self._steps), self._steps)
        return True

    def _on_rollout_end(self) -> None:
        due = (len(self.evaluations) + 1) * self._steps / EVALUATIONS
        if self.num_timesteps >= due:
            self._evaluate()

    def _on_training_end(self) -> None:
        if not self.evaluations or self.evaluations[-1]["steps"] < self.num_timesteps:
            self._evaluate()

    def _evaluate(self) -> None:
        agent = self._as_agent()
        results = evaluate([agent], seed=EVALUATION_SEED, progress=False, **self._met)
        summary = results.summary().iloc[0]
        names = ("regret",) if results.over_horizon else ("cost", "success", "stopping_time")
        found = {name: float(summary[name]) for name in names}
        self.evaluations.append({"steps": self.num_timesteps, **found})
        for name, value in found.items():
            self.logger.record(f"evaluation/{name}", value)
        self._told = ", ".join(f"{name} {value:.4g}" for name, value in found.items())


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
        self._kept = Pieces() if store is None else store.pieces({"what": "training"})
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


LARGEST_SEED = 2**32 - 1
"""The largest that Stable-Baselines3 takes."""

MOST_TRAINED_ON = 10_000
"""Users in step: the learner keeps some hundred steps of each."""


@lists_user_options()
@one_thread()  # first weights, too, depend on how many there are
def train(
    algo: str = "ppo",
    *,
    task: Task | str = "regret",
    steps: int = 2_500_000,
    seed: int = 0,
    observation: str | None = None,
    horizon: int | None = None,
    n_envs: int | None = None,
    evaluation_users: int = 200,
    output: Folder | Path | str | None = None,
    tensorboard: Path | str | None = None,
    progress: OnProgress = silent,
    store: Store | None = None,
    population: Population | None = None,
    **kwargs: Any,
) -> SB3Agent:
    """Train a model and return it as an agent of the harness.

    The same seed gives the same model on the same machine and library versions. PyTorch runs on
    one thread meanwhile: for networks as small as these more are slower.

    Args:
        algo: "ppo", "maskable-ppo" (bai only), "dqn" or "recurrent-ppo".
        task: "regret", "bai" or "population".
        steps: recommendations and answers of all users together, at least 1.
        seed: of the model's first weights, its draws and the users, in 0..2^32 - 1.
        observation: "response", "counts", "sorted-counts" or "last-step", in "population" also
            "population-counts" or "sorted-population-counts"; None is the algorithm's.
        horizon: steps of an episode; None is 500 for regret and 2000 for bai. In "population" the
            steps of each user; None is 300.
        n_envs: users in step; None is the recipe's.
        evaluation_users: users that the model meets at ten points of its training, of the same
            kind as those it learns from and apart from them, at least 1. In "population" they come
            in whole episodes, of which there is one at least.
        output: folder for the model, its settings and its evaluations; None writes nothing.
        tensorboard: folder for TensorBoard; needs the package tensorboard.
        progress: called with (what, done, total), with what is compiled as well.
        store: what keeps checkpoints, if anything does; the training goes on from the last.
        population: who the users are, as a record; or give its options:
        **kwargs: the options of `Population`, and others of the environment (`reward`,
            `step_cost`, `mask`, `n_users`, `deviation`).

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    task = as_task(task)
    recipe = recipe_for(algo, task)
    user, rest = split_options(kwargs)
    users = population_of(population, user)
    check_behaviour(task, users)
    steps, seed = integer("steps", steps, 1), integer("seed", seed, 0, LARGEST_SEED)
    evaluation_users = number_of_users(evaluation_users, "evaluation_users")
    _check_tensorboard(tensorboard)
    observation = recipe.shows(task) if observation is None else observation
    horizon = task.horizon if horizon is None else kept_steps("horizon", horizon)
    n_envs = recipe.n_envs if n_envs is None else count("n_envs", n_envs, 1, MOST_TRAINED_ON)
    envs = make_sb3_vec_env(
        n_envs, task=task, observation=observation, horizon=horizon, population=users, **rest
    )
    folder = Folder(Path(output)) if isinstance(output, str | Path) else output
    options = dict(recipe.options)
    if "n_steps" in options:
        options["batch_size"] = min(options["batch_size"], n_envs * options["n_steps"])
    model = _untrained(recipe, envs, options, seed, tensorboard)

    def as_agent() -> SB3Agent:
        own = {"observation": observation, "mask": rest.get("mask", "rejections")}
        return SB3Agent(model, task=task, horizon=horizon, **own)

    shared = _shared(envs) if task == POPULATION else {}
    met = _met(task, users, evaluation_users, {**rest, **shared, "horizon": horizon})
    watch = TrainingWatch(as_agent, met, steps, progress)
    checkpoints = Checkpoints(store, watch, steps)
    with _compiling_told_to(progress, steps):
        checkpoints.learn(model)
    if folder is not None:
        made = {"algo": algo, "task": task.name, "n_arms": users.n_arms, "steps": steps}
        made |= {"seed": seed, "observation": observation, "horizon": horizon, "n_envs": n_envs}
        made |= shared
        given = {"environment": {**user, **rest}, "options": options}
        settings: dict[str, Any] = {**made, "users": users.words()}
        settings |= {name: _plain(values) for name, values in given.items()}
        settings |= {"cpu_seconds": round(checkpoints.used()), "versions": versions()}
        save_model(folder, model, settings, watch.evaluations)
    return as_agent()


def _met(
    task: Task, users: Population, evaluation_users: int, known: Mapping[str, Any]
) -> dict[str, Any]:
    """Return whom a model meets while it is trained, as arguments of `evaluate`."""
    named = ("step_cost", "n_users", "deviation") + (() if task.ends_itself else ("horizon",))
    met = {"task": task, "population": users}
    met |= {name: known[name] for name in named if name in known}
    return met | {"n_instances": max(1, evaluation_users // known.get("n_users", 1))}


def _shared(envs: SB3VecEnv) -> dict[str, Any]:
    """Return how many users come one after another, and how much they differ."""
    users: Any = envs.envs.unwrapped
    return {"n_users": users.n_users, "deviation": users.deviation}


@contextmanager
def _compiling_told_to(progress: OnProgress, steps: int) -> Iterator[None]:
    """Let `progress` tell the compiling of the block, if there is one."""
    if progress is silent:  # nobody has asked for it, so the usual line says why nothing happens
        yield
        return
    with compiling_told(lambda begins: progress("compiling" if begins else "training", 0, steps)):
        yield


def _check_tensorboard(folder: Path | str | None) -> None:
    if folder is not None and find_spec("tensorboard") is None:
        allowed = "left out, or tensorboard installed: pip install tensorboard"
        raise InvalidArgumentError("tensorboard", str(folder), allowed)


def _untrained(
    recipe: Recipe,
    users: SB3VecEnv,
    options: dict[str, Any],
    seed: int,
    tensorboard: Path | str | None,
) -> BaseAlgorithm:
    """Return a model with its first weights, about to meet its first users."""
    env: VecEnv = users
    if recipe.scales_rewards:  # observations are scaled as they are
        env = VecNormalize(users, norm_obs=False, gamma=float(options["gamma"]))
    return recipe.model(
        recipe.policy,
        env,
        seed=seed,  # of the users, too
        device="cpu",
        tensorboard_log=None if tensorboard is None else str(tensorboard),
        **options,
    )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that JSON can hold."""
    kinds = (bool, int, float, str, dict, type(None))
    return {
        name: value if isinstance(value, kinds) else repr(value) for name, value in values.items()
    }
