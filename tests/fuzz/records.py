"""Functions of the theory, agents, and records."""

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from fuzz.fuzzing import NAMES, USERS, Door
from theory_functions import FUNCTIONS

import explorative_user_env as eu
from explorative_user_env import agents, theory
from explorative_user_env.studies import suite, tuning
from explorative_user_env.users import model as confidence
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.population import PRINTED, RELEASED


def no_nan(found: Any, given: Mapping[str, Any]) -> None:
    if isinstance(found, tuple):
        for part in found:
            no_nan(part, given)
    elif isinstance(found, float | np.ndarray):
        assert not np.isnan(found).any(), "a number is NaN"


INSTANCES = (Instance((1.0, 0.5, 0.0), 0), Instance((0.0, 1e-9), 1), Instance((3.0, -1e6), 0))

THEORY: dict[str, Sequence[Any]] = {
    **{"instance": INSTANCES, "delta": (0.1, 0.5, 1e-9), "alpha": (1.0, 0.3, 4.0)},
    **{"rho_0": (1.0, 0.1), "rho_1": (2.0, 1.0), "n_arms": (2, 5, 200), "n1": (100.0, 3, 250, 1e7)},
    **{"gap": (0.5, 1e-6, 3), "c": (0.25, 0.9), "n": (1, 250, np.arange(1, 9))},
    "n0": (30, 250, 1000),
    **{"gamma": (1.0, 7.0), "acceptances": (1, 250), "form": ("paper", "proof")},
    **{"order": ("round robin", "fewest acceptances")},
    "pair": (theory.hard_pair(0.01), theory.hard_pair(0.1, gap=0.5, n_arms=3)),
}


def needed_of(function: Callable[..., Any]) -> frozenset[str]:
    parameters = inspect.signature(function).parameters.values()
    return frozenset(each.name for each in parameters if each.default is each.empty)


def of_theory() -> Iterator[Door]:
    for name, function in FUNCTIONS.items():
        usual = {each: THEORY[each] for each in inspect.signature(function).parameters}
        yield Door(f"theory.{name}", function, usual, needed_of(function), look=no_nan)


AGENTS: dict[str, Sequence[Any]] = {
    **{"delta": (0.1,), "n1": ("paper", "proof", 10.0), "m": ("paper", 1, 5)},
    **{"rejections": ("all", "consecutive"), "alpha": (1.0,), "rho_0": (1.0,), "noise": (0.1,)},
    **{"phase1_counts": ("acceptances", "steps"), "first_sweep": ("full", "skipping")},
    **{"phase2": ("fewest acceptances", "round robin"), "max_steps": (40,), "horizon": (30,)},
    **{"learning_rate": (0.1,), "counts": ("accepted", "recommended"), "ties": ("random", "first")},
    **{"exploration": (2.0,), "prior_mean": (0.0,), "prior_variance": (1.0,), "prior": ((1, 1),)},
    **{"threshold": ("log(t/delta)",), "primed": (True, False), "whole_passes": (True,)},
    **{"tied": ("random", "least recommended"), "order": ("round robin", "random")},
    "name": ("mine", "BAIR"),
}

MAKERS = (
    *(agents.BAIR, agents.EXP3, agents.UCB1, agents.FullInformation, agents.Phase1),
    *(agents.SuccessiveElimination, agents.Thompson, agents.TrackAndStop, agents.Uniform),
)


def of_agents() -> Iterator[Door]:
    for make in MAKERS:
        usual = {each: AGENTS[each] for each in inspect.signature(make).parameters}
        yield Door(f"agents.{make.__name__}", _played(make), usual)
    named = {"name": (*NAMES, "bair"), "max_steps": (10,)}
    yield Door("agents.agent_named", agents.agent_named, named, frozenset({"name"}))


def _played(make: Callable[..., Any]) -> Callable[..., Any]:
    def play(**options: Any) -> Any:
        agent = make(**options)
        agent.reset(3, np.random.default_rng(0), horizon=20)
        for step in range(10):
            arm = agent.act()
            if arm is None:
                break
            assert arm in range(3), f"arm {arm}"
            agent.observe(arm, step % 3 != 1)
        assert agent.answer() in range(3), "no arm for an answer"
        return agent

    return play


def of_records() -> Iterator[Door]:
    forgetful = as_behaviour("forgetful")
    for name, record in ("released", RELEASED), ("printed", PRINTED), ("forgetful", forgetful):
        fields = {each.name: (getattr(record, each.name),) for each in dataclasses.fields(record)}
        yield _record(f"{type(record).__name__} {name}", type(record), **fields)
    yield _record(
        *("Schedule", eu.Schedule),
        rule=(confidence.constant_rule, confidence.acceptance_rate_rule),
        **{"rho_0": (1.0, 0.5), "rho_1": (2.0, 3), "parameters": ((1.0, 1.0), (0.0, 0.0))},
    )
    yield _record("Instance", Instance, means=((0.0, 1.0),), best_arm=(1,))
    draw = (lambda mean, rng: mean,)
    yield _record("RewardLaw", eu.RewardLaw, name=("mine",), draw=draw, means=(None, (0, 1)))
    laws: dict[str, Sequence[Any]] = {"means": ("uniform_with_room", [0.0, 0.5]), "n_arms": (2,)}
    laws |= {"within": (None, (0.0, 1.0)), "gap": (None, 0.5)}
    yield Door("InstanceLaw", InstanceLaw, laws, frozenset({"n_arms"}))
    yield Door("Population", eu.Population, USERS)
    varieties = {"name": ("a",), "options": ({}, {"rho": 1.0})}
    yield Door("Variety", suite.Variety, varieties, frozenset({"name"}))
    tuned = {"n1": (0, 7), "trained_on": (None, {"delta": 0.1}), "max_steps": (None, 9)}
    yield Door("TunedAgent", tuning.TunedAgent, tuned, frozenset({"n1"}))


def _record(called: str, make: Callable[..., Any], /, **usual: Sequence[Any]) -> Door:
    def look(record: Any, given: Mapping[str, Any]) -> None:
        assert dataclasses.replace(record) == record, "it is not equal to itself made again"

    return Door(called, make, usual, needed_of(make), look=look)
