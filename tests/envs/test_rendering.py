"""What environments render: pictures of the same users as ever, and nothing secret unasked."""

import copy
import pickle

import drawn
import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pairs import pairs

from explorative_user_env import BAI_ENV_ID, COUNTS_ENV_ID, ENV_ID, ExplorativeUserEnv
from explorative_user_env.check.environments import told
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.history import seen_in_lane
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError

IDS = (ENV_ID, COUNTS_ENV_ID, BAI_ENV_ID)


@pytest.fixture
def pillow():
    pytest.importorskip("PIL", reason="Pillow is not there")


@pytest.fixture
def screen(pillow, monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return pytest.importorskip("pygame", reason="pygame is not there")


def played(env, steps=20, looked_at=False):
    """Recommend arms at random and return the responses."""
    env.reset(seed=0)
    responses = []
    for arm in np.random.default_rng(1).integers(3, size=steps).tolist():
        responses.append(env.step(arm)[0])
        if looked_at:
            env.render()
    return responses


@pytest.mark.usefixtures("pillow")
@pairs(name=IDS, mode=["ansi", "svg", "rgb_array"])
def test_rendering_changes_nothing_and_many_users_are_shown_as_one(name, mode):
    env = gym.make(name, n_arms=3, noise=0.1, render_mode=mode)
    plain = gym.make(name, n_arms=3, noise=0.1)
    assert told(played(env, looked_at=True)) == told(played(plain))
    assert env.unwrapped.hidden_state() == plain.unwrapped.hidden_state()
    many = gym.make_vec(name, 2, n_arms=3, noise=0.1, render_mode=mode)
    many.reset(seed=0)
    for arm in np.random.default_rng(1).integers(3, size=20).tolist():
        many.step([arm, arm])
    assert np.array_equal(many.render()[0], env.render())


def test_a_picture_is_what_was_heard_and_only_if_asked_for_the_truth():
    seen, hidden, decided = drawn.moment_of(5, 7, 200)
    for revealed, truths in ((False, ()), (True, (hidden, decided))):
        env = ExplorativeUserEnv(render_mode="svg", render_intervals=revealed)
        env.reset(seed=7)
        for arm in np.random.default_rng(7).integers(5, size=seen.steps).tolist():
            env.step(arm)
        assert env.render() == svg_of(scene_of_user(seen, *truths))
        assert ("clearly better" in env.render()) == revealed
    env.reset(seed=1)  # the last decision was of another user
    assert "no recommendation yet" in env.render()
    assert "better" not in env.render()


def test_a_decision_is_explained_by_what_she_thought_when_she_made_it():
    env = ExplorativeUserEnv(3, gap=2.0, noise=0.3, render_mode="svg", render_intervals=True)
    heard = env.remember()
    env.reset(seed=0)
    differ = 0
    for arm in np.random.default_rng(1).integers(3, size=30).tolist():
        decided = env.hidden_state()
        env.step(arm)
        seen, now = seen_in_lane(heard, 0), env.hidden_state()
        assert env.render() == svg_of(scene_of_user(seen, now, decided))
        differ += env.render() != svg_of(scene_of_user(seen, now, now))
    assert differ > 0


def test_users_who_say_the_same_look_the_same_unless_the_truth_is_asked_for():
    for revealed in (False, True):
        kinds = [
            ExplorativeUserEnv(means=means, render_mode="svg", render_intervals=revealed)
            for means in ([0.0, 0.5, 1.0, 1.5, 2.0], [10.0, 10.5, 11.0, 11.5, 12.0])
        ]
        responses = [played(env, 40) for env in kinds]
        assert responses[0] == responses[1]
        assert 0 in responses[0]
        assert (kinds[0].render() == kinds[1].render()) == (not revealed)


@pytest.mark.slow
@pairs(name=IDS, mode=["human", "svg_list"])
@pytest.mark.filterwarnings("error")
def test_gymnasium_makes_every_id_with_every_mode(name, mode, screen):
    env = gym.make(name, render_mode=mode)  # in Gymnasium's passive checker
    env.reset(seed=0)
    env.step(0)
    env.render()
    env.close()
    if name != COUNTS_ENV_ID and mode == "human":  # the checker renders in all modes
        check_env(gym.make(name, disable_env_checker=True).unwrapped)


def test_a_window_follows_each_step_and_closes(screen):
    env = gym.make(BAI_ENV_ID, n_arms=3, render_mode="human")
    twin = gym.make(BAI_ENV_ID, n_arms=3, render_mode="rgb_array")
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
    assert "an answer needs 2 arms rejected last: there are 0" in env.render()
    while not env.action_masks()[-1]:
        env.step(int(np.random.default_rng(env.remember().steps[0]).integers(3)))
    assert "an answer is legal" in env.render()
    env.step(3 + 2)
    assert "answer: arm 2, right" in env.render()
    env.reset()
    env.step(3)
    assert "answer: arm 0, wrong" in env.render()
    env.reset()
    while not env.step(0)[2]:
        pass
    assert "out of time, without an answer" in env.render()


def test_a_notebook_shows_the_picture_and_not_the_truth():
    env = ExplorativeUserEnv(3, render_mode="svg")
    assert env._repr_html_() == "<p>ExplorativeUserEnv: call reset to see the user here</p>"
    played(env)
    assert env._repr_html_() == env.render()
    other = ExplorativeUserEnv(3, render_mode="ansi", render_intervals=True)
    played(other)
    assert "true mean" in other._repr_html_()
    assert "make it with render_mode" in ExplorativeUserEnv(3)._repr_html_()


@pytest.mark.parametrize(
    ("mode", "missing", "message"),
    [
        ("rgb_array", "PIL", r"^pictures as pixels need pillow: pip install "),
        ("human", "pygame", r"^a window needs pygame: pip install "),
    ],
)
def test_a_missing_extra_is_named(pillow, mode, missing, message, monkeypatch):
    monkeypatch.setattr(
        "explorative_user_env.validation.find_spec",
        lambda name: None if name == missing else object(),
    )
    env = ExplorativeUserEnv(3, render_mode=mode)
    with pytest.raises(MissingExtraError, match=message):
        _ = played(env), env.render()
