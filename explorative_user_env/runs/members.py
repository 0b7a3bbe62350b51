"""Episodes of users who come one after another and share what is popular; one agent meets all.

Each is a user as any other, with a seed and a stream of her own, and stays for a horizon.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from explorative_user_env.envs.user import environment_of
from explorative_user_env.protocol import Agent, in_use, name_of
from explorative_user_env.runs.episodes import Episode
from explorative_user_env.runs.loop import Run
from explorative_user_env.seeding import agent_generator, member_seeds, number_of_users
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import MemberLaw, PopularityLaw, Population
from explorative_user_env.validation import not_negative


@dataclass(frozen=True)
class Members:
    """The users of an episode.

    Attributes:
        n_users: their number, at least 1.
        deviation: standard deviation of a user's means around what is popular, at least 0.

    Raises:
        InvalidArgumentError: naming the one that is out of range.
    """

    n_users: int
    deviation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_users", number_of_users(self.n_users, "n_users"))
        object.__setattr__(self, "deviation", not_negative("deviation", self.deviation))


def laws_of_episodes(members: Members, population: Population) -> Callable[[int], MemberLaw]:
    """Return a function from an episode's seed to the law of its users."""
    return PopularityLaw(population.instance_law, members.deviation).members


def meet_members(
    members: Members, population: Population, agent: Agent, seed: int, horizon: int
) -> Iterator[tuple[Instance, Episode]]:
    """Yield each user's instance and what happened, as the agent meets them step by step.

    Args:
        members: how many users there are, and how far apart.
        population: the kind of user.
        agent: anything with reset / act / observe / answer; see also `Agent.next_user`.
        seed: the episode's.
        horizon: steps that each user stays; an agent that stops goes on with its answer.

    Raises:
        CallableError: if the agent's code fails, or recommends or answers what is no arm.
    """
    env, n_arms = environment_of(population, agent, reward="regret"), population.n_arms
    env.instance_law = laws_of_episodes(members, population)(seed)
    rng = agent_generator(seed, name_of(agent))
    reset = functools.partial(agent.reset, n_arms, rng, horizon)
    # An agent that derives from `OneUserAtATime` may have the second only.
    methods = ("next_user", "next_user_all")
    begins = next((name for name in methods if getattr(agent, name, None) is not None), "reset")
    with in_use(agent):
        for user, member in enumerate(member_seeds(seed, members.n_users)):
            who = f"user {user} of the episode of seed {seed}"
            method = begins if user else "reset"
            begin = reset if method == "reset" else getattr(agent, method)
            run = Run(env, agent, member)
            run.meet(who, method, begin, horizon, commits=True)
            yield env.instance(), run.episode(None)


def episode_with_members(
    members: Members, population: Population, agent: Agent, seed: int, horizon: int
) -> Episode:
    """Return all that happened with the users of an episode as one; see `meet_members`.

    The answer is that with the last user.
    """
    met = [part for _, part in meet_members(members, population, agent, seed, horizon)]
    names = ("arms", "accepted", "rewards")
    steps: dict[str, Any] = {
        name: tuple(value for part in met for value in getattr(part, name)) for name in names
    }
    steps |= {"answer": met[-1].answer, "censored": met[-1].censored}
    return Episode(agent=name_of(agent), seed=seed, **steps)
