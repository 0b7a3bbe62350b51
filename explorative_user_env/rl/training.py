"""`train`: train a model in one call, with evaluations and with checkpoints that resume exactly."""

import base64
import inspect
import io
import json
import time
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, ConvertCallback
from stable_baselines3.common.type_aliases import MaybeCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.evaluation import evaluate
from explorative_user_env.evaluation.runner import check_behaviour
from explorative_user_env.files import Folder
from explorative_user_env.kernels.compiler import on_compiling
from explorative_user_env.protocol import POPULATION, Array, Task, as_task, stored_steps
from explorative_user_env.results.store import Store
from explorative_user_env.rl import models
from explorative_user_env.rl.agent import SB3Agent, one_thread
from explorative_user_env.rl.models import recipe_for
from explorative_user_env.rl.vec_env import make_sb3_vec_env
from explorative_user_env.seeding import number_of_users
from explorative_user_env.shipped import SETTINGS_FILE
from explorative_user_env.users import population as options_of_users
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, count, integer, known_names

#: Number of evaluations in a training, at equal distances.
EVALUATIONS = 10
#: Seed of the evaluation users; training users and the users of tables have other seeds.
EVALUATION_SEED = 2**31

#: Most checkpoints of a training, at equal distances.
CHECKPOINTS = 50

#: Largest seed of Stable-Baselines3.
LARGEST_SEED = 2**32 - 1

#: Attributes with the progress of a training; no model has all of them.
COUNTERS = ["num_timesteps", "_n_updates", "_n_calls", "_episode_num", "exploration_rate"]
COUNTERS += ["_current_progress_remaining"]

#: Arguments of `train` that only the environment reads.
OF_ENVIRONMENT = ("reward", "step_cost", "mask", "n_users", "deviation")

#: Arguments of Stable-Baselines3's algorithms that a recipe or an argument of `train` determines.
#: `load_agent` rebuilds the network from the recipe, so its size is fixed.
FIXED = {"policy", "env", "device", "seed", "tensorboard_log", "policy_kwargs"}
FIXED |= {"_init_setup_model"}

LSTM_STATES = "_last_lstm_states"


class Watch(BaseCallback):
    """Report the progress of a training, evaluate its model ten times, and write checkpoints.

    A checkpoint contains the weights, the random states, and all actions since the last checkpoint.
    A resumed training replays all actions, which restores the users and the replay buffer. The
    checkpoints of Stable-Baselines3 lack the users, so a training would resume with new users.

    Args:
        as_agent: returns an agent of the current model.
        evaluation: the arguments of `evaluate` for the evaluations.
        steps: number of steps of the training.
        progress: called with (what, done, total).
        store: receives the checkpoints; None means that there are no checkpoints.
    """

    def __init__(
        self, as_agent: Any, evaluation: Any, steps: int, progress: OnProgress, store: Store | None
    ) -> None:
        super().__init__()
        self.evaluations: list[dict[str, Any]] = []
        self._as_agent, self._evaluation = as_agent, evaluation
        self._steps, self._progress, self._label = steps, progress, "training"
        self._stored = None if store is None else store.pieces({"what": "training"})
        self._actions: list[Array] = []
        self._last = 0
        self._began = time.process_time()

    def learn(self, model: BaseAlgorithm, others: MaybeCallback = None) -> None:
        """Train an untrained model, or resume from its last checkpoint, with other callbacks.

        Raises:
            InvalidArgumentError: if the checkpoint cannot be read.
        """
        pieces = self._stored.values() if self._stored else []
        if pieces:
            try:
                actions = [each for piece in pieces for each in np.array(piece["actions"])]
                _replay(model, actions)
                packed = io.BytesIO(base64.b64decode(pieces[-1]["state"]))
                state = torch.load(packed, weights_only=True)
                model.set_parameters(state["parameters"], exact_match=True, device=model.device)
                for name, value in state["counters"].items():
                    setattr(model, name, value)
                if state["lstm"] is not None:
                    states = type(getattr(model, LSTM_STATES))
                    setattr(model, LSTM_STATES, states(*state["lstm"]))
                torch.set_rng_state(state["torch"])
                kind, words, *rest = state["numpy"]
                np.random.set_state((kind, np.array(words, np.uint32), *rest))  # noqa: NPY002
                model.action_space.np_random.bit_generator.state = state["space"]
                self.evaluations, self._last = state["evaluations"], model.num_timesteps
                self._began -= state["cpu_seconds"]
            except Exception as error:  # a damaged file may raise any exception
                allowed = f"a checkpoint of this training ({type(error).__name__}: {error})"
                raise InvalidArgumentError("checkpoint", len(pieces), allowed) from error
        left = self._steps - model.num_timesteps
        several = others if isinstance(others, list) else [] if others is None else [others]
        callbacks = [
            each if isinstance(each, BaseCallback) else ConvertCallback(each) for each in several
        ]
        model.learn(left, callback=[self, *callbacks], reset_num_timesteps=not pieces)

    def used(self) -> float:
        """Return the training's processor time in seconds, including the time before a resume."""
        return time.process_time() - self._began

    def _on_step(self) -> bool:
        self._progress(self._label, min(self.num_timesteps, self._steps), self._steps)
        self._actions.append(np.asarray(self.locals["actions"]).reshape(-1).copy())
        return True

    def _on_rollout_start(self) -> None:
        due = self.num_timesteps >= self._last + self._steps / CHECKPOINTS
        if not (self._stored and self._actions and due):
            return
        model, states = self.model, getattr(self.model, LSTM_STATES, None)
        words: Any
        kind, words, *rest = np.random.get_state()  # noqa: NPY002 - SB3 draws from it
        state = {
            "parameters": model.get_parameters(),
            "torch": torch.get_rng_state(),
            "lstm": None if states is None else tuple(map(tuple, states)),
            "counters": {n: getattr(model, n) for n in COUNTERS if hasattr(model, n)},
            "numpy": [kind, words.tolist(), *rest],
            "space": dict(model.action_space.np_random.bit_generator.state),
            "evaluations": self.evaluations,
            "cpu_seconds": self.used(),
        }
        torch.save(state, written := io.BytesIO())
        packed = base64.b64encode(written.getvalue()).decode()
        self._stored.add({"actions": np.array(self._actions).tolist(), "state": packed})
        self._actions, self._last = [], self.num_timesteps

    def _on_rollout_end(self) -> None:
        if self.num_timesteps >= (len(self.evaluations) + 1) * self._steps / EVALUATIONS:
            self._evaluate()

    def _on_training_end(self) -> None:
        if not self.evaluations or self.evaluations[-1]["steps"] < self.num_timesteps:
            self._evaluate()

    def _evaluate(self) -> None:
        agent = self._as_agent()
        results = evaluate([agent], seed=EVALUATION_SEED, progress=False, **self._evaluation)
        names = ["regret"] if results.over_horizon else ["cost", "success", "stopping_time"]
        values = {name: float(results.summary()[name].iloc[0]) for name in names}
        self.evaluations.append({"steps": self.num_timesteps, **values})
        for name, value in values.items():
            self.logger.record(f"evaluation/{name}", value)
        self._label = ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def _replay(model: BaseAlgorithm, steps: list[Array]) -> None:
    """Repeat the actions of a training, to restore the users and the replay buffer."""
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


@options_of_users.lists_user_options()
@one_thread()  # the initial weights depend on the number of threads as well
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
    progress: bool | OnProgress = False,
    store: Store | None = None,
    callback: MaybeCallback = None,
    population: Population | None = None,
    **kwargs: Any,
) -> SB3Agent:
    """Train a model and return it as an agent.

    The same seed gives the same model on the same machine with the same library versions. PyTorch
    uses one thread, which is fastest for such small networks.

    Args:
        algo: "ppo", "maskable-ppo" (bai only), "dqn" or "recurrent-ppo".
        task: "regret", "bai" or "population".
        steps: total number of recommendations and answers, over all users, at least 1.
        seed: seed of the initial weights, the model's random draws and the users, in 0..2^32 - 1.
        observation: "response", "counts", "sorted-counts" or "last-step", in "population" also
            "population-counts" or "sorted-population-counts"; None is the algorithm's default.
        horizon: number of steps of an episode; None is 500 for regret and 2000 for bai. In
            "population" the number of steps of each user; None is 300.
        n_envs: number of lanes; None is the algorithm's default.
        evaluation_users: number of users in each of the ten evaluations during the training, at
            least 1, from the distribution of the training users. In "population" the number is
            rounded down to full episodes, but at least one episode.
        output: folder for the model, its settings and its evaluations; None writes nothing.
        tensorboard: folder for TensorBoard; needs the package tensorboard.
        progress: as in `evaluate`; also reports compilations.
        store: receives checkpoints, from which a training resumes; None means no checkpoints.
        callback: a callback of Stable-Baselines3, a list of callbacks, or a function of
            (locals, globals); the training ends if it returns False. A resumed training does not
            repeat its calls. None calls nothing.
        population: the users, as a record; None makes the record from `kwargs`.
        **kwargs: options of `Population`, of the environment (`reward`, `step_cost`, `mask`,
            `n_users`, `deviation`), and hyperparameters: arguments of the algorithm in
            Stable-Baselines3, such as `learning_rate`, except `policy_kwargs`. They replace the
            package's values.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """
    task = as_task(task)
    recipe = recipe_for(algo, task)
    hyperparameters = [
        name for name in inspect.signature(recipe.model).parameters if name not in FIXED
    ]
    *arguments, _ = inspect.signature(train).parameters
    known_names(kwargs, [*arguments, *OF_ENVIRONMENT, *hyperparameters])
    chosen = {name: kwargs.pop(name) for name in hyperparameters if name in kwargs}
    recipe = replace(recipe, options={**recipe.options, **chosen})
    user, rest = options_of_users.split_options(kwargs)
    users = options_of_users.population_of(population, user)
    check_behaviour(task, users)
    steps, seed = integer("steps", steps, 1), integer("seed", seed, 0, LARGEST_SEED)
    evaluation_users = number_of_users(evaluation_users, "evaluation_users")
    if tensorboard is not None and find_spec("tensorboard") is None:
        allowed = "left out, or tensorboard installed: pip install tensorboard"
        raise InvalidArgumentError("tensorboard", str(tensorboard), allowed)
    observation = recipe.shows(task) if observation is None else observation
    horizon = task.horizon if horizon is None else stored_steps("horizon", horizon)
    n_envs = recipe.n_envs if n_envs is None else n_envs
    n_envs = count("n_envs", n_envs, 1, models.MOST_LANES)
    seen: Any = {"task": task, "observation": observation, "horizon": horizon}
    envs = make_sb3_vec_env(n_envs, **seen, population=users, **rest)
    folder = Folder(Path(output)) if isinstance(output, str | Path) else output
    env: VecEnv = envs
    logs = None if tensorboard is None else str(tensorboard)
    try:
        options = recipe.options_for(n_envs)
        if recipe.scales_rewards:  # not the observations: the wrappers scale them
            env = VecNormalize(envs, norm_obs=False, gamma=float(options["gamma"]))
        model = recipe.untrained(env, seed=seed, tensorboard_log=logs)  # also seeds the users
    except Exception as error:
        if not chosen:
            raise
        allowed = f"accepted by {recipe.algorithm} ({type(error).__name__}: {error})"
        values = [*chosen.values()]
        value = values[0] if len(values) == 1 else values
        raise InvalidArgumentError(", ".join(chosen), value, allowed) from error

    def as_agent() -> SB3Agent:
        return SB3Agent(model, horizon=horizon, mask=rest.get("mask"))

    shared = {}
    if task == POPULATION:
        base: Any = envs.envs.unwrapped
        shared = {"n_users": base.n_users, "deviation": base.deviation}
    evaluation = {"task": task, "population": users} | shared
    evaluation |= {name: rest[name] for name in ("step_cost",) if name in rest}
    evaluation |= {} if task.ends_itself else {"horizon": horizon}
    evaluation["n_instances"] = max(1, evaluation_users // shared.get("n_users", 1))
    with shown(progress) as report:

        def tell(begins: bool) -> None:
            report("compiling" if begins else "training", 0, steps)

        reporting: Any = nullcontext() if progress is False else on_compiling(tell)
        watch = Watch(as_agent, evaluation, steps, report, store)
        with reporting:
            watch.learn(model, callback)
    if folder is not None:
        settings: dict[str, Any] = {"algo": algo, "task": task.name, "n_arms": users.n_arms}
        settings |= {"steps": steps, "seed": seed, "observation": observation, "horizon": horizon}
        settings |= {"n_envs": n_envs, **shared, "users": users.words()}
        settings |= {"environment": _plain({**user, **rest}), "options": _plain(options)}
        settings |= {"cpu_seconds": round(watch.used()), "versions": models.versions()}
        text = json.dumps(settings, indent=2) + "\n"
        evaluations = pd.DataFrame(watch.evaluations)
        files = {
            models.MODEL_FILE: model.save,
            SETTINGS_FILE: lambda path: path.write_text(text, encoding="utf-8"),
            models.PROGRESS_FILE: lambda path: evaluations.to_csv(path, index=False),
        }
        folder.write(files)
    return as_agent()


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return values that JSON can represent; others become their `repr`."""
    kinds = (bool, int, float, str, dict, type(None))
    return {name: each if isinstance(each, kinds) else repr(each) for name, each in values.items()}
