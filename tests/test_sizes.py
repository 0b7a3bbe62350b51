"""Every size that is asked for is had soon, or is refused in one line: nothing is tried in vain."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from theory_functions import FUNCTIONS

import explorative_user_env as eu
from explorative_user_env import agents
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.results.results import Results
from explorative_user_env.seeding import training_seeds, user_seeds
from explorative_user_env.studies import lower_bound, tuning
from explorative_user_env.studies.lower_bound import any_agent_needs, overlap
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.behaviours import forgetful
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.population import PRINTED, Population
from explorative_user_env.validation import LARGEST_COUNT, LONGEST, LONGEST_RULE, missing_of
from explorative_user_env.wrappers import counts_env
from explorative_user_env.wrappers.vector import counts_vector_env, make_task

DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

VALUES: dict[str, Any] = {
    "2^31": 2**31,
    "2^53": 2**53,
    "2^53 + 1": 2**53 + 1,
    "2^63 - 1": 2**63 - 1,
    "2^63": 2**63,
    "2^64": 2**64,
    "10^30": 10**30,
    "10^5000": 10**5000,
    "-10^5000": -(10**5000),
    "-1": -1,
    "0": 0,
    "1e12": 1e12,
    "1e300": 1e300,
    "inf": float("inf"),
    "nan": float("nan"),
    "True": True,
    "int64": np.int64(-(2**63)),
    "uint64": np.uint64(2**64 - 1),
    "float64": np.float64(1e12),
    "digits": "9" * 5000,
    "text": "x" * 1_000_000,
    "deep": DEEP,
    "None of it": object(),
}
"""What is asked for, by a name for it."""

LONGEST_LINE = 2 * (LONGEST + 3) + LONGEST_RULE + 20
"""Characters of a message at most: its name, rule and value are cut."""


class Reached(BaseException):
    """The work would begin: whatever is asked for has passed all checks."""


def begin(*arguments: Any, **options: Any) -> Any:
    raise Reached


LONG_WORK = {
    "evaluate baseline_time": "evaluation.runner.done",
    "tune_n1": "evaluation.runner.done",
    "success": "evaluation.runner.done",
    "train": "rl.models.Recipe.untrained",
}
"""What may be asked for and takes its time, by the first words of its name: where it begins."""


def evaluated(**options: Any) -> Results:
    small = {"n_instances": 2, "progress": False}
    return eu.evaluate(["UNI", "T&S"], **(small | {"baseline_time": 10} | options))


def over_horizon(**options: Any) -> Results:
    return eu.evaluate(["UNI"], task="regret", n_instances=2, progress=False, **options)


def made(name: str, **options: Any) -> Any:
    """A user, or many, as made by an id, who begins; a huge time limit is none."""
    env: Any = KINDS[name](**options)
    env.reset(seed=3)
    return env


def rolled(**options: Any) -> eu.Episode:
    env = gym.make("ExplorativeUser-v0", max_episode_steps=-1)
    return eu.rollout(env, "UNI", **({"seed": 1, "horizon": 5, "max_steps": 5} | options))


def agent_of(name: str, **options: Any) -> None:
    """An agent that is made, meets somebody, and runs in compiled code for no step."""
    agent = getattr(agents, name)(**options)
    informed = agent.informed({"delta": 0.1, "max_steps": 100})
    informed.reset(4, np.random.default_rng(1), 10)
    informed.observe(informed.act(), False)
    informed.answer()
    repr(agent)
    eu.evaluate([agent], n_instances=2, baseline_time=10, max_steps=50, progress=False)


def remembering(**options: Any) -> None:
    made(SINGLE[0], behaviour=eu.Behaviour("own", **options))


PAIR = hard_pair(0.1, 1.0, 1.0, 1.0, 2, 100)
BY_AGENT = {
    "BAIR": ("n1", "m", "max_steps"),
    "TrackAndStop": ("max_steps",),
    "Uniform": ("horizon", "max_steps"),
    "EXP3": ("horizon", "max_steps"),
    "SuccessiveElimination": ("m", "max_steps"),
    "UCB1": ("horizon", "max_steps"),
    "Thompson": ("horizon", "max_steps"),
    "FullInformation": ("horizon", "max_steps"),
}
SINGLE = ("ExplorativeUserEnv", "ExplorativeUserBAIEnv", "counts_env")
MANY = ("ExplorativeUserVectorEnv", "ExplorativeUserBAIVectorEnv", "counts_vector_env")
KINDS = {
    kind.__name__: kind
    for kind in (
        *(eu.ExplorativeUserEnv, ExplorativeUserBAIEnv, counts_env),
        *(eu.ExplorativeUserVectorEnv, ExplorativeUserBAIVectorEnv, counts_vector_env),
    )
}
RECORDED = ("private_draws", "least_n", "tas_max_steps", "tas_max_steps_per_arm")
THEORY: Mapping[str, Mapping[str, Any]] = {
    "iterated_log_band": {"n": 3, "delta": 0.1},
    "largest_mean_drop": {"gamma": 1.0, "acceptances": 5},
    "phase1_acceptances_needed": {"n_arms": 3, "delta": 0.1},
    "phase1_acceptances_bound": {"n_arms": 3, "n1": 30.0},
    "phase1_rounds_bound": {"n_arms": 3, "n1": 30.0, "delta": 0.1},
    "phase1_rejections_bound": {"n_arms": 3, "n1": 30.0, "delta": 0.1},
    "printed_phase1_rejections_bound": {"n_arms": 3, "n1": 30.0, "delta": 0.1},
    "phase2_error_bound": {"n_arms": 3, "n1": 30.0},
    "elimination_bound": {"n_arms": 3, "n1": 30.0, "delta": 0.1, "gap": 0.5},
    "printed_elimination_bound": {"n_arms": 3, "delta": 0.1, "gap": 0.5},
}


def _called(function: Callable[..., Any], options: Mapping[str, Any], name: str, value: Any) -> Any:
    return function(**{**options, name: value})


def cases() -> dict[str, Callable[[Any], Any]]:
    """What is called with each value, by the callable's name and the argument's."""
    found: dict[str, Callable[[Any], Any]] = {}

    def add(name: str, function: Callable[..., Any], *arguments: str, **options: Any) -> None:
        for each in arguments:
            found[f"{name} {each}"] = partial(_called, function, options, each)

    asked = ("n_instances", "seed", "baseline_time", "workers", "n_arms")
    add("evaluate", evaluated, *asked, "max_steps")
    add("evaluate regret", over_horizon, "horizon")
    add("rollout", rolled, "seed", "max_steps", "horizon")
    for name in SINGLE + MANY:
        add(name, partial(made, name), "n_arms")
    for name in MANY:
        add(name, partial(made, name), "num_envs", "max_episode_steps")
    for name in ("ExplorativeUserBAIEnv", "counts_env", *MANY[1:]):
        add(name, partial(made, name), "horizon")
    add("make_task", make_task, "num_envs", "horizon", num_envs=2, task="bai")
    add("make_task regret", make_task, "num_envs", "horizon", num_envs=2, task="regret")
    for name, sizes in BY_AGENT.items():
        add(name, partial(agent_of, name), *sizes)
    add("TunedAgent", tuning.TunedAgent, "n1", "max_steps", n1=3)
    add("tune_n1", tuning.tune_n1, "n_instances", "confirm", "max_steps", "seed", "workers")
    add("overlap", overlap, "n_arms", "n_instances", "n_paths", "seed", n_instances=2, n_paths=2)
    found["overlap n0s"] = lambda value: overlap([value], n_instances=2, n_paths=2)
    few = {"pair": PAIR, "n_grid": [3], "n_instances": 2}
    add("success", lower_bound.success, "n_instances", "seed", "workers", **few)
    found["success n_grid"] = lambda value: lower_bound.success(PAIR, [value], n_instances=2)
    add("any_agent_needs", any_agent_needs, "n_paths", "seed", pair=PAIR, deltas=[0.2], n_paths=2)
    add("Population", Population, "n_arms")
    add("InstanceLaw", InstanceLaw, "n_arms")
    found["forgetful window"] = lambda value: made(SINGLE[0], behaviour=forgetful(value))
    add("Behaviour", remembering, "memory", "memory_per_arm")
    add("Setting", partial(replace, PRINTED), *RECORDED)
    add("user_seeds", user_seeds, "seed", "n_users", seed=3, n_users=2)
    add("training_seeds", training_seeds, "n_users", seed=3)
    for name, options in THEORY.items():
        whole = [each for each, usual in options.items() if isinstance(usual, int)]
        add(name, FUNCTIONS[name], *whole, **options)
    add("hard_pair", partial(hard_pair, 0.1, 1.0, 1.0, 1.0), "n_arms", "n0", n_arms=2, n0=100)
    if not missing_of(("stable_baselines3", "sb3_contrib")):
        from explorative_user_env.rl import make_sb3_vec_env, train

        words = ("steps", "seed", "horizon", "n_envs", "evaluation_users", "n_arms")
        add("train", train, *words)
        add("make_sb3_vec_env", make_sb3_vec_env, "n_envs", "horizon", "seed", n_envs=2)
    return found


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_a_size_is_had_soon_or_refused_in_one_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, work in LONG_WORK.items():
        if f"{name} ".startswith(f"{words} "):
            monkeypatch.setattr(f"explorative_user_env.{work}", begin)
    for shown, value in VALUES.items():
        try:
            CASES[name](value)
        except Reached:
            continue
        except eu.InvalidArgumentError as error:
            line = str(error)
        except Exception as error:
            raise AssertionError(f"{name} = {shown}: {type(error).__name__}") from error
        else:
            continue
        assert "\n" not in line
        assert len(line) <= LONGEST_LINE
        assert " must be " in line
        assert ", got " in line


def test_the_largest_that_there_is_room_for_is_told_where_it_is_passed() -> None:
    for wrong, told in {
        "n_instances": "an integer in 1..10000000, got 1000000000000",
        "max_steps": f"an integer in 1..{LARGEST_COUNT}, got {2**63}",
        "workers": "an integer in 1..1024, got 1000000000",
    }.items():
        value = int(told.rpartition(" ")[2])
        with pytest.raises(eu.InvalidArgumentError, match=f"^{wrong} must be {told}$"):
            evaluated(**{wrong: value})
    with pytest.raises(eu.InvalidArgumentError, match=r"^horizon must be .* in 1\.\.10000000"):
        over_horizon(horizon=10**13)


def test_users_in_step_are_as_many_as_their_arms_leave_room_for() -> None:
    many = eu.ExplorativeUserVectorEnv
    with pytest.raises(eu.InvalidArgumentError, match=r"^num_envs must be at most 50 with "):
        many(51, n_arms=1_000_000)
    assert many(500, n_arms=10_000).num_envs == 500


def test_what_a_user_remembers_has_an_end() -> None:
    per_arm = eu.Behaviour("own", memory_per_arm=101)
    assert len(per_arm.memory_of(3)) == 303
    with pytest.raises(eu.InvalidArgumentError, match=r"^behaviour must be one of whom a user"):
        evaluated(n_arms=1_000_000, behaviour=per_arm)
