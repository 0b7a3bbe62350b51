"""Agents that meet many users at once, in the vector environment."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.evaluation.halting import go_on
from explorative_user_env.evaluation.plays import Play
from explorative_user_env.population import Population
from explorative_user_env.protocol import STOP, Array, ManyUserAgent, in_use, name_of
from explorative_user_env.seeding import agent_generators
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError

USERS = 1024
"""Users that an agent meets at once. Every user has one run and all runs count: the first runs to
end, out of many that go on, would be the short ones."""


class _Meeting(NamedTuple):
    """What is known of each user, and of what is going on; arrays of shape (n,)."""

    instances: Sequence[Instance]
    answers: Array
    acceptances: Array
    steps: Array
    going_on: Array  # the users with whom the agent has not stopped


def run_in_step(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds` at once; see `readable.run_readable`."""
    with in_use(agent):
        met = _meet(population, agent, seeds, max_steps, horizon, None, halt)
    censored = np.zeros(len(seeds), int)
    censored[met.going_on] = 1
    best_arms = [instance.best_arm for instance in met.instances]
    rejections = met.steps - met.acceptances
    return np.column_stack([best_arms, met.acceptances, rejections, met.answers, censored])


def play_in_step(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Play with the users of these `seeds` at once over a horizon; see `readable.play_readable`."""
    play = Play.blank(len(seeds), population.n_arms, max_steps)
    with in_use(agent):
        met = _meet(population, agent, seeds, max_steps, max_steps, play, halt)
    play.write_truth(met.instances)
    return play._replace(answers=met.answers)


def _meet(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    play: Play | None,
    halt: Array | None,
) -> _Meeting:
    """Let the agent meet users; with a `play` to write down, it goes on with its answers."""
    n_users = len(seeds)
    envs = ExplorativeUserVectorEnv(n_users, population=population, reward="none")
    envs.reset(seed=list(seeds))
    truth = _Truth(envs, population.behaviour.moves_means)
    agent.reset_all(population.n_arms, agent_generators(seeds, name_of(agent)), horizon)

    def respond(arms: Array) -> Array:
        return np.asarray(envs.step(arms)[0] == 1)

    room = (n_users, population.n_arms, max_steps)
    told = meet_all(agent, respond, truth.renew, room, play, halt)
    return _Meeting(truth.instances, *told)


def meet_all(
    agent: ManyUserAgent,
    respond: Callable[[Array], Array],
    renew: Callable[[Array], None],
    room: tuple[int, int, int],
    play: Play | None,
    halt: Array | None,
) -> tuple[Array, Array, Array, Array]:
    """Let an agent that is ready for its users meet them.

    Args:
        agent: who meets them.
        respond: recommends an arm to each user, and returns who accepts.
        renew: called with users before the agent is asked for its answers.
        room: the numbers of users, of arms and of steps at most.
        play: what is written down, if anything; the agent goes on with its answers then.
        halt: see `halting`.

    Returns:
        Each user's answer, acceptances and steps, and those with whom the agent has not stopped.
    """
    (n_users, n_arms, max_steps), name = room, name_of(agent)
    acceptances, steps = np.zeros(n_users, int), np.zeros(n_users, int)
    answers, arms = np.zeros(n_users, int), np.zeros(n_users, int)
    going_on = np.arange(n_users)

    def ask(users: Array) -> None:
        renew(users)
        told = agent.answer_all(users.copy())  # copies, as the agent may write on what it is handed
        answers[users] = checked_arms(told, users, n_arms, 0, name)

    for step in range(max_steps + 1):
        go_on(halt)
        chosen = going_on  # none, when the agent has stopped with all
        if going_on.size:
            told = agent.act_all(going_on.copy())
            chosen = checked_arms(told, going_on, n_arms, STOP, name)
        stopped = going_on[chosen == STOP]
        if stopped.size:
            ask(stopped)
            arms[stopped] = answers[stopped]
        going_on, chosen = going_on[chosen != STOP], chosen[chosen != STOP]
        if step == max_steps or (play is None and not going_on.size):
            break
        arms[going_on] = chosen
        accepted = respond(arms)
        if going_on.size:
            agent.observe_all(going_on.copy(), chosen, accepted[going_on])
        steps[going_on] += 1
        acceptances[going_on] += accepted[going_on]
        if play is not None:
            play.arms[:, step], play.accepted[:, step] = arms, accepted
    if going_on.size:
        ask(going_on)
    return answers, acceptances, steps, going_on


class _Truth:
    """The users' instances; where means move, as they were when the agent was asked."""

    def __init__(self, envs: ExplorativeUserVectorEnv, moves: bool) -> None:
        self._envs, self._moves = envs, moves
        self.instances = list(envs.instances())

    def renew(self, users: Array) -> None:
        """Note these users' instances anew, if means move."""
        if self._moves:
            present = self._envs.instances()
            for user in users.tolist():
                self.instances[user] = present[user]


def checked_arms(arms: Any, users: Array, n_arms: int, least: int, name: str) -> Array:
    """Return an arm (or `STOP`, where that is `least`) for each of these users."""
    chosen: Array = np.asarray(arms)
    fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
    if not fits or not least <= chosen.min() <= chosen.max() < n_arms:
        raise InvalidArgumentError(
            f"arms of {name}", arms, f"{users.size} integers in {least}..{n_arms - 1}"
        )
    return chosen.astype(int, copy=False)
