"""Whether an agent runs alike on every path of an evaluation."""

from collections.abc import Sequence
from functools import partial

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation.engines import PROCESSES
from explorative_user_env.evaluation.places import NONE_START, can_start, done
from explorative_user_env.evaluation.readable import run_readable
from explorative_user_env.evaluation.workforce import Workforce
from explorative_user_env.meeting import informed
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, needs_horizon
from explorative_user_env.testing.agent_company import expect_rows
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.compiled_paths import (
    COMPILED_USERS,
    DoesNotCompileError,
    expect_compiled,
)
from explorative_user_env.testing.meetings import usual_arms

SENT_STEPS = 40
"""Of runs in another process."""


def compiled_is_readable(subject: Subject) -> None:
    """Its runs in compiled code are those in plain Python, to the bit, if it is an Algorithm."""
    agent = subject.make()
    if not isinstance(agent, AlgorithmAgent):
        raise NotAskedError("it is no Algorithm record, and runs in plain Python")
    users = Population(n_arms=usual_arms(subject), alpha=0.1, noise=0.1)
    told = informed(agent, users)
    assert isinstance(told, AlgorithmAgent)
    try:
        expect_compiled(users, told, [*range(subject.seed, subject.seed + COMPILED_USERS)])
    except DoesNotCompileError as error:
        raise FailedCheckError(f"it does not compile: {error}") from error


def runs_in_another_process(subject: Subject) -> None:
    """In a process that was started for it, it does what it does in this one."""
    if not can_start(PROCESSES):
        raise NotAskedError(NONE_START)
    users = Population(n_arms=usual_arms(subject))
    agent = informed(subject.make(), users)
    seeds = [*range(subject.seed, subject.seed + 4)]
    horizon = SENT_STEPS if needs_horizon(agent) else None
    wanted = run_readable(users, agent, seeds, SENT_STEPS, horizon)
    halves = (slice(0, 2), slice(2, 4))
    chunks = [seeds[half] for half in halves]
    job = partial(_met, users, agent, horizon)
    with done(Workforce(2, PROCESSES), job, chunks, agent, PROCESSES) as parts:
        for rows, half in zip(parts, halves, strict=True):
            expect_rows(rows, wanted[half], seeds[half], "in another process than in this one")


def _met(users: Population, agent: Agent, horizon: int | None, seeds: Sequence[int]) -> Array:
    """Return the rows of `run_readable`, of a function that reaches other processes."""
    return run_readable(users, agent, seeds, SENT_STEPS, horizon)
