"""What environments render: pictures of the same users as ever, and nothing secret unasked."""

import copy
import itertools
import pickle

import gymnasium as gym
import numpy as np
import pytest
from begun import arms, play
from gymnasium.utils.env_checker import check_env
from in_step import COUNTS
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.check.environments import exact
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.history import seen_in_lane
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError

IDS = (eu.ENV_ID, eu.BAI_ENV_ID, *COUNTS.values())


@pytest.fixture
def pillow():
    pytest.importorskip("PIL", reason="Pillow is not there")


@pytest.fixture
def screen(pillow, monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return pytest.importorskip("pygame", reason="pygame is not there")


@pytest.mark.usefixtures("pillow")
@pairs(name=IDS, mode=["ansi", "svg", "rgb_array"])
def test_rendering_changes_nothing_and_many_users_are_shown_as_one(name, mode):
    given = {"n_arms": 3, "noise": 0.1}
    plain, env = gym.make(name, **given), gym.make(name, render_mode=mode, **given)
    many = gym.make_vec(name, 2, render_mode=mode, **given)
    for each in (plain, env, many):
        each.reset(seed=0)
    for arm in arms(20):
        assert exact(env.step(arm)) == exact(plain.step(arm))
        many.step([arm, arm])
        shown = env.render()
    assert env.unwrapped.hidden_state() == plain.unwrapped.hidden_state()
    assert np.array_equal(many.render()[0], shown)


def test_a_picture_is_what_was_heard_and_if_asked_for_what_she_thought():
    given = {"n_arms": 3, "gap": 2.0, "noise": 0.3, "render_mode": "svg"}
    plain = eu.ExplorativeUserEnv(**given)
    revealed = eu.ExplorativeUserEnv(**given, render_intervals=True)
    heard, differ = plain.remember(), 0
    for env in (plain, revealed):
        env.reset(seed=0)
    for arm in arms(30, seed=1):
        decided = revealed.hidden_state()
        for env in (plain, revealed):
            env.step(arm)
        seen, now = seen_in_lane(heard, 0), revealed.hidden_state()
        assert plain.render() == svg_of(scene_of_user(seen))
        assert revealed.render() == svg_of(scene_of_user(seen, now, decided))
        differ += revealed.render() != svg_of(scene_of_user(seen, now, now))
    assert differ > 0
    revealed.reset(seed=1)  # the last decision was of another user
    assert "no recommendation yet" in revealed.render()
    assert "better" not in revealed.render()


@pytest.mark.parametrize("revealed", [False, True])
def test_users_who_say_the_same_look_the_same_unless_the_truth_is_asked_for(revealed):
    lives = []
    for lowest in (0.0, 10.0):
        means = [lowest, lowest + 1.0, lowest + 2.0]
        env = eu.ExplorativeUserEnv(3, means=means, render_mode="svg", render_intervals=revealed)
        env.reset(seed=0)
        lives.append((exact(play(env, arms(40))), env.render()))
    assert lives[0][0] == lives[1][0]
    assert (lives[0][1] == lives[1][1]) == (not revealed)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_gymnasium_makes_every_id_with_every_mode(screen):
    for name, mode in itertools.product(IDS, ("human", "svg_list")):
        env = gym.make(name, render_mode=mode)  # in Gymnasium's passive checker
        env.reset(seed=0)
        env.step(0)
        env.render()
        env.close()
    check_env(gym.make(IDS[0], disable_env_checker=True).unwrapped)  # which renders in all modes


def test_a_window_follows_each_step_and_closes(screen):
    env = gym.make(eu.BAI_ENV_ID, n_arms=3, render_mode="human")
    twin = gym.make(eu.BAI_ENV_ID, n_arms=3, render_mode="rgb_array")
    env.unwrapped.metadata = env.unwrapped.metadata | {"render_fps": 1000}
    for each in (env, twin):
        each.reset(seed=3)
    for action in (0, 2, 4, None):  # the answer is shown, too
        shown = screen.surfarray.array3d(screen.display.get_surface()).swapaxes(0, 1)
        assert (shown == twin.render()).all()
        if action is not None:
            for each in (env, twin):
                each.step(action)
    assert env.render() is None
    for copied in (copy.deepcopy(env.unwrapped), pickle.loads(pickle.dumps(env.unwrapped))):
        env.close()
        assert not screen.display.get_init()
        copied.reset(seed=1)
        assert screen.display.get_init()
        copied.close()
    copied.close()  # twice is once
    assert not screen.display.get_init()


def test_a_picture_says_how_far_the_answer_is():
    env = ExplorativeUserBAIEnv(3, render_mode="svg", means=[0.0, 2.0, 4.0], horizon=200)
    env.reset(seed=0)
    assert "an answer needs 2 arms whose last response is a rejection, has 0" in env.render()
    recommended = iter(arms(199))
    while not env.action_masks()[-1]:
        env.step(next(recommended))
    assert "an answer is legal" in env.render()
    for arm, verdict in ((2, "right"), (0, "wrong")):
        env.step(3 + arm)
        assert f"answer: arm {arm}, {verdict}" in env.render()
        env.reset()
    while not env.step(0)[2]:
        pass
    assert "horizon reached, without an answer" in env.render()


def test_a_notebook_shows_the_picture_and_not_the_truth():
    env = eu.ExplorativeUserEnv(3, render_mode="svg")
    assert env._repr_html_() == "<p>ExplorativeUserEnv: call reset to see the user here</p>"
    env.reset(seed=0)
    env.step(0)
    assert env._repr_html_() == env.render()
    assert "true mean" not in env.render()
    assert "set render_mode" in eu.ExplorativeUserEnv(3)._repr_html_()


@pytest.mark.parametrize(
    ("mode", "missing", "words"),
    [("rgb_array", "PIL", "pictures as pixels need pillow"), ("human", "pygame", "a window needs")],
)
def test_a_missing_extra_is_named(pillow, mode, missing, words, monkeypatch):
    found = "explorative_user_env.validation.find_spec"
    monkeypatch.setattr(found, lambda name: None if name == missing else object())
    env = eu.ExplorativeUserEnv(3, render_mode=mode)
    with pytest.raises(MissingExtraError, match=f"^{words}.*: pip install "):
        _ = env.reset(), env.render()
