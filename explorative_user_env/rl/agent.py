"""`SB3Agent`: a trained model as an agent."""

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn.policies import QRDQNPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecNormalize
from stable_baselines3.dqn.policies import DQNPolicy

from explorative_user_env.envs import bai as bai_rules
from explorative_user_env.envs.counts import bounds_of
from explorative_user_env.envs.user import reading_of
from explorative_user_env.protocol import BAI, N_USERS, ONLY, POPULATION, Array, Task, as_task
from explorative_user_env.results.records import record_of
from explorative_user_env.validation import InvalidArgumentError, choice, flag
from explorative_user_env.wrappers import CHANGE_OBSERVATIONS
from explorative_user_env.wrappers import observations as kinds
from explorative_user_env.wrappers.observations import PolicyAgent

#: Users in one batch of a policy. Smaller batches are padded, so that all have the same rounding.
USERS_AT_ONCE = 64

#: The hidden state and the cell state of a recurrent policy, a row for each user.
Memory = tuple[Array, Array]


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread, which is reproducible, and faster for small networks."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _padded(rows: Array) -> Array:
    """Pad rows to `USERS_AT_ONCE` by repeating the first row."""
    missing = USERS_AT_ONCE - len(rows)
    return rows if missing == 0 else np.concatenate([rows, np.repeat(rows[:1], missing, axis=0)])


def _reading(model: BaseAlgorithm, takes_masks: bool, given: dict[str, Any]) -> dict[str, Any]:
    """Return task, observation, horizon, mask and n_users of a model's training.

    A value that is None in `given` comes from the model.

    Raises:
        InvalidArgumentError: if a value in `given` differs from the model's, or neither has one.
    """
    env, space, kind = model.get_env(), model.observation_space, type(model).__name__
    wrappers: tuple[Any, ...] = CHANGE_OBSERVATIONS
    unbounded = isinstance(space, spaces.Box) and not space.is_bounded()  # by NormalizeObservation
    if unbounded or (env is not None and any(any(env.env_is_wrapped(each)) for each in wrappers)):
        allowed = "observations of this package, in VecNormalize or unwrapped "
        allowed += "(a model does not save wrappers such as NormalizeObservation)"
        raise _not_read(model, allowed)
    labels = [reading_of(each) for each in (space, *([env.observation_space] if env else []))]
    labels = [label for label in labels if label] or [{}]
    known = {name: value for name, value in labels[0].items() if labels[-1].get(name) == value}
    given |= {} if given["task"] is None else {"task": as_task(given["task"]).name}

    def resolve(name: str, default: Any = None) -> Any:
        """Return the value in `given`, or else the saved value, or else `default`."""
        value = known.get(name, default) if given[name] is None else given[name]
        if value is None or value != known.get(name, value):
            allowed = f"{known.get(name)!r}, as in the training of {kind}"
            if value is None:
                allowed = f"given, as {kind} does not store it"
            raise InvalidArgumentError(name, value, allowed)
        return value

    task, observation = as_task(resolve("task")), resolve("observation")
    # The observation "response" has no scale; only the task bai has masks.
    scaled = observation != "response" or task == BAI
    per_episode = task == POPULATION and observation in kinds.POPULATION_OBSERVATIONS
    masked = takes_masks and task == BAI
    return {
        "task": task,
        "observation": observation,
        "horizon": resolve("horizon", None if scaled else task.horizon),
        "mask": resolve("mask") if masked else given["mask"] or bai_rules.MASKS[0],
        "n_users": resolve("n_users", None if per_episode else N_USERS),
    }


def _normaliser_of(model: BaseAlgorithm, given: VecNormalize | None) -> VecNormalize | None:
    """Return `given`, or else the `VecNormalize` of the model's environment, if there is one.

    Raises:
        InvalidArgumentError: if the normaliser does not fit the model, or is missing.
    """
    env, space = model.get_env(), cast(spaces.Box, model.observation_space)
    norm = model.get_vec_normalize_env()
    norm = norm if norm is not None and norm.norm_obs else None
    if given is None:
        last: Any = getattr(model, "_last_obs", None)  # saved with the model
        bounded = isinstance(space, spaces.Box) and isinstance(last, np.ndarray)
        if norm is None and bounded and not ((last >= space.low) & (last <= space.high)).all():
            allowed = "the VecNormalize of the model's training"
            raise InvalidArgumentError("normaliser", given, allowed)
        return norm
    fits = isinstance(given, VecNormalize) and given.norm_obs and (env is None or norm is not None)
    statistics: Any = getattr(given, "obs_rms", None)  # missing with norm_obs=False
    if not fits or np.shape(statistics.mean) != space.shape:
        allowed = f"the VecNormalize of its training, with observations of shape {space.shape}"
        raise InvalidArgumentError("normaliser", given, allowed)
    return given


def _not_read(model: BaseAlgorithm, trained_on: str) -> InvalidArgumentError:
    shown = f"{type(model).__name__}({model.observation_space}, {model.action_space})"
    return InvalidArgumentError("model", " ".join(shown.split()), f"trained on {trained_on}")


class SB3Agent(PolicyAgent):
    """An agent that acts by a trained model of Stable-Baselines3 or sb3-contrib.

    An evaluation runs many users at once. One user at a time would give the same results, as the
    agent has a random stream for each user. The observations are those of the wrappers in training.

    A model trained in an environment of this package saves the task, observation, horizon, mask and
    n_users of its training. An argument that is None takes the saved value; a value that differs
    from the saved value raises an error. Observations may be normalised by `VecNormalize`, but not
    by other wrappers.

    Args:
        model: the trained model (PPO, A2C, TRPO, DQN, QRDQN, RecurrentPPO, MaskablePPO, ...).
        task: task of the training, "regret", "bai" or "population".
        observation: observation of the training; "response", "counts", "sorted-counts" or
            "last-step", in "population" also "population-counts" or "sorted-population-counts".
        horizon: number of steps of an episode in training, in "population" of each user. In "bai"
            the horizon is also the agent's step cap.
        mask: in "bai" the rule of legal answers, "rejections" or "none", for a model with action
            masks.
        normaliser: the `VecNormalize` of the model's observations; None takes the normaliser of the
            model's environment, if the environment has one.
        deterministic: take the likeliest action instead of a random one. None means False for
            policy gradients and True for DQN and QRDQN. With policy gradients True gives a warning:
            the agent would recommend the likeliest arm for ever, and the user would accept it.
        name: the agent's name in tables, which also seeds its random stream; None is the name of
            the algorithm.
        n_users: in "population" the number of users in an episode of the training.

    Raises:
        InvalidArgumentError: if an argument is out of range or does not fit the model.
    """

    def __init__(
        self,
        model: BaseAlgorithm,
        *,
        task: Task | str | None = None,
        observation: str | None = None,
        horizon: int | None = None,
        mask: str | None = None,
        normaliser: VecNormalize | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
        n_users: int | None = None,
    ) -> None:
        known = (ActorCriticPolicy, MaskableActorCriticPolicy, DQNPolicy, QRDQNPolicy)
        discrete = isinstance(getattr(model, "action_space", None), spaces.Discrete)
        self._net: Any = getattr(model, "policy", None)
        if not discrete or not isinstance(self._net, known):
            allowed = "a model with discrete actions and an actor-critic or DQN policy"
            raise InvalidArgumentError("model", model, allowed)
        self._net.set_training_mode(False)
        self._values_actions = isinstance(self._net, DQNPolicy | QRDQNPolicy)
        self._masks = isinstance(self._net, MaskableActorCriticPolicy)
        self._recurrent = isinstance(self._net, RecurrentActorCriticPolicy)
        self._explores = float(getattr(model, "exploration_rate", 0.0))
        given = {"task": task, "observation": observation, "horizon": horizon, "mask": mask}
        read = _reading(model, self._masks, given | {"n_users": n_users})
        self.mask = choice("mask", read.pop("mask"), bai_rules.MASKS)
        super().__init__(None, **read, batched=True, name=name or type(model).__name__)
        self.model = model
        deterministic = self._values_actions if deterministic is None else deterministic
        self.deterministic = flag("deterministic", deterministic)
        if self.deterministic and not self._values_actions:
            warnings.warn(
                f"{self.name} with deterministic=True recommends the likeliest arm for ever, and "
                "the user accepts it for ever; use deterministic=False for a stochastic policy",
                stacklevel=2,
            )
        n_actions = int(model.action_space.n)  # type: ignore[attr-defined]
        self.n_arms, rest = divmod(n_actions, 2) if self.task == BAI else (n_actions, 0)
        bounds = bounds_of(self.observation, self.n_arms)
        expected = spaces.Discrete(2) if bounds is None else spaces.Box(*bounds, dtype=np.float32)
        if rest or model.observation_space != expected:
            on = f"the task {self.task.name!r} and the observation {self.observation!r}"
            raise _not_read(model, on)
        self.normaliser = _normaliser_of(model, normaliser)
        self.trained_on: dict[str, Any] = {"task": self.task.name, "n_arms": self.n_arms}

    @property
    def options(self) -> dict[str, Any]:
        """The data that identify the agent: a hash of the model's weights, and the arguments."""
        weights = hashlib.sha256()
        for name, values in sorted(self.model.policy.state_dict().items()):
            weights.update(name.encode() + values.detach().cpu().numpy().tobytes())
        scaled: Any = getattr(self.normaliser, "obs_rms", None)
        names = ("observation", "horizon", "mask", "deterministic")
        options = {
            "weights": weights.hexdigest()[:16],
            "normalised by": None if scaled is None else record_of([scaled.mean, scaled.var]),
            "task": self.task.name,
        } | {name: getattr(self, name) for name in names}
        return options | ({"n_users": self.n_users} if self.task == POPULATION else {})

    def reset_all(self, n_arms: int, rngs: Sequence[Any], horizon: int | None = None) -> None:
        """Start with new users; see `ManyUserAgent.reset_all`."""
        if n_arms != self.n_arms:
            allowed = f"{self.n_arms}, as in the training of {self.name}"
            raise InvalidArgumentError("n_arms", n_arms, allowed)
        super().reset_all(n_arms, rngs, horizon)
        self._memory = self.blank_memory(len(rngs))

    def blank_memory(self, n_users: int) -> Memory | None:
        """Return the zero memory of a recurrent policy; None for other policies."""
        if not self._recurrent:
            return None
        layers, _, width = self._net.lstm_hidden_state_shape
        hidden, cell = np.zeros((2, n_users, layers, width), np.float32)
        return hidden, cell

    def chances(
        self, observations: Array, masks: Array | None, memory: Memory | None, users: Array
    ) -> Array:
        """Return the probability of each action, shape (n, n_actions), float64.

        Args:
            observations: the observations, one row for each user in `users`.
            masks: the legal actions, one row for each user in `users`, if the policy takes masks.
            memory: the memory of all users; the call updates the rows of `users`.
            users: the numbers of the n users, shape (n,).
        """
        chances = np.empty((len(users), self._n_actions))
        with torch.no_grad(), one_thread():
            for first in range(0, len(users), USERS_AT_ONCE):
                part = slice(first, first + USERS_AT_ONCE)
                tensor = self._net.obs_to_tensor(_padded(observations[part]))[0]
                if self._values_actions:
                    best = self._values(tensor).argmax(dim=1).numpy(force=True)
                    greedy = (1.0 - self._explores) * np.eye(self._n_actions)[best]
                    batch = self._explores / self._n_actions + greedy
                else:
                    if memory is not None:
                        distribution = self._distribution(tensor, memory, users[part])
                    else:
                        legal = () if masks is None or not self._masks else (_padded(masks[part]),)
                        distribution = self._net.get_distribution(tensor, *legal)
                    batch = distribution.distribution.probs.numpy(force=True)
                chances[part] = batch[: len(users[part])]
        return chances

    def _values(self, tensor: Any) -> Any:
        """Return the action values of DQN or QRDQN, or the state value of another policy."""
        if not self._values_actions:
            return self._net.predict_values(tensor)
        if isinstance(self._net, QRDQNPolicy):
            return self._net.quantile_net(tensor).mean(dim=1)
        return self._net.q_net(tensor)

    def _distribution(self, tensor: Any, memory: Memory, users: Array) -> Any:
        """Return a recurrent policy's action distribution, and update the memory of these users."""
        known = [_padded(part[users]).swapaxes(0, 1).copy() for part in memory]
        before = tuple(torch.as_tensor(part, device=self._net.device) for part in known)
        # The policy need not clear the memory of new users (start flag 1): it is already zero.
        starts = torch.zeros(USERS_AT_ONCE, device=self._net.device)
        distribution, after = self._net.get_distribution(tensor, before, starts)
        for part, state in zip(memory, after, strict=True):
            part[users] = state.numpy(force=True).swapaxes(0, 1)[: len(users)]
        return distribution

    def _choices(self, observations: Array, users: Array) -> Array:
        """Return an action for each of these users, random or the likeliest."""
        chances = self.chances(*self._inputs(observations, users), self._memory, users)
        if self.deterministic:
            return np.asarray(chances.argmax(axis=1))
        draws = np.array([self._rngs[user].random() for user in users.tolist()])
        sums = chances.cumsum(axis=1)
        return np.asarray((sums <= (draws * sums[:, -1])[:, np.newaxis]).sum(axis=1))

    def explain(self) -> Mapping[str, Any]:
        """Return the probability and value of each recommendation and answer, for a single user.

        The call does not change the memory of a recurrent policy. For a recurrent policy the result
        has no values, as the agent does not keep the memory of the policy's critic.
        """
        every = (self.observation, self._history, self._scale, self._n_actions)
        observations, choosable = kinds.observed(*every)
        inputs = self._inputs(observations[ONLY], ONLY)
        memory = None if self._memory is None else (self._memory[0].copy(), self._memory[1].copy())
        numbers = {"chance": self.chances(*inputs, memory, ONLY)[0]}
        items: dict[str, Any] = {}
        if not self._recurrent:
            with torch.no_grad(), one_thread():
                values = self._values(self._net.obs_to_tensor(_padded(inputs[0]))[0])
            if self._values_actions:
                numbers["value"] = values.numpy(force=True)[0]
            else:
                items["value of the state"] = float(values.numpy(force=True)[0, 0])
        by_arm: dict[str, Any] = {}
        for what, by_choice in numbers.items():
            by_action = np.empty(len(by_choice))
            by_action[choosable[ONLY[0]]] = by_choice
            names = f"{what} of recommending", f"{what} of answering"
            by_arm |= zip(names, by_action.reshape(-1, self.n_arms), strict=False)
        return by_arm | items

    def _inputs(self, observations: Array, users: Array) -> tuple[Array, Array | None]:
        """Return the policy's observations of these users, and masks of their legal actions."""
        masks = None
        if self.task == BAI:
            n_last_rejected = self._history.last_rejected()[users]
            left = self.horizon - self._history.steps[users]
            legal = bai_rules.may_answer(n_last_rejected, self.n_arms, self.mask, left)
            masks = bai_rules.masks(legal, self.n_arms)
        if self.normaliser is not None:
            observations = np.asarray(self.normaliser.normalize_obs(observations))
        return observations, masks
