"""Users who come one after another, in many episodes at once, for agents that meet many users."""

from collections.abc import Sequence

import numpy as np

from explorative_user_env.envs.lane_kinds import new_lanes
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.evaluation.in_step import MeetingOfMany
from explorative_user_env.evaluation.members_readable import blank_rows
from explorative_user_env.evaluation.plays import Play, figures
from explorative_user_env.meeting import begin_next_all
from explorative_user_env.members import Members, laws_of_episodes
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array, ManyUserAgent, in_use, name_of
from explorative_user_env.seeding import agent_generators, member_seeds, user_generator


def members_in_step(
    members: Members,
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    horizon: int,
    told: int | None,
    halt: Array | None = None,
) -> Array:
    """Return the rows of `members_readable.members_readable`, for all episodes at once."""
    n_arms, n_episodes = population.n_arms, len(seeds)
    laws = list(map(laws_of_episodes(members, population), seeds))
    hers = [member_seeds(seed, members.n_users) for seed in seeds]
    own = agent_generators(seeds, name_of(agent))
    first = [user_generator(users[0]) for users in hers]
    single = ExplorativeUserEnv(population=population, reward="none")
    lanes = new_lanes(single, first, None, "episode {}".format, horizon)
    rows, play = blank_rows(n_episodes, members), Play.blank(n_episodes, n_arms, horizon)
    step, nobody = Step.blank(n_episodes), np.zeros(n_episodes, bool)
    size = (n_episodes, n_arms, horizon)

    def respond(arms: Array) -> tuple[Array, Array]:
        lanes.respond(None, arms, step)
        return step.responses == 1, nobody

    with in_use(agent):
        for user in range(members.n_users):
            for lane, law in enumerate(laws):
                lanes.reseed(lane, user_generator(hers[lane][user]))
                lanes.begin(np.array([lane]), law)
            if user == 0:
                agent.reset_all(n_arms, own, told)
            else:
                begin_next_all(agent, n_arms, own, told)
            met = MeetingOfMany(agent, respond, lambda users: None, size, play)
            met.go_on(halt)
            play.write_truth(lanes.instances())
            rows[:, user] = figures(play._replace(answers=met.answers))
    return rows
