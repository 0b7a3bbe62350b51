"""`ExplorativeUserBAI-v0`, one user: what it pays, when it ends, what it tells, what is legal."""

import pytest
from begun import COUNTERS, LEAVING, arms, started

import explorative_user_env as eu
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv

BEST = 1


def begun_bai(**kwargs):
    return started(ExplorativeUserBAIEnv, step_cost=0.25, **kwargs)


@pytest.mark.parametrize(("arm", "steps"), [(0, 5), (BEST, 5), (BEST, 0)])
def test_an_answer_ends_the_episode_and_pays_one_or_costs_one_up_to_the_last_moment(arm, steps):
    env = begun_bai(horizon=6)
    responses = [env.step(each)[0] for each in arms(steps)]
    assert not env.action_masks()[3 + arm]  # which is advice
    observation, reward, terminated, truncated, info = env.step(3 + arm)
    assert (observation, terminated, truncated) == (0, True, False)
    assert (reward, type(reward)) == (1.0 if arm == BEST else -1.0, float)
    assert info == {
        "has_response": False,
        "interactions": steps,
        "acceptances": sum(responses),
        "rejections": steps - sum(responses),
        "is_success": arm == BEST,
        "answer": arm,
        "stopping_time": steps,
        "rejection_rate": (steps - sum(responses)) / steps if steps else 0.0,
        "left": False,
    }
    assert {type(value) for value in info.values()} == {bool, int, float}


@pytest.mark.parametrize("horizon", [1, 9])
def test_the_horizon_costs_as_much_as_a_wrong_answer_and_nothing_is_told_before(setting, horizon):
    env = begun_bai(horizon=horizon, setting=setting)
    _, first = env.reset(seed=0)
    assert {name: first[name] for name in COUNTERS} == dict.fromkeys(COUNTERS, 0)
    for step, arm in enumerate(arms(horizon), 1):
        _, reward, terminated, truncated, info = env.step(arm)
        last = step == horizon
        assert (reward, terminated, truncated) == (-0.25 - last, last, False)
        untold = {"is_success": False, "answer": -1, "stopping_time": step, "left": False}
        untold |= {"rejection_rate": info["rejections"] / step}
        assert info == {name: info[name] for name in COUNTERS} | untold
        assert first.keys() == info.keys()
        assert (info["has_response"], info["interactions"]) == (True, step)


def test_to_be_left_is_no_success_and_pays_as_a_wrong_answer():
    env = ExplorativeUserBAIEnv(step_cost=0.25, render_mode="svg", **LEAVING)
    env.reset(seed=1)
    for step in range(99):
        _, reward, left, truncated, info = env.step(step % 3)
        assert (reward, info["left"], truncated) == (-0.25 - left, left, False)
        if left:
            break
    assert (left, info["is_success"], info["answer"]) == (True, False, -1)
    assert "she has left, without an answer" in env.render()
    assert env.reset()[1]["left"] is False


def test_answers_are_legal_once_all_arms_but_one_were_rejected_by_the_same_user(setting):
    kwargs = {"n_arms": 4, "setting": setting, "noise": 0.6}
    env, twin = ExplorativeUserBAIEnv(**kwargs), ExplorativeUserBAIEnv(**kwargs, mask="none")
    other, seen = eu.ExplorativeUserEnv(**kwargs), set()
    for seed in (3, None, None):
        latest = {}
        for each in (env, twin, other):
            each.reset(seed=seed)
        for arm in arms(80, 4):
            legal = sum(response == 0 for response in latest.values()) >= 3
            masks = env.action_masks()
            assert masks.dtype == bool
            assert masks.tolist() == [True] * 4 + [legal] * 4
            assert twin.action_masks().tolist() == [True] * 8
            seen.add(legal)
            one, two = env.step(arm), other.step(arm)
            twin.step(arm)
            assert one[0] == two[0]
            assert {name: one[4][name] for name in COUNTERS} == two[4]
            latest[arm] = one[0]
        assert env.hidden_state() == other.hidden_state()
        env.step(4)
    assert seen == {True, False}
