"""One agent with a few users, step by step in the environment: the path that anyone can read."""

from collections.abc import Sequence

import numpy as np

from explorative_user_env.evaluation.halting import halting
from explorative_user_env.evaluation.plays import Play
from explorative_user_env.loop import rollout
from explorative_user_env.meeting import environment_of
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array

RUN_COLUMNS = ("best_arm", "acceptances", "rejections", "answer", "end")
"""What every path tells of a run of best-arm identification, as whole numbers."""


def run_readable(
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds`; return a row of `RUN_COLUMNS` for each.

    `halt` is what another thread breaks the runs off by, see `halting`.
    """
    env = environment_of(population, agent)
    met = halting(env, halt)
    rows = []
    for seed in seeds:
        episode = rollout(met, agent, seed, max_steps, horizon)
        counts = (episode.acceptances, episode.rejections)
        rows.append((env.instance().best_arm, *counts, episode.answer, episode.end))
    return np.array(rows, int)


def play_readable(
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Let `agent` play with the users of these `seeds` over a horizon; see `run_readable`."""
    env = environment_of(population, agent)
    play = Play.blank(len(seeds), population.n_arms, max_steps)
    met = halting(env, halt)
    instances = []
    for index, seed in enumerate(seeds):
        episode = rollout(met, agent, seed, max_steps, max_steps, commits=True)
        steps = episode.stopping_time
        play.arms[index, :steps], play.accepted[index, :steps] = episode.arms, episode.accepted
        play.answers[index] = episode.answer
        play.stayed[index], play.left[index] = steps, episode.left
        instances.append(env.instance())
    play.write_truth(instances)
    return play
