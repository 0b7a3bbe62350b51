"""Agents that meet many users at once, in the vector environment."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.envs.user_vector import ExplorativeUserVectorEnv
from explorative_user_env.evaluation.halting import go_on
from explorative_user_env.evaluation.plays import Play
from explorative_user_env.population import Population
from explorative_user_env.protocol import STOP, Array, ManyUserAgent, in_use, name_of
from explorative_user_env.seeding import agent_generators
from explorative_user_env.tasks import ANSWERED, CENSORED, LEFT
from explorative_user_env.validation import InvalidArgumentError

USERS = 1024
"""Users that an agent meets at once. Every user has one run and all runs count: the first runs to
end, out of many that go on, would be the short ones."""


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
        met, truth = _meeting(population, agent, seeds, max_steps, horizon, None)
        met.go_on(halt)
    ends = np.where(met.left, LEFT, ANSWERED)
    ends[met.going_on] = CENSORED
    best_arms = [instance.best_arm for instance in truth.instances]
    rejections = met.steps - met.acceptances
    return np.column_stack([best_arms, met.acceptances, rejections, met.answers, ends])


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
        met, truth = _meeting(population, agent, seeds, max_steps, max_steps, play)
        met.go_on(halt)
    play.write_truth(truth.instances)
    play.answers[:], play.left[:] = met.answers, met.left
    play.blank_missed()
    return play


def _meeting(
    population: Population,
    agent: ManyUserAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    play: Play | None,
) -> tuple["MeetingOfMany", "_Truth"]:
    """Return an agent and the users of these seeds, about to begin, and what is true of them."""
    envs = ExplorativeUserVectorEnv(len(seeds), population=population, reward="none")
    envs.reset(seed=list(seeds))
    truth = _Truth(envs, population.behaviour.moves_means)
    agent.reset_all(population.n_arms, agent_generators(seeds, name_of(agent)), horizon)

    def respond(arms: Array) -> tuple[Array, Array]:
        responses, _, leaving, _, _ = envs.step(arms)
        return responses == 1, leaving

    size = (len(seeds), population.n_arms, max_steps)
    return MeetingOfMany(agent, respond, truth.renew, size, play), truth


class MeetingOfMany:
    """An agent and its users: who is there, and what is known of each, in arrays of shape (n,).

    Args:
        agent: who is ready for them.
        respond: recommends an arm to each user, and returns who accepts and who leaves.
        renew: called with users before the agent is asked for its answers.
        size: the numbers of users, of arms, and of steps at most.
        play: what is written down, if anything; the agent goes on with its answers then.
    """

    def __init__(
        self,
        agent: ManyUserAgent,
        respond: Callable[[Array], tuple[Array, Array]],
        renew: Callable[[Array], None],
        size: tuple[int, int, int],
        play: Play | None,
    ) -> None:
        n_users, self.n_arms, self.max_steps = size
        self.agent, self.name, self.play = agent, name_of(agent), play
        self._respond, self._renew = respond, renew
        self.acceptances, self.steps = np.zeros(n_users, int), np.zeros(n_users, int)
        self.answers, self.arms = np.zeros(n_users, int), np.zeros(n_users, int)
        self.left = np.zeros(n_users, bool)  # who did not stay: in her place is somebody new
        self.going_on = np.arange(n_users)  # with whom the agent has not stopped, and who is there

    def go_on(self, halt: Array | None) -> None:
        """Recommend and hear until all is over."""
        for step in range(self.max_steps + 1):
            go_on(halt)
            chosen = self._chosen()
            over = not self.going_on.size if self.play is None else self.left.all()
            if over or step == self.max_steps:
                break
            self._step(step, chosen)
        self._ask(self.going_on)

    def _chosen(self) -> Array:
        """Return the arms for the users with whom the agent does not stop now."""
        if not self.going_on.size:  # the agent has stopped with all
            return self.going_on
        told = self.agent.act_all(self.going_on.copy())
        chosen = _checked(told, self.going_on, self.n_arms, STOP, self.name)
        stopped = self.going_on[chosen == STOP]
        self._ask(stopped)
        self.arms[stopped] = self.answers[stopped]
        going_on: Array = chosen != STOP
        self.going_on = self.going_on[going_on]
        arms: Array = chosen[going_on]
        return arms

    def _ask(self, users: Array) -> None:
        """Have the agent answer for these users."""
        if users.size:
            self._renew(users)
            # Copies, as the agent may write on what it is handed.
            told = self.agent.answer_all(users.copy())
            self.answers[users] = _checked(told, users, self.n_arms, 0, self.name)

    def _step(self, step: int, chosen: Array) -> None:
        """Recommend these arms to the users with whom the agent goes on, and its answers to all."""
        going_on, play = self.going_on, self.play
        self.arms[going_on] = chosen
        accepted, leaving = self._respond(self.arms)
        if going_on.size:
            self.agent.observe_all(going_on.copy(), chosen, accepted[going_on])
        self.steps[going_on] += 1
        self.acceptances[going_on] += accepted[going_on]
        if play is not None:
            play.arms[:, step], play.accepted[:, step] = self.arms, accepted
            play.stayed[leaving & ~self.left] = step + 1
            self.left |= leaving
        self.left[going_on] = leaving[going_on]
        gone = self.left[going_on]
        if gone.any():
            self._ask(going_on[gone])
            self.going_on = going_on[~gone]


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


def _checked(arms: Any, users: Array, n_arms: int, least: int, name: str) -> Array:
    """Return an arm (or `STOP`, where that is `least`) for each of these users."""
    chosen: Array = np.asarray(arms)
    fits = chosen.shape == users.shape and chosen.dtype.kind in "iu"
    if not fits or not least <= chosen.min() <= chosen.max() < n_arms:
        raise InvalidArgumentError(
            f"arms of {name}", arms, f"{users.size} integers in {least}..{n_arms - 1}"
        )
    return chosen.astype(int, copy=False)
