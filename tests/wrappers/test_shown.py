"""Our wrappers: of one user what a slow look at what was heard says, of many what of one."""

import copy
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from begun import check_for_sb3
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeLimit, TransformAction
from gymnasium.wrappers import vector as of_many
from hypothesis import given
from hypothesis import strategies as st
from in_step import COUNTS, LANES, MODES, played
from pairs import pairs
from wrapped import LIMIT, N_ARMS, OURS, made, ranks_of, shown_by_hand, vector_of, wrapped

import explorative_user_env as eu
from explorative_user_env import wrappers as single
from explorative_user_env.check.environments import exact
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.history import History
from explorative_user_env.wrappers import vector as many
from explorative_user_env.wrappers.observations import (
    OBSERVATIONS,
    SORTED_POPULATION,
    Scale,
    observed,
)

NAMES = [eu.ENV_ID, eu.BAI_ENV_ID]
OF_ONE = [*OURS][:3]

scripts = st.lists(st.tuples(st.integers(0, N_ARMS - 1), st.integers(0, 1)), max_size=25)
"""Any responses, also those that no user gives."""


def history_of(*lanes):
    history, all_lanes = History(len(lanes), N_ARMS), np.arange(len(lanes))
    # Of users before, who are forgotten.
    history.record(all_lanes, 0 * all_lanes, 0 * all_lanes + 1)
    history.forget(all_lanes)
    for t in range(max(map(len, lanes))):
        going = [lane for lane, heard in enumerate(lanes) if t < len(heard)]
        recommended, responses = np.array([lanes[lane][t] for lane in going]).T
        history.record(np.array(going), recommended, responses)
    return history


@pytest.mark.slow
@given(scripts, scripts, st.sampled_from([1, 12, 1000]))
def test_each_observation_is_that_of_a_slow_look_in_each_lane(one, other, horizon):
    both = [one, other]
    for name in OBSERVATIONS:
        orders = [[*range(N_ARMS)]] * 2
        if name == "sorted-counts":
            orders = [ranks_of(heard, horizon) for heard in both]
        shown, order = observed(name, history_of(*both), Scale(horizon), N_ARMS)
        assert order.tolist() == orders
        _, actions = observed(name, history_of(*both), Scale(horizon), 2 * N_ARMS)
        assert actions.tolist() == [[*order, *(3 + arm for arm in order)] for order in orders]
        assert shown.dtype == (int if name == "response" else np.float32)
        expected = [shown_by_hand(name, heard, horizon) for heard in both]
        np.testing.assert_allclose(shown, np.array(expected), rtol=2e-7, atol=0)


@pairs(observation=OF_ONE, name=NAMES, horizon=[None, 6])
def test_it_shows_what_was_heard_of_this_user_also_beyond_its_scale(name, observation, horizon):
    env, bare = wrapped(single, observation, made(name), horizon), made(name)
    rng, responses = np.random.default_rng(0), set()
    scale = horizon or env.spec.max_episode_steps
    for seed in (3, None, None):
        shown, info = env.reset(seed=seed)
        assert info == bare.reset(seed=seed)[1]
        heard, over = [], False
        while True:
            assert shown.dtype == np.float32
            assert shown in env.observation_space
            expected = shown_by_hand(observation, heard, scale)
            np.testing.assert_allclose(shown, expected, rtol=2e-7)
            if over:
                break
            action = int(rng.integers(N_ARMS))
            if name == eu.BAI_ENV_ID and rng.random() < 0.02:
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
def test_checkers_accept_it_and_its_specification_and_its_copies_go_on_alike(observation):
    env = wrapped(single, observation, made(eu.BAI_ENV_ID), 6)
    with warnings.catch_warnings():
        # Gymnasium would rather check environments without wrappers.
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env)
    check_for_sb3(env)
    text, lives = env.spec.to_json(), []
    for each in (env, gym.make(env.spec), gym.make(EnvSpec.from_json(text))):
        assert str(each) == str(env)
        assert each.spec.to_json() == text
        life = [each.reset(seed=2), *(each.step(arm) for arm in (0, 2))]
        for twin in (each, copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            lives.append(exact([*life, *(twin.step(arm) for arm in (2, 1, 0))]))
    assert all(life == lives[0] for life in lives)


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("kwargs", [{"setting": "released"}, {"info_level": "full", "horizon": 4}])
def test_the_id_of_counts_is_the_same_as_wrapping_by_hand_also_in_a_copy(name, kwargs):
    if name == eu.BAI_ENV_ID and "horizon" in kwargs:
        kwargs = kwargs | {"horizon": 40}
    by_id, raw = gym.make(COUNTS[name], 40, **kwargs), gym.make(name, 40, **kwargs)
    horizon = getattr(raw.unwrapped, "horizon", kwargs.get("horizon", 500))  # not the limit
    in_population = name == eu.POPULATION_ENV_ID
    by_hand = wrapped(single, SORTED_POPULATION if in_population else "sorted-counts", raw, horizon)
    for seed in (3, None, None):
        assert exact(by_id.reset(seed=seed)) == exact(by_hand.reset(seed=seed))
        for rank in np.random.default_rng(0).integers(5, size=40).tolist():
            outcome = by_id.step(rank)
            assert exact(outcome) == exact(by_hand.step(rank))
            outcome[0][:] = 77.0
        assert outcome[2] or outcome[3]
        by_id = copy.deepcopy(by_id) if seed else pickle.loads(pickle.dumps(by_id))


def other_arms(room, env):
    """Put between what recommends one arm for another, as only the users below notice."""

    def swapped(action):
        return np.where(np.asarray(action) < 2, 1 - action, action)

    if room is single:
        return TransformAction(env, swapped, env.action_space)
    return of_many.TransformAction(env, swapped, env.action_space, env.single_action_space)


@pytest.mark.slow
@pairs(
    name=[eu.ENV_ID, eu.BAI_ENV_ID, eu.POPULATION_ENV_ID],
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
        name = eu.POPULATION_ENV_ID
    limit = 11 if name == eu.ENV_ID else None
    kwargs = {} if name == eu.POPULATION_ENV_ID else {"n_arms": N_ARMS, "noise": 0.4}

    def wrap(room, env):
        return wrapped(room, observation, other_arms(room, env) if swaps else env, scale)

    seen = played(name, mode, compiled, limit, wrap, **kwargs)
    assert seen["terminated"] + seen["truncated"] > LANES
    assert name != eu.BAI_ENV_ID or observation != "sorted-counts" or seen["legal"] > 3


@pairs(observation=OF_ONE, name=NAMES, mode=MODES)
def test_observations_that_are_handed_out_are_nobody_elses_and_a_copy_goes_on_alike(
    name, observation, mode
):
    one = wrapped(many, observation, vector_of(name, mode))
    one.reset(seed=0)
    other, n_last = copy.deepcopy(one), 0
    for t in range(LIMIT if mode == AutoresetMode.DISABLED else 2 * LIMIT):
        outcome = one.step(np.full(LANES, t % N_ARMS))
        assert exact(outcome) == exact(other.step(np.full(LANES, t % N_ARMS)))
        outcome[0][:] = 77.0
        for last in outcome[4].get("final_obs", []):
            if last is not None:
                last[:] = 77.0
                n_last += 1
        if t % 5 == 1:
            mask = np.arange(LANES) > 4
            resets = [each.reset(options={"reset_mask": mask.copy()}) for each in (one, other)]
            assert exact(resets[0]) == exact(resets[1])
            resets[0][0][:] = 77.0
    assert (n_last > LANES) == (mode == AutoresetMode.SAME_STEP)


class Picky(ExplorativeUserBAIEnv):
    """Masks that tell arms apart, which those of the task itself do not."""

    def action_masks(self):
        return np.array([True, False, False, False, True, False])


class PickyLanes(ExplorativeUserBAIVectorEnv):
    def action_masks(self):
        return np.array([Picky.action_masks(self)] * 2)


def test_a_mask_stands_at_the_rank_of_its_arm():
    facts = {"n_arms": N_ARMS, "noise": 0.4, "horizon": 200}
    lanes = wrapped(many, "sorted-counts", PickyLanes(2, **facts))
    singles = [wrapped(single, "sorted-counts", Picky(**facts)) for _ in range(2)]
    lanes.reset(seed=5)
    for lane, env in enumerate(singles):
        env.reset(seed=5 + lane)
    heard, seen = ([], []), set()
    for ranks in np.random.default_rng(1).integers(N_ARMS, size=(120, 2)):
        found = lanes.action_masks().tolist()
        lanes.step(ranks)
        for lane, env in enumerate(singles):
            order = ranks_of(heard[lane])
            legal = [arm == 0 for arm in order] + [arm == 1 for arm in order]
            assert env.get_wrapper_attr("action_masks")().tolist() == legal == found[lane]
            *_, info = env.step(ranks[lane])
            accepted = info["acceptances"] > sum(yes for _, yes in heard[lane])
            heard[lane].append((order[ranks[lane]], int(accepted)))
            seen.add(tuple(order))
    assert seen & {(1, 2, 0), (2, 0, 1)}  # which are not their own inverses


NO_RANKS = [[0, 9, 0, 0, 0, 0, 0], [0, -1, 0, 0, 0, 0, 0], [0, 1], None, np.zeros(LANES)]
NO_RANK = [True, 1.0, -1, 6, np.array([6]), None]


@pairs(name=NAMES, observation=OF_ONE)
def test_bad_actions_are_refused_by_name_and_change_nothing(name, observation):
    lanes = [2, 1, 0, 2, 1, 0, 2]
    for room, make, good, bad in ((single, made, 2, NO_RANK), (many, vector_of, lanes, NO_RANKS)):
        env, twin = (wrapped(room, observation, make(name)) for _ in range(2))
        for each in (env, twin):
            each.reset(seed=0)
            each.step(good)
        for wrong in bad:
            with pytest.raises(
                eu.InvalidArgumentError, match=r"^actions? must be .* in 0\.\.[25],"
            ):
                env.step(wrong)
        assert exact(env.step(np.array(good, np.uint8))) == exact(twin.step(good))


@pytest.mark.parametrize("observation", OF_ONE)
def test_the_horizon_is_the_environments_own_unless_given(observation):
    for make, steps in (
        (lambda: gym.make(eu.ENV_ID), 1000),
        (lambda: TimeLimit(eu.ExplorativeUserEnv(), 8), 8),
        (lambda: gym.make(eu.BAI_ENV_ID, horizon=40, max_episode_steps=16), 16),
        (lambda: gym.make(eu.BAI_ENV_ID, horizon=40, max_episode_steps=-1), 40),
        (lambda: eu.ExplorativeUserVectorEnv(2, 8), 8),
        (lambda: ExplorativeUserBAIVectorEnv(2, horizon=40), 40),
        (lambda: ExplorativeUserBAIVectorEnv(2, 16, horizon=40), 16),
    ):
        for given_horizon in (None, 5):
            env = make()
            one = isinstance(env, gym.Env)
            env = wrapped(single if one else many, observation, env, given_horizon)
            env.reset(seed=0)
            time = env.step(0 if one else [0, 0])[0][..., -1]
            assert time == pytest.approx(1 / (given_horizon or steps))
    endless = [(many, vector_of(eu.ENV_ID, limit=None)), (single, gym.make(eu.ENV_ID, -1))]
    for room, env in [*endless, (single, eu.ExplorativeUserEnv())]:
        for wrong in (None, 0, 1.5):
            allowed = "given .* no time limit" if wrong is None else "an integer of at"
            with pytest.raises(eu.InvalidArgumentError, match=rf"^horizon must be {allowed}"):
                wrapped(room, observation, env, wrong)
