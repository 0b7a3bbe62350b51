"""Evaluations, with code of somebody's own too."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from fuzz.fuzzing import NAMES, USERS, Door

import explorative_user_env as eu
from explorative_user_env import agents

STOPPING = (["BAIR"], ["T&S"], ["SE"], ["BAIR", "SE"], [agents.BAIR(m=2), "T&S"])
"""Line-ups that need no time."""

EVALUATED: dict[str, Sequence[Any]] = {
    **USERS,
    **{"n_instances": (1, 2), "seed": (0, 9), "delta": (0.1, 0.5), "workers": (1,)},
    **{"progress": (False,), "executor": (None,)},
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


SPARED = frozenset({"compiled"})


def same_by_both_paths(results: Any, given: Mapping[str, Any]) -> None:
    repr(results), str(results)
    other = {**given, "compiled": not given["compiled"]}
    assert eu.evaluate(**other).runs.equals(results.runs), "the two paths differ"


def _short(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"n_instances": 2, "max_steps": 30, "progress": False, **given}


def of_evaluations(paths: Sequence[bool] = (True, False)) -> Iterator[Door]:
    shared = {**EVALUATED, "compiled": paths}
    always = {"agents", "n_instances", "max_steps", "progress", "compiled"}
    for name, own in TASKS.items():
        usual, needed = {**shared, **own}, frozenset({*always, *own})
        door = Door(f"evaluate {name}", eu.evaluate, usual, needed, spared=SPARED, cost=8)
        yield replace(door, look=same_by_both_paths) if len(paths) > 1 else door
    swept = {**shared, **TASKS["bai"], "deltas": ((0.1,), (0.1, 0.5)), "n_arms": ((2, 3), [3])}
    del swept["delta"], swept["check_theory"]
    yield Door("sweep", eu.sweep, swept, frozenset(always), spared=SPARED, cost=8)


def of_runs() -> Iterator[Door]:
    rolled = {"setting": ("printed", "released"), "n_arms": (2, 3), "agent": NAMES, "seed": (0, 7)}
    rolled |= {"max_steps": (5, 30), "horizon": (None, 9), "commits": (False, True)}
    rolled |= {"delta": (0.1,)}
    yield Door("rollout", _rolled, rolled, frozenset({"agent", "seed", "max_steps"}))
    options: dict[str, Any] = {"n_instances": 3, "n_arms": 3, "compiled": False}
    runs = eu.evaluate(["BAIR", "UNI"], max_steps=30, progress=False, **options)
    rows = {"row": (0, 1, runs.runs.iloc[2], dict(runs.runs.iloc[0]))}
    yield Door("replay", runs.replay, rows, frozenset({"row"}))


def _rolled(setting: Any = "printed", n_arms: Any = 3, **given: Any) -> Any:
    return eu.rollout(eu.ExplorativeUserEnv(setting=setting, n_arms=n_arms), **given)


def of_own_code() -> Iterator[Door]:
    returned = {"answered": (0, 1), "recommended": (None, 0, 1), "named": ("mine",)}
    returned |= {"compiled": (True, False), "task": ("bai", "regret")}
    yield Door("own agent", _own_agent, returned)
    laws = {"mean": ([0.0, 1.0, 0.5], np.ones(3)), "drawn": (0.3,), "rho": (1.5,)}
    yield Door("own laws", _own_laws, laws | {"spoken": (True, False)})
    policies: dict[str, Sequence[Any]] = {
        **{"action": (0, 1, np.int64(2)), "observation": ("sorted-counts", "counts", "last-step")},
        **{"horizon": (9,), "batched": (False,), "task": ("regret", "bai"), "name": ("p",)},
    }
    yield Door("own policy", _own_policy, policies)


def _own_agent(answered: Any = 0, recommended: Any = 0, named: Any = "mine", **given: Any) -> Any:
    class Own:
        name = named

        def reset(self, n_arms: int, rng: Any, horizon: Any = None) -> None:
            self.steps = 0

        def act(self) -> Any:
            self.steps += 1
            return None if self.steps > 9 else recommended

        def observe(self, arm: int, accepted: bool) -> None:
            pass

        def answer(self) -> Any:
            return answered

    return eu.evaluate([Own()], **_short(given))


def _own_laws(mean: Any = "normal", drawn: Any = 0.3, rho: Any = 1.5, spoken: Any = True) -> Any:
    behaviour = eu.Behaviour("own", respond=lambda user, state, rule, arm, rng: spoken)
    law = eu.RewardLaw("own", lambda mean, rng: drawn)
    schedule = eu.Schedule(lambda parameters, n, t, n_arms: rho, 1.0, 2.0)
    users: dict[str, Any] = {"means": lambda n_arms, rng: mean, "n_arms": 3}
    for more in ({"reward_law": law}, {"rho": schedule}, {"behaviour": behaviour}):
        eu.evaluate(["UNI"], baseline_time=20, compiled=False, **_short({**users, **more}))


def _own_policy(action: Any = 0, **given: Any) -> Any:
    agent = eu.PolicyAgent(lambda observation: action, **given)
    return eu.evaluate([agent], task=agent.task, n_arms=3, **_short({}))
