"""Whether runs in compiled code are those in plain Python, step by step."""

from collections.abc import Sequence

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, Uniform
from explorative_user_env.compiled.compiler import errors_of_compiling, short
from explorative_user_env.compiled.presence import COMPILER, why_no_compiler
from explorative_user_env.evaluation.compiled import play_compiled, run_compiled
from explorative_user_env.evaluation.readable import play_readable, run_readable
from explorative_user_env.population import Population
from explorative_user_env.testing.agent_company import expect_rows
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError

COMPILED_STEPS = 150
"""Of runs in compiled code."""

COMPILED_USERS = 8
"""Who are met there."""


class DoesNotCompileError(Exception):
    """Something of a loop is not what compiled code can be made of; the message says why."""


def expect_compiled(population: Population, agent: AlgorithmAgent, seeds: Sequence[int]) -> None:
    """Make sure that an agent and users do the same in compiled code.

    Args:
        population: the users.
        agent: who meets them, with a horizon where it needs one.
        seeds: theirs.

    Raises:
        NotAskedError: where there is no compiler.
        DoesNotCompileError: if they cannot.
        FailedCheckError: naming the first user and step that differ.
    """
    if (reason := why_no_compiler()) is not None:
        raise NotAskedError(f"it takes {COMPILER}, but {reason}")
    given = (population, agent, seeds, COMPILED_STEPS, COMPILED_STEPS)
    wanted = play_readable(*given)
    try:
        found = play_compiled(*given)
    except errors_of_compiling() as error:
        raise DoesNotCompileError(short(error)) from error
    for what, fast, plain in (
        ("recommended", found.arms, wanted.arms),
        ("accepted", found.accepted, wanted.accepted),
    ):
        users, steps = np.nonzero(fast != plain)
        if users.size:
            user, step = users[0], steps[0]
            raise FailedCheckError(
                f"{what} is {fast[user, step]} compiled and {plain[user, step]} in plain Python, "
                f"at step {step + 1} with the user of seed {seeds[user]} (K = {population.n_arms})"
            )
    expect_rows(run_compiled(*given), run_readable(*given), seeds, "compiled than in plain Python")


def expect_compiled_users(population: Population, seed: int) -> None:
    """Make sure that users are the same in compiled code.

    Args:
        population: the users.
        seed: of the first of them.

    Raises:
        NotAskedError: if they do not compile, and so run in plain Python everywhere.
        FailedCheckError: naming a user who differs.
    """
    agent = Uniform(order="random", horizon=COMPILED_STEPS)
    try:
        expect_compiled(population, agent, [*range(seed, seed + COMPILED_USERS)])
    except DoesNotCompileError as error:
        raise NotAskedError(f"does not compile, runs in plain Python: {error}") from error
