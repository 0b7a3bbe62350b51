"""A trained model as an agent of the harness."""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecNormalize

from explorative_user_env.envs import bai_rules
from explorative_user_env.protocol import ONLY, Array
from explorative_user_env.results.records import record_of
from explorative_user_env.rl.policies import Chances, Memory
from explorative_user_env.rl.reading import arms_of, normaliser_of, reading
from explorative_user_env.tasks import BAI, POPULATION, Task
from explorative_user_env.validation import InvalidArgumentError, choice, flag
from explorative_user_env.wrappers.features import observed
from explorative_user_env.wrappers.policy_agent import PolicyAgent


class SB3Agent(PolicyAgent):
    """A model of Stable-Baselines3 or sb3-contrib beside BAIR, on the same users.

    It meets many users at once where the evaluation lets it, with the same result as one by one:
    its random draws are each user's own. It sees what the wrappers show in training, by the same
    functions.

    A model that was trained in an environment of this package says itself what it was trained on,
    in memory and in the file that its `save` writes: what is None below is taken from there, and
    what contradicts it is refused. So is a model whose observations were normalised by other means
    than `VecNormalize`.

    Args:
        model: the trained model (PPO, A2C, TRPO, DQN, QRDQN, RecurrentPPO, MaskablePPO, ...).
        task: what it was trained for, "regret", "bai" or "population".
        observation: what it was trained on; "response", "counts", "sorted-counts" or "last-step",
            in "population" also "population-counts" or "sorted-population-counts".
        horizon: the steps of an episode in training, in "population" those of a user. In "bai" it
            is the agent's step cap.
        mask: in "bai" the rule of legal answers, "rejections" or "none", for a model that takes
            masks.
        normaliser: the `VecNormalize` of its observations, if any; None is that of its environment.
        deterministic: whether the likeliest action is taken instead of one by its chance. None is
            False for policy gradients and True for DQN and its kin. True ruins policy gradients
            here, and warns: whatever arm is likeliest is recommended for ever, and accepted.
        name: what tables and the random stream call the agent; None is the algorithm's.
        n_users: in "population" the users of an episode in training.

    Raises:
        InvalidArgumentError: naming the argument that is out of range or does not fit the model.
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
        self._chances = Chances(model)
        read = reading(model, self._chances.masks, task, observation, horizon, mask, n_users)
        super().__init__(
            None,
            task=read.task,
            observation=read.observation,
            horizon=read.horizon,
            batched=True,
            name=type(model).__name__ if name is None else name,
            n_users=read.n_users,
        )
        self.model = model
        self.mask = choice("mask", read.mask, bai_rules.MASKS)
        if deterministic is None:
            deterministic = self._chances.values_actions
        self.deterministic = flag("deterministic", deterministic)
        if self.deterministic and not self._chances.values_actions:
            warnings.warn(
                f"{self.name} with deterministic=True: the likeliest arm is recommended for ever "
                "and accepted for ever, so a policy that explores by its chances is not what is "
                "measured",
                stacklevel=2,
            )
        self.n_arms = arms_of(model, self.task, self.observation)
        self.normaliser = normaliser_of(model, normaliser)
        self.trained_on: dict[str, Any] = {"task": self.task.name, "n_arms": self.n_arms}

    @property
    def options(self) -> dict[str, Any]:
        """What distinguishes it from other models: its weights, and how it is used."""
        weights = hashlib.sha256()
        for name, values in sorted(self.model.policy.state_dict().items()):
            weights.update(name.encode() + values.detach().cpu().numpy().tobytes())
        scaled: Any = getattr(self.normaliser, "obs_rms", None)
        return {
            "weights": weights.hexdigest()[:16],
            "normalised by": None if scaled is None else record_of([scaled.mean, scaled.var]),
            "task": self.task.name,
            "observation": self.observation,
            "horizon": self.horizon,
            "mask": self.mask,
            "deterministic": self.deterministic,
        } | ({"n_users": self.n_users} if self.task == POPULATION else {})

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        """Get ready for new users; see `ManyUserAgent.reset_all`."""
        if n_arms != self.n_arms:
            raise InvalidArgumentError(
                "n_arms", n_arms, f"{self.n_arms}, with which {self.name} was trained"
            )
        super().reset_all(n_arms, rngs, horizon)
        self._memory = self._chances.memory(len(rngs))

    def _choices(self, observations: Array, users: Array) -> Array:
        """Return an action for each of these users, drawn or the likeliest."""
        chances = self._chances.of(*self._asked(observations, users), self._memory, users)
        choices: Array = (
            chances.argmax(axis=1) if self.deterministic else self._drawn(chances, users)
        )
        return choices

    def explain(self) -> Mapping[str, Any]:
        """Return the chances of the next recommendation and answer, and the policy's values.

        Of the one user of the step-by-step loop; a recurrent policy remembers nothing of it.
        """
        observations, choosable = observed(
            self.observation, self._history, self._scale, self._n_actions
        )
        asked = self._asked(observations[ONLY], ONLY)
        memory = None if self._memory is None else Memory(*(part.copy() for part in self._memory))
        chances = self._chances.of(*asked, memory, ONLY)[0]
        actions = choosable[ONLY[0]]
        told = self._by_arm("chance", chances, actions)
        values = self._chances.values(asked[0][0])
        if self._chances.values_actions:
            told |= self._by_arm("value", values, actions)
        elif len(values):
            told["value of the position"] = float(values[0])
        return told

    def _by_arm(self, what: str, numbers: Array, actions: Array) -> dict[str, Any]:
        """Return numbers of a policy's choices by arm: of recommending it and of answering it."""
        by_action = np.empty(len(numbers))
        by_action[actions] = numbers
        told = {f"{what} of recommending": by_action[: self.n_arms]}
        return told | (
            {f"{what} of answering": by_action[self.n_arms :]} if self.task == BAI else {}
        )

    def _asked(self, observations: Array, users: Array) -> tuple[Array, Array | None]:
        """Return what the policy is shown of these users, and their legal actions."""
        masks = None
        if self.task == BAI:
            n_last_rejected = self._history.last_rejected()[users]
            legal = bai_rules.may_answer(n_last_rejected, self.n_arms, self.mask)
            masks = bai_rules.masks(legal, self.n_arms)
        if self.normaliser is not None:
            observations = np.asarray(self.normaliser.normalize_obs(observations))
        return observations, masks

    def _drawn(self, chances: Array, users: Array) -> Array:
        """Return an action for each user by its chance, from the user's own stream."""
        draws = np.array([self._rngs[user].random() for user in users.tolist()])
        sums = chances.cumsum(axis=1)
        passed: Array = sums <= (draws * sums[:, -1])[:, np.newaxis]
        choices: Array = passed.sum(axis=1)
        return choices
