"""Find the agents that the command line names."""

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

#: Prefix of a trained model's folder.
MODEL_PREFIX = "sb3:"

#: Prefix of BAIR with a tuned N_1; the number or the folder of `paper tune-n1` follows.
TUNED_PREFIX = "bair-tuned:"

PREFIXES = (MODEL_PREFIX, TUNED_PREFIX)


def agents_called(
    names: Sequence[str] | None, max_steps: int | None, task: str | None = None
) -> list[Any]:
    """Return the agents with these names.

    If all names begin with sb3: or bair-tuned:, also return all agents of the package.

    Args:
        names: each is the name of an agent of the package, such as bair; sb3:X, where X is the
            folder or the name of a trained model; bair-tuned:X, where X is N_1 or the output of
            `paper tune-n1`; or module:Class. None is the paper's four agents if `task` is None,
            else all agents of the package.
        max_steps: default step cap of the agents.
        task: the option `--task`.
    """
    names = list(names or [])
    if not names and task is None:
        names = [*AGENTS]
    elif all(name.startswith(PREFIXES) for name in names):
        carriers = CARRIERS if task == POPULATION.name else ()
        names = [*AGENTS, *REFERENCES, *carriers, *names]
    return these_agents(names, max_steps)


def these_agents(names: Sequence[str], max_steps: int | None = None) -> list[Any]:
    """Return the agents with these names and no others; see `agents_called`.

    If two agents would have the same name, such as two models of one algorithm, each agent is named
    after its folder. If two folders have the same name, each agent is named after its path.
    """
    agents = [_agent(name, max_steps) for name in names]
    for by_path in (False, True):
        shown = [name_of(agent) for agent in agents]
        for agent, name in zip(agents, names, strict=True):
            if name.startswith(PREFIXES) and shown.count(name_of(agent)) > 1:
                prefix, _, path = name.partition(":")
                last = path if by_path else Path(path).name
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
    return TunedAgent(int(source[:30]), max_steps=max_steps)  # int refuses over 4300 digits


def imported(place: str) -> Any:
    """Return the object at `module:name`; do not catch errors of the module.

    Python looks for the module in the working folder first.
    """
    module, _, name = place.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # the folder stays, because worker processes need it
    return attrgetter(name)(import_module(module))


def agent_at(place: str, *others: type) -> Any:
    """Return the agent (or instance of `others`) at `module:name`; a class is instantiated."""
    try:
        target = imported(place)
        is_one = not isinstance(target, type) and isinstance(target, (Agent, *others))
        made = target if is_one else target()
    except Exception as error:  # code from outside the package may raise anything
        why = f"{type(error).__name__}: {error}"
        raise InvalidArgumentError("agent", place, f"a callable module:Class ({why})") from error
    if not isinstance(made, (Agent, *others)):
        raise InvalidArgumentError("agent", place, "module:Class with reset, act, observe, answer")
    return made


class Defaults(NamedTuple):
    """The task, the setting and the values of delta and K of a benchmark.

    Attributes:
        task: name of the task.
        setting: name of the setting.
        deltas: the values of delta.
        n_arms: the values of K.
        papers: whether the paper compares the agents of the benchmark.
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
    every: bool = False,
) -> Defaults:
    """Return the task, the setting and the values of delta and K of a benchmark.

    An argument of None means a default. If `line_up` contains trained models, the default is the
    value in the training of the first model. Otherwise the default is the paper's value, or, if
    `every` is true, all of the paper's values of delta and K. BAIR with a tuned N_1 counts as a
    trained model.
    """
    from explorative_user_env.studies.paper import BENCH_DELTAS, BENCH_N_ARMS

    trained = next(filter(None, map(trained_on, line_up)), {})
    chosen = choice("task", task or trained.get("task", BAI.name), TASKS)
    usual_deltas: Sequence[float] = (trained.get("delta", BENCH_DELTAS[0]),)
    usual_arms: Sequence[int] = (trained.get("n_arms", 5),)
    if not trained and every:
        usual_deltas = BENCH_DELTAS if TASKS[chosen].ends_itself else usual_deltas
        usual_arms = BENCH_N_ARMS
    if not trained and chosen == POPULATION.name:
        usual_arms = BENCH_N_ARMS[-1:]  # with few arms, an agent gains little from earlier users
    usual = PRINTED.name if chosen == POPULATION.name else COMPARED
    papers = task is None and all(name_of(agent) in AGENTS for agent in line_up)
    setting = setting or name_in(trained.get("setting", usual))
    return Defaults(chosen, setting, deltas or usual_deltas, n_arms or usual_arms, papers)


def tuning_warnings(agents: Sequence[Any], usual: Defaults, population: Population) -> list[str]:
    """Return a warning for each agent whose N_1 was tuned for other users than `population`."""
    cells: dict[str, Sequence[Any]] = {"delta": usual.deltas, "n_arms": usual.n_arms, "rho": ()}
    here = cells | {name: [word] for name, word in population.words().items()} | cells
    warnings = []
    for agent in agents:
        tuned = trained_on(agent) if isinstance(agent, AlgorithmAgent) else {}
        others = [
            f"{name}={tuned[name]}"
            for name, values in here.items()
            if name in tuned and any(value != tuned[name] for value in values)
        ]
        if others:
            tuned_for = f"{agent.name}: N_1 was tuned for {', '.join(others)}"
            warnings.append(f"{tuned_for}; for other users it has no guarantee.")
    return warnings
