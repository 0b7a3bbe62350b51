"""Whether an agent that meets many users at once treats each as if she were alone."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.evaluation.in_step import run_in_step
from explorative_user_env.evaluation.readable import RUN_COLUMNS, run_readable
from explorative_user_env.population import Population
from explorative_user_env.protocol import (
    STOP,
    Array,
    ManyUserAgent,
    name_of,
    needs_horizon,
)
from explorative_user_env.seeding import agent_generators
from explorative_user_env.testing.checks import (
    FailedCheckError,
    NotAskedError,
    Subject,
    in_words,
)
from explorative_user_env.testing.meetings import usual_arms

USERS_TOGETHER = 6
"""In step."""

STEPS_IN_STEP = 40
"""Of their runs."""


class Call(NamedTuple):
    """A method that is about to be called for many users at once."""

    agent: ManyUserAgent
    method: str
    given: Sequence[Any]
    n_arms: int
    step: int

    def made(self) -> Any:
        """Make the call, and return what the method does."""
        try:
            return getattr(self.agent, self.method)(*self.given)
        except Exception as error:
            told = f"{self.method} {in_words(error)} at step {self.step}"
            raise FailedCheckError(told) from error


def many_user_agent(subject: Subject) -> ManyUserAgent:
    """Return an agent that meets many users at once.

    Raises:
        NotAskedError: if it is none.
    """
    agent = subject.make()
    if not isinstance(agent, ManyUserAgent):
        raise NotAskedError("it meets users one at a time")
    return agent


def meet_many(subject: Subject, called: Callable[[Call], Any]) -> None:
    """Let an agent meet users who respond by chance, all at once.

    Args:
        subject: the agent.
        called: makes each call, looks at it as it likes and returns what the method did.
    """
    agent, n_arms = many_user_agent(subject), usual_arms(subject)
    rng = np.random.default_rng(subject.seed)
    seeds = range(subject.seed, subject.seed + USERS_TOGETHER)
    rngs = agent_generators(seeds, name_of(agent))
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    users, step = np.arange(USERS_TOGETHER), 0

    def call(method: str, *given: Any) -> Any:
        return called(Call(agent, method, given, n_arms, step))

    call("reset_all", n_arms, rngs, horizon)
    for step in range(1, STEPS_IN_STEP + 1):  # noqa: B007 - told by `call`
        arms = np.array(call("act_all", users.copy()))
        users, arms = users[arms != STOP], arms[arms != STOP]
        if not users.size:
            break
        call("observe_all", users.copy(), arms, rng.random(users.size) < 0.5)
    call("answer_all", np.arange(USERS_TOGETHER))


def recommends_arms_to_many(subject: Subject) -> None:
    """What act_all and answer_all return is an arm (or STOP) for each user, at every step."""
    meet_many(subject, _of_arms)


def _of_arms(call: Call) -> Any:
    returned = call.made()
    if call.method not in ("act_all", "answer_all"):
        return returned
    least, n_users = STOP if call.method == "act_all" else 0, len(call.given[0])
    arms: Array = np.asarray(returned)
    fits = arms.shape == (n_users,) and arms.dtype.kind in "iu"
    if not fits or not least <= arms.min() <= arms.max() < call.n_arms:
        allowed = f"{n_users} integers in {least}..{call.n_arms - 1}"
        told = f"{call.method} returned {returned!r} at step {call.step}"
        raise FailedCheckError(f"{told}, must be {allowed}")
    return arms


def minds_no_company(subject: Subject) -> None:
    """What it does with a user depends neither on who else is there nor on their order."""
    seeds = [*range(subject.seed, subject.seed + USERS_TOGETHER)]
    wanted = _rows(subject, seeds)
    others = {
        "in another order": (seeds[::-1], wanted[::-1]),
        "alone": (seeds[-1:], wanted[-1:]),
        "with half of the others": (seeds[::2], wanted[::2]),
    }
    for how, (some, rows) in others.items():
        expect_rows(_rows(subject, some), rows, some, f"{how} than among {USERS_TOGETHER} users")


def in_step_is_one_at_a_time(subject: Subject) -> None:
    """Its runs with many users at once are those with one after the other, to the bit."""
    seeds = [*range(subject.seed, subject.seed + USERS_TOGETHER)]
    wanted = _rows(subject, seeds)
    users, agent = Population(n_arms=usual_arms(subject)), subject.make()
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    found = run_readable(users, agent, seeds, STEPS_IN_STEP, horizon)
    expect_rows(found, wanted, seeds, "one at a time than in step")


def _rows(subject: Subject, seeds: Sequence[int]) -> Array:
    agent, users = many_user_agent(subject), Population(n_arms=usual_arms(subject))
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    return run_in_step(users, agent, seeds, STEPS_IN_STEP, horizon)


def expect_rows(found: Array, wanted: Array, seeds: Sequence[int], how: str) -> None:
    """Make sure that the runs of some users are the same on two paths.

    Args:
        found: a row of `RUN_COLUMNS` for each user.
        wanted: the same.
        seeds: the users'.
        how: in words, the one path and the other.

    Raises:
        FailedCheckError: naming the first user with whom they differ.
    """
    for row, other, seed in zip(found.tolist(), wanted.tolist(), seeds, strict=True):
        if row != other:
            differs = [name for name, a, b in zip(RUN_COLUMNS, row, other, strict=True) if a != b]
            shown = ", ".join(
                f"{name} {row[RUN_COLUMNS.index(name)]} instead of {other[RUN_COLUMNS.index(name)]}"
                for name in differs
            )
            told = f"the run with the user of seed {seed} is another {how}"
            raise FailedCheckError(f"{told}: {shown}")
