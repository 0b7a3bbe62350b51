"""One agent with a few users in compiled code, to the same result as in the environment."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.compiler import errors_of_compiling, short
from explorative_user_env.compiled.kernels import compiled_play_all, compiled_run_all
from explorative_user_env.compiled.presence import can_compile
from explorative_user_env.evaluation.plays import Play
from explorative_user_env.evaluation.readable import RUN_COLUMNS
from explorative_user_env.loop import rollout
from explorative_user_env.meeting import environment_of
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.users.behaviour import EXPLORATIVE
from explorative_user_env.users.confidence import ACCEPTANCE_RATE, rule_name
from explorative_user_env.users.failures import law_in_words
from explorative_user_env.users.instances import instances_of
from explorative_user_env.users.reward_laws import GAUSSIAN_LAW, OWN
from explorative_user_env.validation import handed_in, integer


def run_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Run `agent` with the users of these `seeds`; see `readable.run_readable`.

    With another number than 0 put into `halt`, an array of one whole number, by another thread, all
    runs end within milliseconds, and the rows mean nothing.
    """
    halt = never() if halt is None else halt
    behaviour = population.behaviour
    rule, own_law = population.schedule.rule, population.user.own_law.compiled_in
    run_all = compiled_run_all(agent.algorithm, rule, behaviour, own_law)
    rows = np.zeros((len(seeds), len(RUN_COLUMNS)), int)
    for part, best_arms, given in portions(population, agent, seeds, horizon):
        outcomes = np.zeros((len(best_arms), len(RUN_COLUMNS) - 1), int)
        begun = instances_of(given[MEANS], best_arms) if behaviour.moves_means else ()
        run_all(*given, max_steps, outcomes, halt)
        if behaviour.moves_means:
            now = map(behaviour.truth, begun, given[MEANS].tolist())
            best_arms = np.array([instance.best_arm for instance in now])
        rows[part, 0] = best_arms
        rows[part, 1:] = outcomes
        if halt[0]:
            break
    check_answers(rows[:, RUN_COLUMNS.index("answer")], agent, population)
    return rows


def play_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Play:
    """Let `agent` play with the users of these `seeds`; see `readable.play_readable`.

    `halt` is that of `run_compiled`.
    """
    whole = Play.blank(len(seeds), population.n_arms, max_steps)
    for part, play in plays_compiled(population, agent, seeds, max_steps, horizon, halt):
        for everyone, some in zip(whole, play, strict=True):
            everyone[part] = some
    return whole


def plays_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seeds: Sequence[int],
    max_steps: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Iterator[tuple[slice, Play]]:
    """Yield what `play_compiled` returns of some users after others: which they are, and a play.

    It is written over by the next, as memory that is used again is quicker than new.
    """
    from explorative_user_env.compiled.generators import N_STREAMS

    halt = never() if halt is None else halt
    rule, behaviour = population.schedule.rule, population.behaviour
    own_law = population.user.own_law.compiled_in
    play_all = compiled_play_all(agent.algorithm, rule, behaviour, own_law)
    room = Play.blank(min(len(seeds), N_STREAMS), population.n_arms, max_steps)
    for part, best_arms, given in portions(population, agent, seeds, horizon):
        play = Play(*(array[: len(best_arms)] for array in room))
        play.means[:], play.best_arms[:] = given[MEANS], best_arms
        play_all(*given, play.arms, play.accepted, play.answers, play.stayed, play.left, halt)
        play.blank_missed()
        check_answers(play.answers, agent, population)
        yield part, play
        if halt[0]:
            break


def never() -> Array:
    """Return what halts no run."""
    return np.zeros(1, int)


def check_answers(answers: Array, agent: AlgorithmAgent, population: Population) -> None:
    """Make sure that every answer is an arm.

    Raises:
        InvalidArgumentError: for one that is none.
    """
    for answer in answers[(answers < 0) | (answers >= population.n_arms)].tolist():
        integer(f"answer of {agent.name}", answer, 0, population.n_arms - 1)


MEANS = 2
"""The place of the means in what every compiled loop begins with."""


def portions(
    population: Population, agent: AlgorithmAgent, seeds: Sequence[int], horizon: int | None
) -> Iterator[tuple[slice, Array, tuple[Any, ...]]]:
    """Yield as many users as there are streams to lend, again and again.

    Yields:
        Which of the seeds they are, their best arms, and what every compiled loop begins with: the
        user, her state, the means, her streams, the agent's numbers, state and streams, and what
        draws from them. They are good until the next portion.
    """
    from explorative_user_env.compiled.drawn_instances import draw_at_once
    from explorative_user_env.compiled.generators import N_STREAMS, streams
    from explorative_user_env.compiled.stream_seeds import set_streams_at_once

    user, law = population.user, population.instance_law
    params = agent.params(user.n_arms, horizon)
    memory = population.behaviour.memory_of(user.n_arms)
    numbers, user_state = user_tuple(user), user_arrays(user, memory)
    state = as_arrays(agent.algorithm.blank(params))
    for first in range(0, len(seeds), N_STREAMS):
        theirs = seeds[first : first + N_STREAMS]
        with streams() as users, streams() as own:
            set_streams_at_once(theirs, agent.name, users, own)
            means, best_arms = draw_at_once(law, user.n_arms, len(theirs), users)
            hers, its = (numbers, user_state, means, users.states), (params, state, own.states)
            yield slice(first, first + N_STREAMS), best_arms, (*hers, *its, users.draws)


def compiles(
    population: Population,
    agent: Agent,
    seed: int,
    horizon: int | None,
    run: Callable[..., Any] = run_compiled,
) -> bool:
    """Compile `agent`'s loop if it can be, with a run of no steps; warn if some code cannot.

    An agent without an algorithm record has nothing to compile, and without numba nothing can be.

    Raises:
        CallableError: if it is not the compiling that fails, but code that was handed in.
    """
    if not isinstance(agent, AlgorithmAgent) or not can_compile():
        return False
    if any(map(handed_in, population.behaviour.functions)):
        _look(population, agent, seed, horizon)  # compiled code takes any answer for a response
    try:
        run(population, agent, [seed], 0, horizon)
    except Exception as error:
        _look(population, agent, seed, horizon)
        if not isinstance(error, errors_of_compiling()):
            raise
        whose, name = _uncompiled(population, agent, seed, horizon, run), name_of(agent)
        warnings.warn(
            f"{whose} does not compile, so {'it' if whose == name else name} runs in the slower "
            f"readable loop: {short(error)}",
            stacklevel=2,
        )
        return False
    return True


LOOKED_AT = 100
"""Steps that are looked at before what was handed in is compiled."""


def _look(population: Population, agent: Agent, seed: int, horizon: int | None) -> None:
    """Run the first steps in plain Python, where what fails says by name what it is."""
    rollout(environment_of(population, agent), agent, seed, LOOKED_AT, horizon)


def _uncompiled(
    population: Population,
    agent: AlgorithmAgent,
    seed: int,
    horizon: int | None,
    run: Callable[..., Any],
) -> str:
    """Return what does not compile: that without which, of what was handed in, the loop does."""
    rule, behaviour = population.schedule.rule, population.behaviour
    own: dict[str, Any] = {}
    if handed_in(rule):
        own[f"rho ({rule_name(rule)})"] = {"rho": ACCEPTANCE_RATE}
    if any(map(handed_in, behaviour.functions)):
        own[f"behaviour {behaviour.name!r}"] = {"behaviour": EXPLORATIVE}
    if population.user.reward_law == OWN:
        own[law_in_words(population.user)] = {"reward_law": GAUSSIAN_LAW}
    for what, usual in own.items():
        try:
            run(replace(population, **usual), agent, [seed], 0, horizon)
        except Exception:
            continue
        return what
    return name_of(agent)
