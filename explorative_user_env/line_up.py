"""Who takes part in a benchmark, by the words of a command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorative_user_env.agents import AGENTS, REFERENCES, agent_named
from explorative_user_env.experiments import BENCH_DELTAS, BENCH_N_ARMS
from explorative_user_env.protocol import name_of
from explorative_user_env.tasks import BAI, REGRET, TASKS
from explorative_user_env.validation import InvalidArgumentError, choice

MODEL = "sb3:"
"""What the name of a trained model begins with; its folder follows."""


def line_up_of(
    names: Sequence[str] | None, max_steps: int | None, task: str | None = None
) -> list[Any]:
    """Return the agents of these names; models alone stand beside all of the package's.

    Args:
        names: as for `agent_named`, or "sb3:" and the folder of a trained model or the name of one
            of the package's; None is the paper's four, or all where a task is named.
        max_steps: step cap of those that have no other.
        task: what was asked for.

    Raises:
        InvalidArgumentError: for a name that means nothing.
        MissingExtraError: for a model without Stable-Baselines3.
    """
    names = list(names or [])
    if not names and task is None:
        names = [*AGENTS]
    elif all(name.startswith(MODEL) for name in names):
        names = [*AGENTS, *REFERENCES, *names]
    agents = [
        _model(name.removeprefix(MODEL))
        if name.startswith(MODEL)
        else agent_named(name, max_steps=max_steps)
        for name in names
    ]
    _tell_apart(agents, names)
    return agents


def _tell_apart(agents: Sequence[Any], names: Sequence[str]) -> None:
    """Name models of one algorithm by their folders, by the whole path where that does not do."""
    for whole in (False, True):
        shown = [name_of(agent) for agent in agents]
        for agent, name in zip(agents, names, strict=True):
            if name.startswith(MODEL) and shown.count(name_of(agent)) > 1:
                path = name.removeprefix(MODEL)
                agent.name = path if whole else Path(path).name


@dataclass(frozen=True)
class Defaults:
    """What a benchmark runs: what was asked for, or else what suits the agents."""

    task: str
    setting: str
    deltas: Sequence[float]
    n_arms: Sequence[int]
    papers: bool  # whether it is the paper's own comparison


def bench_defaults(
    line_up: Sequence[Any],
    task: str | None,
    setting: str | None,
    deltas: Sequence[float] | None,
    n_arms: Sequence[int] | None,
) -> Defaults:
    """Return what was asked for; what was not is the first model's, or else the paper's.

    Raises:
        InvalidArgumentError: for a task that is not known.
    """
    models = [agent for agent in line_up if hasattr(agent, "trained_on")]
    trained = models[0].trained_on if models else {}
    chosen = choice("task", task or trained.get("task", BAI.name), TASKS)
    few = bool(models) or chosen == REGRET.name
    return Defaults(
        task=chosen,
        setting=setting or trained.get("setting", "released"),
        deltas=deltas or (BENCH_DELTAS[:1] if few else BENCH_DELTAS),
        n_arms=n_arms or ((trained["n_arms"],) if trained else BENCH_N_ARMS),
        papers=task is None and all(name_of(agent) in AGENTS for agent in line_up),
    )


def _model(source: str) -> Any:
    from explorative_user_env.rl import load_agent

    if not source:
        raise InvalidArgumentError("agent", MODEL, "sb3:DIR, with the folder of a trained model")
    return load_agent(source)
