"""The agents of an evaluation: made if only named, informed, checked against each other."""

from collections.abc import Sequence
from typing import Any

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.evaluation.request import Request
from explorative_user_env.meeting import informed
from explorative_user_env.monitors import is_bair
from explorative_user_env.protocol import Agent, cap_of, name_of, needs_horizon
from explorative_user_env.users.behaviour import EXPLORATIVE
from explorative_user_env.validation import InvalidArgumentError, sequence


def line_up_of(agents: Sequence[Agent | str], request: Request) -> list[Agent]:
    """Return the agents with their open options filled in.

    Raises:
        InvalidArgumentError: for what is no agent, agents of one name, or a time that none gives.
    """
    if isinstance(agents, Agent):
        raise InvalidArgumentError("agents", agents, "a list of agents, as [BAIR()]")
    line_up = [
        informed(agent, request.population, request.delta, request.max_steps)
        for agent in sequence("agents", agents, "a list of agents, as [BAIR()]")
    ]
    names = [name_of(agent) for agent in line_up]
    if not names:
        raise InvalidArgumentError("agents", names, "at least one agent")
    if len(set(names)) < len(names):
        raise InvalidArgumentError("agents", names, "agents with different names (give name=...)")
    in_need = [name_of(agent) for agent in line_up if needs_horizon(agent)]
    _check_time(names, in_need, request)
    return line_up


def _check_time(names: Sequence[str], in_need: Sequence[str], request: Request) -> None:
    """Make sure that T is given where an agent needs one, and only there."""
    told, given = request.told, request.baseline_time
    if given is not None and not in_need:
        allowed = "left out, as every agent of the line-up stops by itself or has a horizon"
        raise InvalidArgumentError("baseline_time", given, allowed)
    if isinstance(told, str) and in_need and (told not in names or told in in_need):
        allowed = f"a number, or an agent of the line-up that stops itself, as {in_need[0]} needs T"
        raise InvalidArgumentError("baseline_time", given, allowed)


def watched_of(line_up: Sequence[Agent], request: Request) -> list[AlgorithmAgent]:
    """Return the agents whose runs are held against the paper's bounds, in the paper's model."""
    if not request.check_theory:
        return []
    watched = [agent for agent in line_up if isinstance(agent, AlgorithmAgent) and is_bair(agent)]
    papers = not request.over_horizon and request.population.behaviour == EXPLORATIVE
    if not papers or not watched:
        allowed = 'False unless a BAIR is there, the task is "bai" and the behaviour "explorative"'
        raise InvalidArgumentError("check_theory", True, allowed)
    return watched


def cap_for(agent: Agent, request: Request) -> int:
    """Return the step cap of an agent's runs, or the horizon that they all have."""
    if request.over_horizon:
        return int(request.told)
    own = cap_of(agent) or request.cap
    return own if request.max_steps is None else min(own, request.max_steps)


def options_in_words(line_up: Sequence[Agent], request: Request) -> dict[str, dict[str, Any]]:
    """Return the options of every agent as its runs have them, with its step cap."""
    return {
        name_of(agent): (dict(agent.options) if isinstance(agent, AlgorithmAgent) else {})
        | {"max_steps": cap_for(agent, request)}
        for agent in line_up
    }


def deltas_of(line_up: Sequence[Agent], request: Request) -> dict[str, float]:
    """Return delta of every agent: its own, or what the evaluation says."""
    own = {
        name_of(agent): agent.options.get("delta") if isinstance(agent, AlgorithmAgent) else None
        for agent in line_up
    }
    return {name: request.delta if delta is None else delta for name, delta in own.items()}
