"""The agents: BAIR, the paper's baselines and references beyond them.

They see arms and responses, nothing else; one reference, labelled so, is told rewards as well.
"""

from collections.abc import Callable
from typing import Any

from explorative_user_env.protocol import DELTA, STEP_CAP, Agent
from explorative_user_env.validation import InvalidArgumentError

from .adapter import AlgorithmAgent
from .bair import BAIR, SuccessiveElimination
from .exp3 import EXP3
from .full_information import FullInformation
from .shared_phase1 import Phase1, after_phase1
from .text import TextAgent
from .thompson import Thompson
from .track_and_stop import TrackAndStop
from .transfer_elimination import OrderedElimination, TransferElimination
from .ucb1 import UCB1
from .uniform import Uniform

#: What makes an agent of each name, in the order of the paper's tables.
AGENTS: dict[str, Callable[..., AlgorithmAgent]] = {
    "BAIR": BAIR,
    "T&S": TrackAndStop,
    "UNI": Uniform,
    "EXP3": EXP3,
}

#: What makes an agent that the paper's tables do not have, by name.
REFERENCES: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE": SuccessiveElimination,
    "UCB1": UCB1,
    "Thompson": Thompson,
    "Full-information": FullInformation,
}

#: What makes an agent that carries over what it learns from user to user, by name.
CARRIERS: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE-ordered": OrderedElimination,
    "SE-transfer": TransferElimination,
}

_MAKERS = AGENTS | REFERENCES | CARRIERS

#: The algorithm records by name; SE's is BAIR's, SE-ordered's that of SE-transfer.
ALGORITHMS = {rule.name: rule for rule in (make().algorithm for make in _MAKERS.values())}

_SPELLINGS = {name.lower(): name for name in _MAKERS} | {
    "tas": "T&S",
    "track-and-stop": "T&S",
    "uniform": "UNI",
    "successive-elimination": "SE",
}

_SHOWN = ", ".join(sorted("tas" if name == "T&S" else name.lower() for name in _MAKERS))


def agent_named(name: str, max_steps: int | None = None) -> AlgorithmAgent:
    """Return the agent called `name`, of `AGENTS`, `REFERENCES` or `CARRIERS`, in any case.

    "tas" and "track-and-stop" stand for T&S, "uniform" for UNI, "successive-elimination" for SE.

    Raises:
        InvalidArgumentError: if there is none.
    """
    spelled = _SPELLINGS.get(name.lower()) if isinstance(name, str) else None
    if spelled is None:
        raise InvalidArgumentError("agent", name, f"one of {_SHOWN}")
    return _MAKERS[spelled](max_steps=max_steps)


def informed(
    agent: Agent | str, population: Any, delta: float = DELTA, max_steps: int | None = None
) -> Agent:
    """Return an agent, given or named, with its open options filled in.

    Args:
        agent: an agent, or the name of one of the package's.
        population: the users, whose alpha, rho_0, noise and setting the options take; None fills
            in nothing.
        delta: for agents that have none.
        max_steps: a step cap for all; an agent's may be smaller. None is the agent's cap, or the
            setting's, or a million.

    Raises:
        InvalidArgumentError: for anything but an agent.
    """
    if isinstance(agent, str):
        agent = agent_named(agent)
    ours = isinstance(agent, AlgorithmAgent)  # which takes less time than to look at methods
    if not ours and (isinstance(agent, type) or not isinstance(agent, Agent)):
        called = f"; call it: {agent.__name__}()" if hasattr(agent, "__name__") else ""
        if hasattr(agent, "predict") and hasattr(agent, "policy"):  # of Stable-Baselines3
            called = "; wrap a trained model: SB3Agent(model)"
        allowed = f"a name or have the methods reset, act, observe and answer{called}"
        raise InvalidArgumentError("agent", agent, allowed)
    if not isinstance(agent, AlgorithmAgent) or population is None:
        return agent
    user = population.user
    facts = {"delta": delta, "alpha": user.alpha, "rho_0": user.rho_0, "noise": user.noise}
    options = population.setting.agent_options(agent.algorithm.name, population.n_arms)
    return agent.informed({"max_steps": STEP_CAP} | facts | options, max_steps)


# fmt: off
__all__ = [
    "AGENTS", "ALGORITHMS", "BAIR", "CARRIERS", "EXP3", "REFERENCES", "UCB1", "AlgorithmAgent",
    "FullInformation", "OrderedElimination", "Phase1", "SuccessiveElimination", "TextAgent",
    "Thompson", "TrackAndStop", "TransferElimination", "Uniform", "after_phase1", "agent_named",
    "informed",
]
# fmt: on
