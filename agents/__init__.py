"""The agents of the package: BAIR, the paper's baselines, and agents for comparison.

Agents see arms and responses only. Two agents for comparison are exceptions: `FullInformation` sees
rewards, and `OracleChampion` knows the best arm.
"""

from collections.abc import Callable, Mapping
from typing import Any

from explorative_user_env.protocol import DELTA, STEP_CAP, Agent
from explorative_user_env.validation import InvalidArgumentError

from .adapter import AlgorithmAgent
from .adaptive_bair import AdaptiveBAIR
from .bair import BAIR, SuccessiveElimination
from .bandit import BanditAgent
from .conversation import facts_of
from .exp3 import EXP3
from .full_information import FullInformation
from .oracle_champion import OracleChampion
from .shared_phase1 import Phase1, after_phase1
from .text import TextAgent
from .thompson import Thompson
from .track_and_stop import TrackAndStop
from .transfer_elimination import OrderedElimination, TransferElimination
from .ucb1 import UCB1
from .uniform import Uniform

#: Functions that make the agents of the paper, by name, in the order of its tables.
AGENTS: dict[str, Callable[..., AlgorithmAgent]] = {
    "BAIR": BAIR,
    "T&S": TrackAndStop,
    "UNI": Uniform,
    "EXP3": EXP3,
}

#: Functions that make agents that the paper's tables do not have, by name.
REFERENCES: dict[str, Callable[..., AlgorithmAgent]] = {
    "BAIR-C": AdaptiveBAIR,
    "SE": SuccessiveElimination,
    "UCB1": UCB1,
    "Thompson": Thompson,
    "Full-information": FullInformation,
    "oracle-champion": OracleChampion,
}

#: Functions that make agents that transfer what they learn between users of a population, by name.
CARRIERS: dict[str, Callable[..., AlgorithmAgent]] = {
    "SE-ordered": OrderedElimination,
    "SE-transfer": TransferElimination,
}

_MAKERS = AGENTS | REFERENCES | CARRIERS

#: Algorithm records by name. SE has the record of BAIR, SE-ordered that of SE-transfer.
ALGORITHMS = {rule.name: rule for rule in (make().algorithm for make in _MAKERS.values())}

_SPELLINGS = {name.lower(): name for name in _MAKERS} | {
    "tas": "T&S",
    "track-and-stop": "T&S",
    "uniform": "UNI",
    "successive-elimination": "SE",
}

_SHOWN = ", ".join(sorted("tas" if name == "T&S" else name.lower() for name in _MAKERS))


def agent_named(name: str, max_steps: int | None = None) -> AlgorithmAgent:
    """Return the package's agent of this name. Upper and lower case are equal.

    "tas" and "track-and-stop" mean T&S, "uniform" means UNI, "successive-elimination" means SE.

    Raises:
        InvalidArgumentError: for an unknown name.
    """
    spelled = _SPELLINGS.get(name.lower()) if isinstance(name, str) else None
    if spelled is None:
        raise InvalidArgumentError("agent", name, f"one of {_SHOWN}")
    return _MAKERS[spelled](max_steps=max_steps)


def informed(
    agent: Agent | str, population: Any, delta: float = DELTA, max_steps: int | None = None
) -> Agent:
    """Return an agent with its unset options filled in.

    Args:
        agent: an agent, or the name of one of the package's agents.
        population: the `Population` whose alpha, rho_0, noise and setting fill unset options. If
            it is None, the options stay unset.
        delta: value of delta for agents with an unset delta.
        max_steps: the largest step cap that the agent may have. If it is None, the agent keeps
            its step cap. An agent without one gets the setting's cap, or else a million steps.

    Raises:
        InvalidArgumentError: if `agent` is not an agent.
    """
    if isinstance(agent, str):
        agent = agent_named(agent)
    known = isinstance(agent, AlgorithmAgent)  # faster than `isinstance(agent, Agent)`
    if not known and (isinstance(agent, type) or not isinstance(agent, Agent)):
        called = f"; call it: {agent.__name__}()" if hasattr(agent, "__name__") else ""
        if hasattr(agent, "predict") and hasattr(agent, "policy"):  # a model of Stable-Baselines3
            called = "; wrap a trained model: SB3Agent(model)"
        allowed = f"a name or have the methods reset, act, observe and answer{called}"
        raise InvalidArgumentError("agent", agent, allowed)
    if not isinstance(agent, AlgorithmAgent) or population is None:
        return agent
    user = population.user
    facts: dict[str, Any] = {
        "delta": delta,
        "alpha": user.alpha,
        "rho_0": user.rho_0,
        "noise": user.noise,
    }
    if user.counted:
        facts["rho_prior"] = (user.prior_acceptances, user.prior_interactions)
    options = population.setting.agent_options(agent.algorithm.name, population.n_arms)
    return agent.informed({"max_steps": STEP_CAP} | facts | options, max_steps)


def with_facts(agent: Agent, population: Any, cell: Mapping[str, Any], anew: bool = False) -> Agent:
    """Return an agent that states the facts of an evaluation to its model; others are unchanged.

    Args:
        agent: an agent; only a `TextAgent` changes.
        population: the `Population`, or None.
        cell: the options `task`, `delta`, `step_cost`, `max_steps` and `n_users` of the evaluation.
        anew: whether to replace the facts of an agent that has some.
    """
    if isinstance(agent, TextAgent) and (anew or agent.facts is None):
        return agent.with_facts(facts_of(population, cell))
    return agent


# fmt: off
__all__ = [
    "AGENTS", "ALGORITHMS", "BAIR", "CARRIERS", "EXP3", "REFERENCES", "UCB1", "AdaptiveBAIR",
    "AlgorithmAgent", "BanditAgent", "FullInformation", "OracleChampion", "OrderedElimination",
    "Phase1", "SuccessiveElimination", "TextAgent", "Thompson", "TrackAndStop",
    "TransferElimination", "Uniform", "after_phase1", "agent_named", "informed", "with_facts",
]
# fmt: on
