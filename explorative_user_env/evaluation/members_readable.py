"""Users who come one after another, and one agent, step by step in the environment.

Every path tells of each user what `plays.figures` does; an episode's figures are made of these.
"""

import functools
from collections.abc import Sequence

import numpy as np

from explorative_user_env.evaluation.halting import halting
from explorative_user_env.evaluation.plays import PLAY_COLUMNS, Play, figures
from explorative_user_env.members import Members, meet_members
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array


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
        agent: anything with reset / act / observe / answer; see also `Agent.next_user`.
        seeds: the episodes'.
        horizon: how many steps each user stays, of which the agent is told.
        told: the same.
        halt: what another thread breaks the runs off by, see `halting`.

    Returns:
        A row of `plays.PLAY_COLUMNS` for each user, shape (episodes, users, columns).
    """
    rows, play = blank_rows(len(seeds), members), Play.blank(1, population.n_arms, horizon)
    watched = functools.partial(halting, halt=halt)
    for place, seed in enumerate(seeds):
        met = meet_members(members, population, agent, seed, horizon, watched)
        for user, (instance, episode) in enumerate(met):
            play.arms[0], play.accepted[0] = episode.arms, episode.accepted
            play.answers[0] = episode.answer
            play.write_truth([instance])
            rows[place, user] = figures(play)[0]
    return rows


def blank_rows(n_episodes: int, members: Members) -> Array:
    """Return room for a row of `plays.PLAY_COLUMNS` for each user of each episode."""
    return np.zeros((n_episodes, members.n_users, len(PLAY_COLUMNS)))


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
