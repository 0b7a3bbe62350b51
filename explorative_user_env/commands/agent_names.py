"""Who takes part in a benchmark, by the words of a command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorative_user_env.agents import AGENTS, CARRIERS, REFERENCES, agent_named
from explorative_user_env.commands.own_agents import agent_at
from explorative_user_env.protocol import BAI, POPULATION, TASKS, name_of, trained_on
from explorative_user_env.studies.paper import BENCH_DELTAS, BENCH_N_ARMS
from explorative_user_env.studies.tuning import AGENT as TUNED_AGENT
from explorative_user_env.studies.tuning import TunedAgent, load_tuned
from explorative_user_env.users.population import Population
from explorative_user_env.users.settings import COMPARED, PRINTED, name_in
from explorative_user_env.validation import LARGEST_COUNT, InvalidArgumentError, choice

MODEL_PREFIX = "sb3:"
"""What the name of a trained model begins with; its folder follows."""

TUNED_PREFIX = "bair-tuned:"
"""What the name of BAIR with a tuned N_1 begins with; N_1 follows, or what tune-n1 wrote."""


def agents_called(
    names: Sequence[str] | None, max_steps: int | None, task: str | None = None
) -> list[Any]:
    """Return the agents of these names; models alone stand beside all of the package's.

    What tune-n1 has found counts as a model here: it stands for one cell, and promises nothing in
    another.

    Args:
        names: as for `agent_named`; or "sb3:" and the folder of a trained model or the name of one
            of the package's; or "bair-tuned:" and N_1, or the file or folder that tune-n1 wrote;
            or "module:Class" of one's own. None is the paper's four, or all where a task is named.
        max_steps: step cap of those that have no other.
        task: what was asked for.

    Raises:
        InvalidArgumentError: for a name that means nothing.
        MissingExtraError: for a model without Stable-Baselines3.
    """
    names = list(names or [])
    if not names and task is None:
        names = [*AGENTS]
    elif all(name.startswith((MODEL_PREFIX, TUNED_PREFIX)) for name in names):
        carriers = CARRIERS if task == POPULATION.name else ()
        names = [*AGENTS, *REFERENCES, *carriers, *names]
    return these_agents(names, max_steps)


def these_agents(names: Sequence[str], max_steps: int | None = None) -> list[Any]:
    """Return the agents of these names and no others; see `agents_called`."""
    agents = [_agent(name, max_steps) for name in names]
    _tell_apart(agents, names)
    return agents


def _agent(name: str, max_steps: int | None) -> Any:
    if name.startswith(MODEL_PREFIX):
        return _model(name.removeprefix(MODEL_PREFIX))
    if name.startswith(TUNED_PREFIX):
        return _tuned(name.removeprefix(TUNED_PREFIX), max_steps)
    if ":" in name:
        return agent_at(name)
    return agent_named(name, max_steps=max_steps)


def _tell_apart(agents: Sequence[Any], names: Sequence[str]) -> None:
    """Name models of one algorithm by their folders, by the whole path where that does not do.

    A tuned BAIR is told apart by what its name was given with, and is still called so.
    """
    for whole in (False, True):
        shown = [name_of(agent) for agent in agents]
        for agent, name in zip(agents, names, strict=True):
            if name.startswith(MODEL_PREFIX) and shown.count(name_of(agent)) > 1:
                path = name.removeprefix(MODEL_PREFIX)
                agent.name = path if whole else Path(path).name
            elif name.startswith(TUNED_PREFIX) and shown.count(name_of(agent)) > 1:
                path = name.removeprefix(TUNED_PREFIX)
                agent.name = f"{TUNED_AGENT}:{path if whole else Path(path).name}"


@dataclass(frozen=True)
class Defaults:
    """What a benchmark runs: what was asked for, or else what suits the agents."""

    task: str
    setting: str
    deltas: Sequence[float]
    n_arms: Sequence[int]
    papers: bool  # whether it is the paper's own comparison

    @property
    def over_horizon(self) -> bool:
        """Whether agents run to a horizon, and do not end with an answer."""
        return not TASKS[self.task].ends_itself


def bench_defaults(
    line_up: Sequence[Any],
    task: str | None,
    setting: str | None,
    deltas: Sequence[float] | None,
    n_arms: Sequence[int] | None,
) -> Defaults:
    """Return what was asked for; what was not is the first model's, or else the paper's.

    Of a tuned N_1 that is the cell that it was tuned in.

    Raises:
        InvalidArgumentError: for a task that is not known.
    """
    models = [agent for agent in line_up if trained_on(agent)]
    trained = trained_on(models[0]) if models else {}
    chosen = choice("task", task or trained.get("task", BAI.name), TASKS)
    few = bool(models) or not TASKS[chosen].ends_itself
    return Defaults(
        task=chosen,
        setting=setting or name_in(trained.get("setting", _compared(chosen))),
        deltas=deltas or _deltas_of(trained, few),
        n_arms=n_arms or _n_arms_of(trained, chosen),
        papers=task is None and all(name_of(agent) in AGENTS for agent in line_up),
    )


def elsewhere(line_up: Sequence[Any], usual: Defaults, population: Population) -> list[str]:
    """Return a warning for each tuned N_1 that meets other users than it was tuned for.

    Args:
        line_up: all agents.
        usual: the cells of the benchmark.
        population: what else its users are.
    """
    here: dict[str, Sequence[Any]] = {"delta": usual.deltas, "n_arms": usual.n_arms}
    words = population.words()
    here |= {name: [word] for name, word in words.items() if name not in (*here, "rho")}
    warnings = []
    for agent in line_up:
        if not isinstance(agent, TunedAgent) or not agent.trained_on:
            continue
        tuned = agent.trained_on
        known = [name for name in here if name in tuned]
        names = [name for name in known if any(value != tuned[name] for value in here[name])]
        if names:
            told = ", ".join(f"{name}={tuned[name]}" for name in names)
            warnings.append(f"{agent.name}: N_1 was tuned for {told}; it promises nothing else.")
    return warnings


def _compared(task: str) -> str:
    """Return the name of the setting in which agents are compared; the paper has no population."""
    return PRINTED.name if task == POPULATION.name else COMPARED


def _n_arms_of(trained: Mapping[str, Any], task: str) -> Sequence[int]:
    if trained:
        return (trained["n_arms"],)
    # With few arms there is little that one user could say of the next.
    return BENCH_N_ARMS[-1:] if task == POPULATION.name else BENCH_N_ARMS


def _deltas_of(trained: Mapping[str, Any], few: bool) -> Sequence[float]:
    if "delta" in trained:
        return (trained["delta"],)
    return BENCH_DELTAS[:1] if few else BENCH_DELTAS


def _tuned(source: str, max_steps: int | None) -> TunedAgent:
    if not source:
        allowed = "bair-tuned:DIR, with what tune-n1 wrote, or bair-tuned:N_1, as bair-tuned:200"
        raise InvalidArgumentError("agent", TUNED_PREFIX, allowed)
    if source.isdecimal():
        return TunedAgent(_number("n1", source), max_steps=max_steps)
    return load_tuned(source).agent(max_steps)


def _number(name: str, digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:  # Python reads no more than some thousand digits
        raise InvalidArgumentError(name, digits, f"an integer in 0..{LARGEST_COUNT}") from error


def _model(source: str) -> Any:
    from explorative_user_env.rl import load_agent

    if not source:
        raise InvalidArgumentError(
            "agent", MODEL_PREFIX, "sb3:DIR, with the folder of a trained model"
        )
    return load_agent(source)
