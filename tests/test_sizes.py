"""Every size that is asked for is had soon, or is refused in one line: nothing is tried in vain."""

from functools import partial

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env import agents
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.seeding import user_seeds
from explorative_user_env.studies import tuning
from explorative_user_env.studies.lower_bound import overlap
from explorative_user_env.users.behaviours import forgetful
from explorative_user_env.users.population import Population
from explorative_user_env.validation import LARGEST_COUNT, LONGEST, LONGEST_RULE, missing_of
from explorative_user_env.wrappers.vector import make_task

VALUES = [2**53 + 1, -(10**5000), 0, 1e12, float("nan"), np.uint64(2**64 - 1), object()]

LONGEST_LINE = 2 * (LONGEST + 3) + LONGEST_RULE + 20  # name, rule and value are cut


class Reached(BaseException):
    """The work would begin: whatever is asked for has passed all checks."""


def begin(*arguments, **options):
    raise Reached


LONG_WORK = {
    "evaluate baseline": "evaluation.runner.done",
    "tune_n1": "evaluation.runner.done",
    "train": "rl.models.Recipe.untrained",
}
"""Where the work begins that takes its time."""


def evaluated(**options):
    small = {"n_instances": 2, "progress": False}
    return eu.evaluate(["UNI", "T&S"], **(small | {"baseline_time": 10} | options))


def over_horizon(horizon):
    return eu.evaluate(["UNI"], task="regret", n_instances=2, progress=False, horizon=horizon)


def made(kind, **options):
    kind(**options).reset(seed=3)


def rolled(**options):
    env = eu.ExplorativeUserEnv()
    return eu.rollout(env, "UNI", **({"seed": 1, "horizon": 5, "max_steps": 5} | options))


def agent_of(agent, **options):
    made = agent(**options)
    repr(made)
    eu.evaluate([made], n_instances=2, baseline_time=10, max_steps=50, progress=False)


ONE, MANY = eu.ExplorativeUserEnv, eu.ExplorativeUserVectorEnv
CASES = {
    "evaluate": (evaluated, "n_instances seed workers n_arms max_steps"),
    "evaluate baseline": (evaluated, "baseline_time"),
    "evaluate regret": (over_horizon, "horizon"),
    "rollout": (rolled, "seed max_steps horizon"),
    "one user": (partial(made, ONE), "n_arms"),
    "one user, bai": (partial(made, ExplorativeUserBAIEnv), "horizon"),
    "many": (partial(made, MANY), "n_arms num_envs max_episode_steps"),
    "make_task": (partial(make_task, num_envs=2, task="bai"), "num_envs horizon"),
    "BAIR": (partial(agent_of, agents.BAIR), "n1 m max_steps"),
    "SE": (partial(agent_of, agents.SuccessiveElimination), "m"),
    "UNI": (partial(agent_of, agents.Uniform), "horizon"),
    "tune_n1": (tuning.tune_n1, "n_instances confirm max_steps seed workers"),
    "overlap": (partial(overlap, n_instances=2, n_paths=2), "n_arms n_instances n_paths seed"),
    "Population": (Population, "n_arms"),
    "forgetful": (lambda window: made(ONE, behaviour=forgetful(window)), "window"),
    "user_seeds": (partial(user_seeds, **{"seed": 3, "n_users": 2}), "seed n_users"),
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
                assert ("\n" in line, len(line) <= LONGEST_LINE) == (False, True)
                assert (" must be " in line, ", got " in line) == (True, True)


def test_the_largest_that_there_is_room_for_is_told_where_it_is_passed(subtests):
    per_arm = eu.Behaviour("own", memory_per_arm=101)
    users = {"n_arms": 1_000_000, "behaviour": per_arm}
    assert MANY(500, n_arms=10_000).num_envs == 500
    rows = [
        (f"max_steps must be an integer in 1..{LARGEST_COUNT}", evaluated, {"max_steps": 2**63}),
        ("workers must be an integer in 1..1024, got", evaluated, {"workers": 10**9}),
        ("num_envs must be at most 50 with ", MANY, {"num_envs": 51, "n_arms": 1_000_000}),
        ("behaviour must be one with at most", evaluated, users),
    ]
    for told, call, options in rows:
        with subtests.test(told):
            with pytest.raises(eu.InvalidArgumentError) as refused:
                call(**options)
            assert str(refused.value).startswith(told)
