"""What environments refuse, named in one line; nothing has changed then."""

import copy
import itertools
import math
import re
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from begun import begun, everything, play, started
from gymnasium.error import ResetNeeded
from pairs import pairs
from population_env import SMALL

import explorative_user_env as eu
from explorative_user_env import BAI_ENV_ID, ENV_ID, POPULATION_ENV_ID, InvalidArgumentError
from explorative_user_env.check.environments import exact
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.counts_envs import ExplorativeUserCountsVectorEnv
from explorative_user_env.envs.population import ExplorativePopulationEnv
from explorative_user_env.validation import CallableError

USER, BAI, POPULATION = eu.ExplorativeUserEnv, ExplorativeUserBAIEnv, ExplorativePopulationEnv
MANY, MANY_BAI = eu.ExplorativeUserVectorEnv, ExplorativeUserBAIVectorEnv

WRONG = [
    *((kind, "n_arms", 1, "an integer of at least 2, got 1") for kind in (USER, BAI, MANY)),
    *((kind, "horizon", 0, "an integer of at least 1, got 0") for kind in (USER, BAI, POPULATION)),
    (USER, "means", [1.0, 2.0], "5 finite numbers"),
    (USER, "reward", "money", "one of accept, none, realized, regret, utility, got 'money'"),
    (USER, "info_level", "all", "one of counts, full"),
    (USER, "render_mode", "film", "one of ansi, human, rgb_array, svg"),
    (USER, "render_intervals", "no", "True or False"),
    (BAI, "step_cost", -1, "a finite number of at least 0"),
    (BAI, "mask", "x", "one of none, rejections"),
    (MANY, "num_envs", 0, "an integer of at least 1"),
    (MANY, "num_envs", 10**6 + 1, "an integer in 1..1000000"),
    (MANY, "max_episode_steps", 0, "an integer of at least 1"),
    *((MANY, "autoreset_mode", n, "one of Disabled, NextStep, SameStep") for n in ("now", None)),
    (MANY, "compiled", 1, "True or False"),
    (MANY, "render_mode", "human", "one of ansi, rgb_array, svg"),
    (POPULATION, "n_users", 0, "an integer"),
    (POPULATION, "deviation", -0.1, "a finite number of at least 0"),
    *((POPULATION, "behaviour", name, "") for name in ("drifting", "impatient")),
    (ExplorativeUserCountsVectorEnv, "n_arms", 1, "an integer of at least 2"),
]


def test_a_bad_argument_is_named_with_what_is_allowed(subtests):
    for kind, name, value, allowed in WRONG:
        with subtests.test(f"{kind.__name__}({name}={value!r})"):
            with pytest.raises(InvalidArgumentError) as caught:
                kind(**{name: value})
            assert str(caught.value).startswith(f"{name} must be {allowed}")
            assert "\n" not in str(caught.value)
    with pytest.raises(InvalidArgumentError, match="num_envs must be at most 500 with 100000 arms"):
        MANY(501, n_arms=100_000)


NO_ACTION = [True, np.True_, 1.0, np.array([1.0]), -1, 99, None, "1", np.array([0, 1])]


@pytest.mark.parametrize(("kind", "n"), [(USER, 3), (BAI, 6)])
def test_an_arm_is_any_integer_or_an_array_of_one_and_all_else_is_refused(kind, n, subtests):
    env, twin = started(kind), started(kind)
    for arm in (np.int64(1), np.uint8(1), np.array(1), np.array([[1]], np.int8)):
        assert env.step(arm) == twin.step(1)
    for action in [*NO_ACTION, n]:
        words = rf"^action must be an integer in 0\.\.{n - 1}, got"
        with subtests.test(repr(action)), pytest.raises(InvalidArgumentError, match=words):
            env.step(action)
        assert env.hidden_state() == twin.hidden_state()
    assert env.step(n - 1) == twin.step(n - 1)


NO_ACTIONS = [
    *([0, 1], [0, 1, 2, 3], [], 0, None, [[0, 1, 2]], np.zeros((3, 1), int), [[0], 1, 2]),
    *(np.zeros(3), [True, False, True], "012", ["0", "1", "2"], [0, None, 1], np.zeros(3, object)),
    *([0, -1, 0], [8, 0, 0], [0, 0, 8], [0, 2**70, 1], np.array([0, 2**64 - 1, 0], np.uint64)),
]


@pairs(kind=[MANY, MANY_BAI], compiled=[False, True])
def test_what_are_no_actions_is_refused_in_every_lane_and_nothing_has_happened(
    kind, compiled, subtests
):
    vector, twin = (begun(compiled, kind, max_episode_steps=3) for _ in range(2))
    n = vector.single_action_space.n
    for each in (vector, twin):  # so that one lane is about to be reset before others
        each.reset(options={"reset_mask": np.array([True, True, False])})
    for step in range(4):
        before = everything(vector)
        for actions in [*NO_ACTIONS, [0, n, 0], [0, 0, n]]:
            allowed = rf"^actions must be 3 integers in 0\.\.{n - 1}, got "
            with subtests.test(f"{step} {actions!r}"):
                with pytest.raises(InvalidArgumentError, match=allowed):
                    vector.step(actions)
                assert everything(vector) == before
        assert exact(vector.step([0, 1, 2])) == exact(twin.step([0, 1, 2]))
    assert everything(vector) == everything(twin)


ALL = np.ones(3, bool)
NO_SEED, NO_MASK = "seed must be an integer of at least 0", "reset_mask must be an array of 3 bools"
BAD_RESETS = [
    *((seed, None, NO_SEED) for seed in (-1, True, 1.0, "123", np.array([1.0, 2.0, 3.0]))),
    *(([1, 2, seed], None, NO_SEED) for seed in (-2, True, "3")),
    *((seed, None, "seed must be one seed or 3 seeds") for seed in ([1, 2], [], np.arange(4))),
    *((1, {"reset_mask": mask}, NO_MASK) for mask in ([True, False, True], np.array([1, 0, 1]))),
    *((1, {"reset_mask": mask}, NO_MASK) for mask in (np.zeros(3, bool), np.ones(2, bool), 1)),
    (1, {"gap": 1.0, "reset_mask": ALL}, "options key must be one of means, got 'gap'"),
    (1, {"means": [1.0, 2.0]}, "means must be 4 finite numbers"),
    (1, {"means": [1.0, 2.0, 2.0, 0.0]}, "means must be numbers with one best arm"),
    (1, {"means": "normal"}, "means must be numbers, one for each arm, got 'normal'"),
    (1, [1], "options must be a dict"),
]


def test_a_bad_reset_of_users_in_step_changes_nothing(compiled, subtests):
    vector, twin = begun(compiled), begun(compiled)
    before = everything(vector)
    for seed, options, words in BAD_RESETS:
        with subtests.test(f"{seed!r}, {options!r}"):
            with pytest.raises(InvalidArgumentError, match=f"^{words}"):
                vector.reset(seed=seed, options=options)
            assert everything(vector) == before
    for each in (vector, twin):
        each.reset(options={"reset_mask": np.array([True, False, True])})
    for _ in range(2):
        assert exact(vector.step([3, 2, 1])) == exact(twin.step([3, 2, 1]))


BAD_OPTIONS = [
    *((ENV_ID, {"means": [1.0, 2.0, x]}, "means must be 3 finite") for x in (math.nan, math.inf)),
    (ENV_ID, {"means": None}, "means must be 3 finite numbers"),
    (ENV_ID, {"means": [2.0, 2.0, 1.0]}, "means must be numbers with one best arm"),
    (ENV_ID, {"means": [1.0, 2.0, 3.0], "gap": 1.0}, "options key must be one of means, got 'gap'"),
    *((POPULATION_ENV_ID, {"user": user}, "user must be an integer in 0..2") for user in (3, -1)),
    (POPULATION_ENV_ID, {"popularity": [0.0, 1.0]}, "popularity must be 4 finite numbers"),
    (POPULATION_ENV_ID, {"popularity": "normal"}, "popularity must be numbers"),
    (POPULATION_ENV_ID, {"means": [0.0] * 4}, "options key must be one of popularity, user, got "),
    (POPULATION_ENV_ID, [1], "options must be a dict"),
    *((ENV_ID, seed, NO_SEED) for seed in (-1, True, 2.0, "3", np.array(3))),
    (BAI_ENV_ID, -1, NO_SEED),
]


def test_a_bad_reset_of_one_user_leaves_her_there(subtests):
    for name, given, words in BAD_OPTIONS:
        with subtests.test(f"{name} {given!r}"):
            env = gym.make(name, **(SMALL if name == POPULATION_ENV_ID else {"n_arms": 3}))
            env.reset(seed=1)
            env.step(0)
            twin = copy.deepcopy(env)
            with pytest.raises(InvalidArgumentError, match=f"^{words}"):
                env.reset(seed=given) if words == NO_SEED else env.reset(seed=2, options=given)
            # Also of the stream nothing is taken, of which an environment draws ahead.
            assert exact(play(env, [0, 1, 2] * 5)) == exact(play(twin, [0, 1, 2] * 5))
            assert exact(env.reset()) == exact(twin.reset())
            assert env.unwrapped.hidden_state() == twin.unwrapped.hidden_state()


def test_nothing_works_before_a_reset_and_after_the_end(compiled):
    shown = {"n_arms": 3, "render_mode": "ansi"}
    envs = [kind(**shown) for kind in (USER, BAI, POPULATION)]
    envs += [kind(3, compiled=compiled, **shown) for kind in (MANY, MANY_BAI) * 2]
    for vector in envs[-2:]:
        vector.reset(options={"reset_mask": np.array([True, False, True])})
    for env in envs:
        one = isinstance(env, gym.Env)
        truth = env.hidden_state if one else env.hidden_states
        for ask in (partial(env.step, 0 if one else [0, 1, 2]), env.render, truth):
            with pytest.raises(ResetNeeded, match="reset"):
                ask()
    ended = started(BAI)
    assert ended.step(3)[2]
    for action in (0, 5):
        with pytest.raises(ResetNeeded, match="call reset before step"):
            ended.step(action)


def test_a_finished_lane_that_does_not_reset_itself_has_to_be_reset(compiled):
    vector = begun(compiled, MANY_BAI, autoreset_mode="Disabled", max_episode_steps=4)
    vector.reset(options={"reset_mask": np.array([False, True, False])})
    vector.step([0, 0, 0])
    assert vector.step([0, 0, 0])[3].tolist() == [True, False, True]
    before = everything(vector)
    with pytest.raises(ResetNeeded, match=r"^reset the finished lanes \[0, 2\] before step$"):
        vector.step([0, 0, 0])
    assert everything(vector) == before


@pairs(compiled=[False, True], mode=["NextStep", "SameStep", "Disabled"], kind=[MANY, MANY_BAI])
def test_users_whose_law_failed_need_a_reset(kind, mode, compiled):
    left = 99

    def law(n_arms, rng):
        nonlocal left
        left -= 1
        if left < 0:
            raise ArithmeticError("no more means")
        return rng.standard_normal(n_arms)

    envs, nobody = kind(4, 2, mode, compiled, n_arms=3, means=law), np.zeros(4, int)
    envs.reset(seed=1)
    before, left = envs.instances(), 2  # some lanes have their means then
    with pytest.raises(InvalidArgumentError, match="no more means"):
        envs.reset(seed=9)
    for ask in (partial(envs.step, nobody), envs.instances):
        with pytest.raises(ResetNeeded):
            ask()
    left = 99
    envs.reset(seed=1)
    assert envs.instances() == before
    left = 2
    if mode != "Disabled":  # the same where it fails within a step
        for _ in range(2 if mode == "NextStep" else 1):
            envs.step(nobody)
        with pytest.raises(InvalidArgumentError, match="no more means"):
            envs.step(nobody)
        with pytest.raises(ResetNeeded):
            envs.step(nobody)


def test_a_user_of_a_population_who_fails_is_told_by_what_meets_her_again():
    drawn = itertools.count()

    def law(mean, rng):
        return mean if next(drawn) < 9 else math.nan

    env = started(POPULATION, 6, **SMALL | {"means": "normal", "reward_law": law, "noise": 0})
    play(env, [0] * 9)
    who = "user 1, the user of env.reset(seed=6, options={'user': 1})"
    with pytest.raises(CallableError, match=re.escape(who)):
        env.step(0)
