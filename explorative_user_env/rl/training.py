"""`train`: one call from an algorithm's name to a model that stands beside BAIR."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from explorative_user_env.compiled.waiting import compiling_told
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.evaluation.request import check_behaviour
from explorative_user_env.files import Folder
from explorative_user_env.population import (
    Population,
    lists_user_options,
    population_of,
    split_options,
)
from explorative_user_env.results.store import Store
from explorative_user_env.rl.agent import SB3Agent
from explorative_user_env.rl.callback import TrainingWatch
from explorative_user_env.rl.checkpoints import Checkpoints
from explorative_user_env.rl.make import make_sb3_vec_env
from explorative_user_env.rl.models import save_model, versions
from explorative_user_env.rl.policies import one_thread
from explorative_user_env.rl.recipes import Recipe, recipe_for
from explorative_user_env.rl.vec_env import SB3VecEnv
from explorative_user_env.seeding import number_of_users
from explorative_user_env.tasks import POPULATION, Task, as_task, kept_steps
from explorative_user_env.validation import InvalidArgumentError, count, integer

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
