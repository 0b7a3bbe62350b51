"""Evaluations, with code of somebody's own too."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from fuzz.fuzzing import Door
from fuzz.values import NAMES, SIZES, USERS

import explorative_user_env as eu
from explorative_user_env import agents

STOPPING = (["BAIR"], ["T&S"], ["SE"], ["BAIR", "SE"], [agents.BAIR(m=2), "T&S"])
"""Line-ups that need no time."""

EVALUATED: dict[str, Sequence[Any]] = {
    **USERS,
    **{"n_instances": (1, 2), "seed": (0, 9), "delta": (0.1, 0.5), "workers": (1,)},
    **{"compiled": (True, False), "progress": (False,), "executor": (None,)},
}
TASKS: dict[str, dict[str, Sequence[Any]]] = {
    "bai": {
        **{"agents": STOPPING, "task": ("bai",), "horizon": (None,), "baseline_time": (None,)},
        **{"max_steps": (5, 30), "step_cost": (None, 0.01), "check_theory": (False,)},
    },
    "timed": {
        **{"agents": (["UNI"], ["EXP3", "UNI"], ["BAIR", "UCB1"]), "baseline_time": (20,)},
        "max_steps": (5, 30),
    },
    "regret": {
        **{"agents": [[name] for name in NAMES], "task": ("regret",), "horizon": (None, 1, 30)},
        **{"max_steps": (None,), "baseline_time": (None,), "step_cost": (None,)},
    },
}
"""What is asked for, in three ways."""


def same_by_both_paths(results: Any, given: Mapping[str, Any]) -> None:
    """Look that the other path has the same runs."""
    repr(results), str(results)
    other = {**given, "compiled": not given.get("compiled", True)}
    assert eu.evaluate(**other).runs.equals(results.runs), "the two paths differ"


def _short(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with which nothing takes long."""
    return {"n_instances": 2, "max_steps": 30, "progress": False, **given}


def of_evaluations() -> Iterator[Door]:
    always = {"agents", "n_instances", "max_steps", "progress"}
    for name, own in TASKS.items():
        needed = frozenset({*always, *own})
        door = Door(f"evaluate {name}", eu.evaluate, {**EVALUATED, **own}, needed, SIZES, cost=20)
        yield dataclasses.replace(door, look=same_by_both_paths)
    swept = {**EVALUATED, **TASKS["bai"], "deltas": ((0.1,), (0.1, 0.5)), "n_arms": ((2, 3), [3])}
    del swept["delta"], swept["check_theory"]
    yield Door("sweep", eu.sweep, swept, frozenset(always), SIZES, cost=10)
    rolled = {
        "setting": ("printed", "released"),
        "n_arms": (2, 3),
        "agent": (*NAMES, agents.BAIR()),
    }
    rolled |= {"seed": (0, 7), "max_steps": (5, 30), "horizon": (None, 9), "commits": (False, True)}
    rolled |= {"delta": (0.1,)}
    yield Door("rollout", _rolled, rolled, frozenset({"agent", "seed", "max_steps"}), SIZES)
    runs = eu.evaluate(["BAIR", "UNI"], n_instances=3, max_steps=30, n_arms=3, progress=False)
    rows = {"row": (0, 1, runs.runs.iloc[2], dict(runs.runs.iloc[0]))}
    yield Door("replay", runs.replay, rows, frozenset({"row"}))


def _rolled(setting: Any = "printed", n_arms: Any = 3, **given: Any) -> Any:
    return eu.rollout(eu.ExplorativeUserEnv(setting=setting, n_arms=n_arms), **given)


def of_own_code() -> Iterator[Door]:
    returned = {"answered": (0, 1), "recommended": (None, 0, 1), "named": ("mine",)}
    returned |= {"stops": (3, 9), "compiled": (True, False), "task": ("bai", "regret")}
    yield Door("own agent", _own_agent, returned)
    laws = {"mean": ([0.0, 1.0, 0.5], np.ones(3)), "drawn": (0.3,), "rho": (1.5,)}
    yield Door("own laws", _own_laws, laws | {"spoken": (True, False)})
    policies: dict[str, Sequence[Any]] = {
        **{"action": (0, 1, np.int64(2)), "observation": ("sorted-counts", "counts", "last-step")},
        **{"horizon": (9,), "batched": (False,), "task": ("regret", "bai"), "name": ("p",)},
    }
    yield Door("own policy", _own_policy, policies, sizes=SIZES)


def _own_agent(
    answered: Any = 0, recommended: Any = 0, named: Any = "mine", stops: Any = 5, **given: Any
) -> Any:
    class Own:
        name = named

        def reset(self, n_arms: int, rng: Any, horizon: Any = None) -> None:
            self.steps = 0

        def act(self) -> Any:
            self.steps += 1
            return None if self.steps > 9 else recommended

        def observe(self, arm: int, accepted: bool) -> None:
            if self.steps == 3 and stops is None:
                raise LookupError

        def answer(self) -> Any:
            return answered

    return eu.evaluate([Own()], **_short(given))


def _own_laws(mean: Any = "normal", drawn: Any = 0.3, rho: Any = 1.5, spoken: Any = True) -> Any:
    """Everything is asked of functions that somebody else has written."""
    behaviour = eu.Behaviour("own", respond=lambda user, state, rule, arm, rng: spoken)
    law = eu.RewardLaw("own", lambda mean, rng: drawn)
    schedule = eu.Schedule(lambda parameters, n, t, n_arms: rho, 1.0, 2.0)
    users: dict[str, Any] = {"means": lambda n_arms, rng: mean, "n_arms": 3}
    for more in ({"reward_law": law}, {"rho": schedule}, {"behaviour": behaviour}):
        eu.evaluate(["UNI"], baseline_time=20, compiled=False, **_short({**users, **more}))


def _own_policy(action: Any = 0, **given: Any) -> Any:
    agent = eu.PolicyAgent(lambda observation: action, **given)
    return eu.evaluate([agent], task=agent.task, n_arms=3, **_short({}))
