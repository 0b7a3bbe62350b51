"""The chances of each action under a trained policy, whatever Stable-Baselines3 algorithm made it.

Policies are asked in blocks of one size. Matrix products of another size may round differently,
and then a user's run would depend on how many others are played at the same time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn.policies import QRDQNPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.dqn.policies import DQNPolicy

from explorative_user_env.protocol import Array
from explorative_user_env.validation import InvalidArgumentError

USERS_AT_ONCE = 64
"""Users that a policy is asked about at once; fewer are filled up."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread in the block, and as many as before after it.

    Quicker for networks as small as these, and always the same rounding.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Memory(NamedTuple):
    """What a recurrent policy carries from step to step, a row for each user."""

    hidden: Array
    cell: Array


class Chances:
    """The policy of a model, as the chances of each action.

    Args:
        model: a trained model of Stable-Baselines3 or sb3-contrib with discrete actions.

    Attributes:
        values_actions: whether it estimates the values of actions (DQN) in place of chances.
        masks: whether it takes masks of the legal actions.

    Raises:
        InvalidArgumentError: for a model whose policy is of no known kind.
    """

    def __init__(self, model: BaseAlgorithm) -> None:
        if not isinstance(getattr(model, "action_space", None), spaces.Discrete):
            raise InvalidArgumentError("model", model, "a model with discrete actions")
        known = (ActorCriticPolicy, MaskableActorCriticPolicy, DQNPolicy, QRDQNPolicy)
        if not isinstance(getattr(model, "policy", None), known):
            raise InvalidArgumentError("model", model, "a model with an actor-critic or DQN policy")
        self._policy: Any = model.policy
        self._policy.set_training_mode(False)
        self.n_actions = int(model.action_space.n)  # type: ignore[attr-defined]
        self.values_actions = isinstance(self._policy, DQNPolicy | QRDQNPolicy)
        self.masks = isinstance(self._policy, MaskableActorCriticPolicy)
        self._explores = float(getattr(model, "exploration_rate", 0.0))
        self._recurrent = isinstance(self._policy, RecurrentActorCriticPolicy)

    def memory(self, n_users: int) -> Memory | None:
        """Return what the policy remembers of users it is about to meet; None for no memory."""
        if not self._recurrent:
            return None
        layers, _, width = self._policy.lstm_hidden_state_shape
        shape = (n_users, layers, width)
        return Memory(np.zeros(shape, np.float32), np.zeros(shape, np.float32))

    def of(
        self, observations: Array, masks: Array | None, memory: Memory | None, users: Array
    ) -> Array:
        """Return the probability of each action, shape (n, n_actions), float64.

        Args:
            observations: a row for each of these users.
            masks: their legal actions, if the policy takes them.
            memory: of all users, where these users' rows are brought up to date.
            users: their numbers.
        """
        chances = np.empty((len(users), self.n_actions))
        with torch.no_grad(), one_thread():
            for first in range(0, len(users), USERS_AT_ONCE):
                part = slice(first, first + USERS_AT_ONCE)
                given = _filled(observations[part])
                legal = None if masks is None or not self.masks else _filled(masks[part])
                found = self._asked(given, legal, memory, users[part])
                chances[part] = found[: len(users[part])]
        return chances

    def values(self, observation: Array) -> Array:
        """Return what the policy thinks that one observation is worth.

        Of DQN and its kin a number for each action, of others one; none of a recurrent policy,
        whose critic has a memory of its own.
        """
        if self._recurrent:
            return np.empty(0)
        with torch.no_grad(), one_thread():
            tensor = self._policy.obs_to_tensor(_filled(observation[np.newaxis]))[0]
            asked = self._worth if self.values_actions else self._policy.predict_values
            found: Array = asked(tensor).numpy(force=True)[0]
        return found

    def _worth(self, tensor: Any) -> Any:
        """Return the values of all actions, a row for each observation."""
        if isinstance(self._policy, QRDQNPolicy):
            return self._policy.quantile_net(tensor).mean(dim=1)
        return self._policy.q_net(tensor)

    def _asked(
        self, observations: Array, masks: Array | None, memory: Memory | None, users: Array
    ) -> Array:
        """Return the chances in one block."""
        policy = self._policy
        tensor = policy.obs_to_tensor(observations)[0]
        if self.values_actions:
            best = self._worth(tensor).argmax(dim=1).numpy(force=True)
            chances = np.full((USERS_AT_ONCE, self.n_actions), self._explores / self.n_actions)
            chances[np.arange(USERS_AT_ONCE), best] += 1.0 - self._explores
            return chances
        if memory is not None:
            distribution = self._remembered(tensor, memory, users)
        elif masks is not None:
            distribution = policy.get_distribution(tensor, masks)
        else:
            distribution = policy.get_distribution(tensor)
        probabilities: Array = distribution.distribution.probs.numpy(force=True)
        return probabilities

    def _remembered(self, tensor: Any, memory: Memory, users: Array) -> Any:
        """Return the distribution of a recurrent policy, and let it remember the step."""
        device = self._policy.device
        before = [
            torch.as_tensor(_filled(part[users]).swapaxes(0, 1).copy(), device=device)
            for part in memory
        ]
        # No step is a first one here: a new user's memory is blank already.
        starts = torch.zeros(USERS_AT_ONCE, device=device)
        distribution, after = self._policy.get_distribution(tensor, (before[0], before[1]), starts)
        for part, state in zip(memory, after, strict=True):
            part[users] = state.numpy(force=True).swapaxes(0, 1)[: len(users)]
        return distribution


def _filled(rows: Array) -> Array:
    """Return a block that begins with these rows and repeats the first to its end."""
    missing = USERS_AT_ONCE - len(rows)
    return rows if missing == 0 else np.concatenate([rows, np.repeat(rows[:1], missing, axis=0)])
