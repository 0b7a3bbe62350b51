"""Users who come one after another in an episode, and an agent with them, step by step.

Every path tells of each user what `plays.figures` does; an episode's figures are made of these.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorative_user_env.evaluation.halting import halting
from explorative_user_env.evaluation.plays import PLAY_COLUMNS, Play, figures
from explorative_user_env.loop import play_with_member
from explorative_user_env.meeting import environment_of
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, begin_next, in_use, name_of
from explorative_user_env.seeding import (
    agent_generator,
    member_seeds,
    number_of_users,
    user_generator,
)
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.popularity import PopularityLaw
from explorative_user_env.validation import not_negative


@dataclass(frozen=True)
class Members:
    """How many users come one after another, and how far they are from what is popular.

    Attributes:
        n_users: of an episode, at least 1.
        deviation: standard deviation of a user's means around what is popular, at least 0.

    Raises:
        InvalidArgumentError: naming the one that is out of range.
    """

    n_users: int
    deviation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_users", number_of_users(self.n_users, "n_users"))
        object.__setattr__(self, "deviation", not_negative("deviation", self.deviation))


class MemberLaw(InstanceLaw):
    """Where a user of an episode comes from: what is popular in it is known.

    Args:
        law: where all of them come from.
        seed: the episode's.
    """

    def __init__(self, law: PopularityLaw, seed: int) -> None:
        vars(self).update(vars(law.law))
        self._around, self._popularity = law, law.draw(user_generator(seed))

    def draw(self, rng: np.random.Generator) -> Instance:
        """Return the instance of a user, drawn from her own stream."""
        return self._around.instance(self._popularity, rng)


def members_readable(
    members: Members,
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Let `agent` meet the users of the episodes of these `seeds`, each over a horizon.

    Args:
        members: how many users an episode has, and how far apart they are.
        population: of what kind they are.
        agent: anything with reset / act / observe / answer; see `Agent.next_user`.
        seeds: the episodes'.
        horizon: how many steps each user stays.
        told: the same, as the agent is told.
        halt: what another thread breaks the runs off by, see `halting`.

    Returns:
        A row of `plays.PLAY_COLUMNS` for each user, shape (episodes, users, columns).
    """
    rows, n_arms, name = blank_rows(len(seeds), members), population.n_arms, name_of(agent)
    law = PopularityLaw(population.instance_law, members.deviation)
    env = environment_of(population, agent)
    met, play = halting(env, halt), Play.blank(1, n_arms, horizon)
    with in_use(agent):
        for place, seed in enumerate(seeds):
            env.instance_law, rng = MemberLaw(law, seed), agent_generator(seed, name)
            for user, member in enumerate(member_seeds(seed, members.n_users)):
                begin = functools.partial(_begin, agent, user, n_arms, rng, told)
                who = f"user {user} of the episode of seed {seed}"
                episode = play_with_member(met, agent, member, horizon, begin, who)
                play.arms[0], play.accepted[0] = episode.arms, episode.accepted
                play.answers[0] = episode.answer
                play.write_truth([env.instance()])
                rows[place, user] = figures(play)[0]
    return rows


def blank_rows(n_episodes: int, members: Members) -> Array:
    """Return room for a row of `plays.PLAY_COLUMNS` for each user of each episode."""
    return np.zeros((n_episodes, members.n_users, len(PLAY_COLUMNS)))


def _begin(
    agent: Agent, user: int, n_arms: int, rng: np.random.Generator, told: int | None
) -> None:
    """Get the agent ready for the user of this number in her episode."""
    if user == 0:
        agent.reset(n_arms, rng, told)
    else:
        begin_next(agent, n_arms, rng, told)


def member_columns(agent: Agent, population: Population, rows: Array) -> dict[str, Array]:
    """Return the columns of runs with users who come one after another, one row an episode."""
    of = {name: rows[:, :, place] for place, name in enumerate(PLAY_COLUMNS)}
    return {
        "acceptances": of["acceptances"].sum(axis=1),
        "regret": of["regret"].sum(axis=1),
        "utility": of["utility"].sum(axis=1),
        "regret_by_user": np.array([" ".join(map(repr, each)) for each in of["regret"].tolist()]),
        "last_is_best": (of["last_arm"] == of["best_arm"]).mean(axis=1),
        "most_accepted_is_best": of["most_accepted_is_best"].mean(axis=1),
    }
