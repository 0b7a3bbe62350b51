"""Our wrappers: of one user what a slow look at what was heard says, of many what of one."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeLimit, TransformAction
from gymnasium.wrappers import vector as of_many
from in_step import MODES, played
from pairs import pairs
from single_env import check_for_sb3
from wrapped import (
    HORIZON,
    LANES,
    LIMIT,
    N_ARMS,
    counts_of,
    last_step_of,
    made,
    ranks_of,
    vector_of,
)

from explorative_user_env import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    POPULATION_ENV_ID,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
)
from explorative_user_env import wrappers as single
from explorative_user_env.check.environments import told
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.wrappers import vector as many

NAMES = [ENV_ID, BAI_ENV_ID]
OURS = {
    "counts": ("CountsObservation",),
    "last-step": ("LastStepObservation",),
    "sorted-counts": ("CountsObservation", "SortedArms"),
    "population-counts": ("PopulationCountsObservation",),
    "sorted-population-counts": ("PopulationCountsObservation", "SortedArms"),
}
OF_ONE = [*OURS][:3]


def wrapped(room, observation, env, scale=None):
    for name in OURS[observation]:
        env = getattr(room, name)(env, *(() if name == "SortedArms" else (scale,)))
    return env


def shown_by_hand(observation, heard, horizon):
    if observation == "last-step":
        return last_step_of(heard, horizon)
    arms = ranks_of(heard, horizon) if observation == "sorted-counts" else range(N_ARMS)
    return counts_of(heard, arms, horizon)


@pairs(observation=OF_ONE, name=NAMES, horizon=[None, 6])
def test_it_shows_what_was_heard_of_this_user_also_beyond_its_scale(name, observation, horizon):
    env, bare = wrapped(single, observation, made(name), horizon), made(name)
    rng, scale, responses = np.random.default_rng(0), horizon or HORIZON, set()
    for seed in (3, None, None):
        shown, info = env.reset(seed=seed)
        assert info == bare.reset(seed=seed)[1]
        heard = []
        over = False
        while True:
            assert shown.dtype == np.float32
            assert shown in env.observation_space
            expected = shown_by_hand(observation, heard, scale)
            np.testing.assert_allclose(shown, expected, rtol=2e-7)
            if over:
                break
            action = int(rng.integers(N_ARMS))
            if name == BAI_ENV_ID and rng.random() < 0.02:
                action += N_ARMS
            below = action
            if observation == "sorted-counts":
                arm = ranks_of(heard, scale)[action % N_ARMS]
                below = arm + N_ARMS * (action >= N_ARMS)
            shown, *rest = env.step(action)
            response, *same = bare.step(below)
            responses.add(response)
            assert rest == same
            if below < N_ARMS:
                heard.append((below, response))
            over = rest[1] or rest[2]
    assert responses == {0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("observation", OF_ONE)
def test_checkers_accept_it_and_its_specification_and_its_copies_go_on_alike(name, observation):
    env = wrapped(single, observation, made(name), 6)
    with warnings.catch_warnings():
        # Gymnasium would rather check environments without wrappers.
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env)
    check_for_sb3(env)
    text = env.spec.to_json()
    made_again = [gym.make(env.spec), gym.make(EnvSpec.from_json(text))]
    for again in made_again:
        assert str(again) == str(env)
        assert again.spec is not None
        assert again.spec.to_json() == text
    lives = []
    for each in (env, *made_again):
        life = [each.reset(seed=2), *(each.step(arm) for arm in (0, 2))]
        twins = [each, copy.deepcopy(each), pickle.loads(pickle.dumps(each))]
        for twin in twins:
            lives.append(told([*life, *(twin.step(arm) for arm in (2, 1, 0))]))
    assert all(life == lives[0] for life in lives)


@pytest.mark.parametrize(
    "kwargs",
    [{"setting": "released", "reward_law": "bernoulli"}, {"info_level": "full", "horizon": 20}],
)
def test_the_id_of_counts_is_the_same_as_wrapping_by_hand(kwargs):
    below = {key: value for key, value in kwargs.items() if key != "horizon"}
    hand = gym.make(ENV_ID, max_episode_steps=15, **below)
    outcomes = []
    for env in (
        gym.make(COUNTS_ENV_ID, max_episode_steps=15, **kwargs),
        wrapped(single, "sorted-counts", hand, kwargs.get("horizon", 500)),
    ):
        life = [env.reset(seed=3)]
        for rank in np.random.default_rng(0).integers(5, size=40).tolist():
            life.append(env.step(rank))
            life += [env.reset()] if life[-1][3] else []
        outcomes.append(told(life))
    assert outcomes[0] == outcomes[1]
    assert len(life) == 43


def other_arms(room, env):
    """Put between what recommends one arm for another, as only the users below notice."""

    def swapped(action):
        return np.where(np.asarray(action) < 2, 1 - action, action)

    if room is single:
        return TransformAction(env, swapped, env.action_space)
    return of_many.TransformAction(env, swapped, env.action_space, env.single_action_space)


@pairs(
    name=[ENV_ID, BAI_ENV_ID, POPULATION_ENV_ID],
    observation=OURS,
    mode=MODES,
    scale=[None, 4],
    compiled=[False, True],
    swaps=[False, True],
)
def test_many_are_gymnasiums_own_vector_of_wrapped_single_environments(
    name, observation, mode, scale, compiled, swaps
):
    if "population" in observation:
        name = POPULATION_ENV_ID
    limit = 11 if name == ENV_ID else None
    kwargs = {} if name == POPULATION_ENV_ID else {"n_arms": N_ARMS, "noise": 0.4}

    def wrap(room, env):
        return wrapped(room, observation, other_arms(room, env) if swaps else env, scale)

    seen = played(name, mode, compiled, limit, wrap, **kwargs)
    assert seen["terminated"] + seen["truncated"] > LANES
    assert name != BAI_ENV_ID or observation != "sorted-counts" or seen["legal"] > 3


@pairs(observation=OF_ONE, name=NAMES, mode=MODES)
def test_observations_that_are_handed_out_are_nobody_elses_and_a_copy_goes_on_alike(
    name, observation, mode
):
    one = wrapped(many, observation, vector_of(name, mode))
    one.reset(seed=0)
    other, n_last = copy.deepcopy(one), 0
    for t in range(LIMIT if mode == AutoresetMode.DISABLED else 2 * LIMIT):
        outcome = one.step(np.full(LANES, t % N_ARMS))
        assert told(outcome) == told(other.step(np.full(LANES, t % N_ARMS)))
        outcome[0][:] = 77.0
        for last in outcome[4].get("final_obs", []):
            if last is not None:
                last[:] = 77.0
                n_last += 1
        if t % 5 == 1:
            mask = np.arange(LANES) > 4
            resets = [each.reset(options={"reset_mask": mask.copy()}) for each in (one, other)]
            assert told(resets[0]) == told(resets[1])
            resets[0][0][:] = 77.0
    assert (n_last > LANES) == (mode == AutoresetMode.SAME_STEP)


class PickyLanes(ExplorativeUserBAIVectorEnv):
    """Masks that tell lanes and arms apart."""

    def action_masks(self):
        return np.random.default_rng(0).random((LANES, 2 * N_ARMS)) < 0.5


class Picky(ExplorativeUserBAIEnv):
    """Masks that tell arms apart, which those of the task itself do not."""

    def action_masks(self):
        return np.array([True, False, False, False, True, False])


def test_a_mask_stands_at_the_rank_of_its_arm():
    env = wrapped(single, "sorted-counts", Picky(N_ARMS, noise=0.4, horizon=200))
    env.reset(seed=5)
    heard = []
    orders = set()
    for rank in np.random.default_rng(1).integers(N_ARMS, size=120).tolist():
        ranks = ranks_of(heard)
        legal = [arm == 0 for arm in ranks] + [arm == 1 for arm in ranks]
        assert env.get_wrapper_attr("action_masks")().tolist() == legal
        *_, info = env.step(rank)
        heard.append((ranks[rank], int(info["acceptances"] > sum(yes for _, yes in heard))))
        orders.add(tuple(ranks))
    assert orders & {(1, 2, 0), (2, 0, 1)}  # which are not their own inverses


def test_a_mask_of_a_lane_stands_at_the_rank_of_its_arm():
    below = PickyLanes(LANES, n_arms=N_ARMS, noise=0.4)
    vector = wrapped(many, "sorted-counts", below)
    vector.reset(seed=2)
    accepted, moved = np.zeros((LANES, N_ARMS), int), 0
    for ranks in np.random.default_rng(3).integers(N_ARMS, size=(20, LANES)):
        order = np.argsort(-accepted, axis=1, kind="stable")
        masks, found = below.action_masks(), vector.action_masks()
        for lane in range(LANES):
            expected = [masks[lane, arm + first] for first in (0, N_ARMS) for arm in order[lane]]
            assert found[lane].tolist() == expected
            moved += expected != masks[lane].tolist()
        arms, before = order[range(LANES), ranks], accepted.sum(axis=1)
        accepted[range(LANES), arms] += vector.step(ranks)[4]["acceptances"] - before
    assert moved > 20


NO_RANKS = [[0, 9, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0, 0], [0, 1], None, np.zeros(LANES)]
NO_RANK = [True, 1.0, -1, 6, np.array([6]), None]


@pytest.mark.parametrize("observation", OF_ONE)
def test_bad_actions_are_refused_by_name_and_change_nothing(name, observation):
    lanes = [2, 1, 0, 2, 1, 0, 2]
    for room, make, good, bad in ((single, made, 2, NO_RANK), (many, vector_of, lanes, NO_RANKS)):
        env, twin = (wrapped(room, observation, make(name)) for _ in range(2))
        for each in (env, twin):
            each.reset(seed=0)
            each.step(good)
        for wrong in bad:
            with pytest.raises(InvalidArgumentError, match=r"^actions? must be .* in 0\.\.[25],"):
                env.step(wrong)
        assert told(env.step(np.array(good, np.uint8))) == told(twin.step(good))


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        (lambda: gym.make(ENV_ID), 1000),
        (lambda: TimeLimit(ExplorativeUserEnv(), 8), 8),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=16), 16),
        (lambda: gym.make(BAI_ENV_ID, horizon=40, max_episode_steps=-1), 40),
        (lambda: ExplorativeUserVectorEnv(2, 8), 8),
        (lambda: gym.make_vec(ENV_ID, num_envs=2), 1000),
        (lambda: ExplorativeUserBAIVectorEnv(2, horizon=40), 40),
        (lambda: ExplorativeUserBAIVectorEnv(2, 16, horizon=40), 16),
    ],
)
def test_the_horizon_is_the_environments_own_unless_given(make, steps):
    for observation in OF_ONE:
        for given in (None, 5):
            env = make()
            one = isinstance(env, gym.Env)
            env = wrapped(single if one else many, observation, env, given)
            env.reset(seed=0)
            time = env.step(0 if one else [0, 0])[0][..., -1]
            assert time == pytest.approx(1 / (given or steps))


def test_a_horizon_that_is_none_or_missing_is_refused():
    without = [(many, vector_of(ENV_ID, limit=None))]
    without += [(single, ExplorativeUserEnv()), (single, gym.make(ENV_ID, -1))]
    for observation in OF_ONE:
        for room, env in without:
            for horizon in (None, 0, 1.5):
                allowed = "given, .* no time limit" if horizon is None else "an integer of at"
                with pytest.raises(InvalidArgumentError, match=rf"^horizon must be {allowed}"):
                    wrapped(room, observation, env, horizon)
