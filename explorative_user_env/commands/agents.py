"""Who takes part in a command, by the words of the command line."""

import sys
from collections.abc import Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.agents import AGENTS, CARRIERS, REFERENCES, AlgorithmAgent, agent_named
from explorative_user_env.protocol import BAI, POPULATION, TASKS, Agent, name_of, trained_on
from explorative_user_env.users.population import COMPARED, PRINTED, Population, name_in
from explorative_user_env.validation import InvalidArgumentError, choice

#: How the name of a trained model begins; its folder follows.
MODEL_PREFIX = "sb3:"

#: How the name of BAIR with a tuned N_1 begins; N_1 follows, or the folder of `paper tune-n1`.
TUNED_PREFIX = "bair-tuned:"

PREFIXES = (MODEL_PREFIX, TUNED_PREFIX)


def agents_called(
    names: Sequence[str] | None, max_steps: int | None, task: str | None = None
) -> list[Any]:
    """Return the agents of these names; models alone stand beside all of the package's.

    Args:
        names: as for `agent_named`; "sb3:" and the folder of a trained model, or the name of a
            model of the package; "bair-tuned:" and N_1, or the file or folder of `paper tune-n1`;
            or "module:Class". None is the paper's four, or all if a task is named.
        max_steps: step cap of the agents that have no other.
        task: the task that was asked for.
    """
    names = list(names or [])
    if not names and task is None:
        names = [*AGENTS]
    elif all(name.startswith(PREFIXES) for name in names):
        carriers = CARRIERS if task == POPULATION.name else ()
        names = [*AGENTS, *REFERENCES, *carriers, *names]
    return these_agents(names, max_steps)


def these_agents(names: Sequence[str], max_steps: int | None = None) -> list[Any]:
    """Return the agents of these names and no others; see `agents_called`.

    Models of one algorithm, and several tuned BAIR, are named by their folders: by the last part,
    or by the whole path if that is not enough.
    """
    agents = [_agent(name, max_steps) for name in names]
    for whole in (False, True):
        shown = [name_of(agent) for agent in agents]
        for agent, name in zip(agents, names, strict=True):
            if name.startswith(PREFIXES) and shown.count(name_of(agent)) > 1:
                prefix, _, path = name.partition(":")
                last = path if whole else Path(path).name
                tuned = name_of(agent).partition(":")[0]
                agent.name = last if f"{prefix}:" == MODEL_PREFIX else f"{tuned}:{last}"
    return agents


def _agent(name: str, max_steps: int | None) -> Any:
    if not name.startswith(PREFIXES):
        return agent_at(name) if ":" in name else agent_named(name, max_steps=max_steps)
    source = name.partition(":")[2]
    if name.startswith(MODEL_PREFIX):
        from explorative_user_env.rl import load_agent

        return load_agent(source)
    from explorative_user_env.studies.tuning import TunedAgent, load_tuned

    if not source.isdecimal():
        return load_tuned(source).agent(max_steps)
    return TunedAgent(int(source[:30]), max_steps=max_steps)  # int refuses thousands of digits


def found_at(place: str) -> Any:
    """Return the object at `module:name`, and raise whatever goes wrong there.

    The module is imported as Python does it, from the working folder first.
    """
    module, _, name = place.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # it stays, for worker processes
    return attrgetter(name)(import_module(module))


def agent_at(place: str, *others: type) -> Any:
    """Return the agent, or object of other classes, at `module:name`, or made by what is there."""
    try:
        found = found_at(place)
        is_one = not isinstance(found, type) and isinstance(found, (Agent, *others))
        made = found if is_one else found()
    except Exception as error:  # whatever is wrong in the user's code
        allowed = f"module:Class that can be imported and made ({type(error).__name__}: {error})"
        raise InvalidArgumentError("agent", place, allowed) from error
    if not isinstance(made, (Agent, *others)):
        allowed = "module:Class with the methods reset, act, observe and answer"
        raise InvalidArgumentError("agent", place, allowed)
    return made


class Defaults(NamedTuple):
    """What a benchmark runs: the names of the task and the setting, delta by row, K by column.

    `papers` is whether it is the paper's own comparison.
    """

    task: str
    setting: str
    deltas: Sequence[float]
    n_arms: Sequence[int]
    papers: bool


def bench_defaults(
    line_up: Sequence[Any],
    task: str | None,
    setting: str | None,
    deltas: Sequence[float] | None,
    n_arms: Sequence[int] | None,
    whole: bool = False,
) -> Defaults:
    """Return what was asked for; the rest is the first model's, or else the paper's.

    A tuned N_1 counts as a model of the cell that it was tuned in. Without models `whole` runs all
    of the paper's cells.
    """
    from explorative_user_env.studies.paper import BENCH_DELTAS, BENCH_N_ARMS

    trained = next(filter(None, map(trained_on, line_up)), {})
    chosen = choice("task", task or trained.get("task", BAI.name), TASKS)
    usual_deltas: Sequence[float] = (trained.get("delta", BENCH_DELTAS[0]),)
    usual_arms: Sequence[int] = (trained.get("n_arms", 5),)
    if not trained and whole:
        usual_deltas = BENCH_DELTAS if TASKS[chosen].ends_itself else usual_deltas
        usual_arms = BENCH_N_ARMS
    if not trained and chosen == POPULATION.name:
        usual_arms = BENCH_N_ARMS[-1:]  # with few arms a user says little about the next
    usual = PRINTED.name if chosen == POPULATION.name else COMPARED
    papers = task is None and all(name_of(agent) in AGENTS for agent in line_up)
    setting = setting or name_in(trained.get("setting", usual))
    return Defaults(chosen, setting, deltas or usual_deltas, n_arms or usual_arms, papers)


def elsewhere(line_up: Sequence[Any], usual: Defaults, population: Population) -> list[str]:
    """Return a warning for each tuned N_1 that meets other users than it was tuned for."""
    own: dict[str, Sequence[Any]] = {"delta": usual.deltas, "n_arms": usual.n_arms, "rho": ()}
    here = own | {name: [word] for name, word in population.words().items()} | own
    warnings = []
    for agent in line_up:
        tuned = trained_on(agent) if isinstance(agent, AlgorithmAgent) else {}
        others = [
            f"{name}={tuned[name]}"
            for name, values in here.items()
            if name in tuned and any(value != tuned[name] for value in values)
        ]
        if others:
            tuned_for = f"{agent.name}: N_1 was tuned for {', '.join(others)}"
            warnings.append(f"{tuned_for}; it promises nothing else.")
    return warnings
