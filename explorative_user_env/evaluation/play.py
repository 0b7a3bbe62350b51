"""An agent over a horizon: what it recommended to some users, and what that says of it.

Every path writes down the same arms and responses, and the figures are one function of these.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.compiled.loops import compiled_play_all
from explorative_user_env.envs.rewards import REGRET, reward_of
from explorative_user_env.evaluation.study import Study, compiled_portions
from explorative_user_env.loop import rollout
from explorative_user_env.protocol import Agent, Array
from explorative_user_env.users.instances import Instance


class Play(NamedTuple):
    """What happened between an agent and n users over T steps."""

    instances: Sequence[Instance]
    arms: Array  # recommended, shape (n, T)
    accepted: Array  # shape (n, T), bool
    answers: Array  # shape (n,)

    @classmethod
    def blank(cls, n_users: int, horizon: int) -> "Play":
        """Return a play to be written down."""
        shape = (n_users, horizon)
        return cls([], np.zeros(shape, np.int32), np.zeros(shape, bool), np.zeros(n_users, int))


def play_readable(
    study: Study, agent: Agent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> Play:
    """Play with the users of these `seeds` step by step, in the environment."""
    env = study.environment_of(agent)
    play = Play.blank(len(seeds), max_steps)
    instances = []
    for index, seed in enumerate(seeds):
        episode = rollout(env, agent, seed, max_steps, max_steps, commits=True)
        play.arms[index], play.accepted[index] = episode.arms, episode.accepted
        play.answers[index] = episode.answer
        instances.append(env.hidden_state().instance)
    return play._replace(instances=instances)


def play_compiled(
    study: Study, agent: AlgorithmAgent, seeds: Sequence[int], max_steps: int, horizon: int | None
) -> Play:
    """Play with the users of these `seeds` in compiled code, to the same result."""
    play_all = compiled_play_all(agent.algorithm, study.user()[1].rule, study.functions())
    play = Play.blank(len(seeds), max_steps)
    instances: list[Instance] = []
    for part, drawn, given in compiled_portions(study, agent, seeds, horizon):
        play_all(*given, play.arms[part], play.accepted[part], play.answers[part])
        instances += drawn
    return play._replace(instances=instances)


COLUMNS = (
    "best_arm",
    "answer",
    "acceptances",
    "regret",
    "utility",
    "last_arm",
    "most_accepted_arm",
)


def figures(play: Play) -> Array:
    """Return a row of `COLUMNS` for each user.

    Regret is the sum of mu_* - mu_a over the recommendations a, utility the sum of mu_a over the
    accepted ones, and the most accepted arm is the first of those accepted equally often.
    """
    n_users, _ = play.arms.shape
    means = np.array([instance.means for instance in play.instances])
    best_arms = np.array([instance.best_arm for instance in play.instances])
    users = np.arange(n_users)
    values = np.take_along_axis(means, play.arms, axis=1)
    best_means = means[users, best_arms][:, np.newaxis]
    rewards: Any = reward_of(REGRET, values, best_means, False, 0.0)  # type: ignore[arg-type]
    counts = np.stack(
        [((play.arms == arm) & play.accepted).sum(axis=1) for arm in range(means.shape[1])], axis=1
    )
    return np.column_stack(
        [
            best_arms,
            play.answers,
            play.accepted.sum(axis=1),
            -rewards.sum(axis=1),
            np.where(play.accepted, values, 0.0).sum(axis=1),
            play.arms[:, -1],
            counts.argmax(axis=1),
        ]
    )
