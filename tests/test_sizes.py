"""Every size that is asked for is had soon, or is refused in one line: nothing is tried in vain."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import agents
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.seeding import training_seeds, user_seeds
from explorative_user_env.studies import lower_bound, tuning
from explorative_user_env.studies.lower_bound import overlap
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.behaviours import forgetful
from explorative_user_env.users.population import PRINTED, Population
from explorative_user_env.validation import LARGEST_COUNT, LONGEST, LONGEST_RULE, missing_of
from explorative_user_env.wrappers import counts_env
from explorative_user_env.wrappers.vector import counts_vector_env, make_task

VALUES = [
    *(2**53 + 1, 10**30, -(10**5000), 0, 1e12, float("nan")),
    *(np.int64(-(2**63)), np.uint64(2**64 - 1), "9" * 5000, object()),
]

LONGEST_LINE = 2 * (LONGEST + 3) + LONGEST_RULE + 20
"""Characters of a message at most: its name, rule and value are cut."""


class Reached(BaseException):
    """The work would begin: whatever is asked for has passed all checks."""


def begin(*arguments, **options):
    raise Reached


LONG_WORK = {
    "evaluate baseline": "evaluation.runner.done",
    "tune_n1": "evaluation.runner.done",
    "success": "evaluation.runner.done",
    "train": "rl.models.Recipe.untrained",
}
"""What may be asked for and takes its time: where it begins."""


def evaluated(**options):
    small = {"n_instances": 2, "progress": False}
    return eu.evaluate(["UNI", "T&S"], **(small | {"baseline_time": 10} | options))


def over_horizon(**options):
    return eu.evaluate(["UNI"], task="regret", n_instances=2, progress=False, **options)


def made(kind, **options):
    kind(**options).reset(seed=3)


def rolled(**options):
    env = eu.ExplorativeUserEnv()
    return eu.rollout(env, "UNI", **({"seed": 1, "horizon": 5, "max_steps": 5} | options))


def agent_of(agent, **options):
    """An agent that is made, meets somebody, and runs in compiled code for no step."""
    made = agent(**options)
    informed = made.informed({"delta": 0.1, "max_steps": 100})
    informed.reset(4, np.random.default_rng(1), 10)
    informed.observe(informed.act(), False)
    informed.answer()
    repr(made)
    eu.evaluate([made], n_instances=2, baseline_time=10, max_steps=50, progress=False)


PAIR = hard_pair(0.1, 1.0, 1.0, 1.0, 2, 100)
FEW = {"n_instances": 2, "n_paths": 2}
SUCCESS = {"pair": PAIR, "n_grid": [3], "n_instances": 2}
ONE, MANY = eu.ExplorativeUserEnv, eu.ExplorativeUserVectorEnv
CASES = {
    "evaluate": (evaluated, "n_instances seed workers n_arms max_steps"),
    "evaluate baseline": (evaluated, "baseline_time"),
    "evaluate regret": (over_horizon, "horizon"),
    "rollout": (rolled, "seed max_steps horizon"),
    "one user": (partial(made, ONE), "n_arms"),
    "one user, bai": (partial(made, ExplorativeUserBAIEnv), "horizon"),
    "one user, counts": (partial(made, counts_env), "horizon"),
    "many": (partial(made, MANY), "n_arms num_envs max_episode_steps"),
    "many, counts": (partial(made, counts_vector_env), "num_envs horizon"),
    "make_task": (partial(make_task, num_envs=2, task="bai"), "num_envs horizon"),
    "BAIR": (partial(agent_of, agents.BAIR), "n1 m max_steps"),
    "T&S": (partial(agent_of, agents.TrackAndStop), "max_steps"),
    "SE": (partial(agent_of, agents.SuccessiveElimination), "m"),
    "UNI": (partial(agent_of, agents.Uniform), "horizon"),
    "tune_n1": (tuning.tune_n1, "n_instances confirm max_steps seed workers"),
    "overlap": (partial(overlap, **FEW), "n_arms n_instances n_paths seed"),
    "overlap at": (lambda n0: overlap([n0], **FEW), "n0"),
    "success": (partial(lower_bound.success, **SUCCESS), "n_instances seed workers"),
    "Population": (Population, "n_arms"),
    "forgetful": (lambda window: made(ONE, behaviour=forgetful(window)), "window"),
    "Setting": (
        partial(replace, PRINTED),
        "private_draws least_n tas_max_steps tas_max_steps_per_arm",
    ),
    "user_seeds": (partial(user_seeds, **{"seed": 3, "n_users": 2}), "seed n_users"),
    "training_seeds": (partial(training_seeds, seed=3), "n_users"),
    "hard_pair": (partial(hard_pair, 0.1, 1.0, 1.0, 1.0, **{"n_arms": 2, "n0": 100}), "n_arms n0"),
}
"""What is called with each value, and by which arguments."""

if not missing_of(("stable_baselines3", "sb3_contrib")):
    from explorative_user_env.rl import make_sb3_vec_env, train

    CASES["train"] = (train, "steps seed horizon n_envs evaluation_users n_arms")
    CASES["make_sb3_vec_env"] = (partial(make_sb3_vec_env, n_envs=2), "n_envs horizon seed")


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_size_is_had_soon_or_refused_in_one_line(name, monkeypatch):
    call, arguments = CASES[name]
    if work := LONG_WORK.get(name):
        monkeypatch.setattr(f"explorative_user_env.{work}", begin)
    for argument in arguments.split():
        for value in VALUES:
            try:
                call(**{argument: value})
            except Reached:
                continue
            except eu.InvalidArgumentError as error:
                line = str(error)
            except Exception as error:
                raise AssertionError(f"{argument}: {type(error).__name__}") from error
            else:
                continue
            assert "\n" not in line
            assert len(line) <= LONGEST_LINE
            assert " must be " in line
            assert ", got " in line


def test_the_largest_that_there_is_room_for_is_told_where_it_is_passed(subtests):
    per_arm = eu.Behaviour("own", memory_per_arm=101)
    assert len(per_arm.memory_of(3)) == 303
    assert MANY(500, n_arms=10_000).num_envs == 500
    rows = [
        ("n_instances must be an integer in 1..10000000, ", evaluated, {"n_instances": 10**12}),
        (f"max_steps must be an integer in 1..{LARGEST_COUNT}", evaluated, {"max_steps": 2**63}),
        ("workers must be an integer in 1..1024, got", evaluated, {"workers": 10**9}),
        ("horizon must be an integer in 1..10000000, ", over_horizon, {"horizon": 10**13}),
        ("num_envs must be at most 50 with ", MANY, {"num_envs": 51, "n_arms": 1_000_000}),
        (
            "behaviour must be one of whom a user",
            evaluated,
            {"n_arms": 1_000_000, "behaviour": per_arm},
        ),
    ]
    for told, call, options in rows:
        with subtests.test(told):
            with pytest.raises(eu.InvalidArgumentError) as refused:
                call(**options)
            assert str(refused.value).startswith(told)
