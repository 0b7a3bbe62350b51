"""What environments render: pictures of the same users as ever, and nothing secret unasked."""

import copy
import pickle
import xml.etree.ElementTree as ET
from typing import Any

import drawn
import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pairs import pairs

from explorative_user_env import (
    BAI_ENV_ID,
    COUNTS_ENV_ID,
    ENV_ID,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
)
from explorative_user_env.envs import history as pictures
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv
from explorative_user_env.envs.history import RENDER_MODES
from explorative_user_env.show import raster, scene, svg
from explorative_user_env.show.scene import scene_of_user
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError

IDS = (ENV_ID, COUNTS_ENV_ID, BAI_ENV_ID)


@pytest.fixture
def pillow() -> None:
    pytest.importorskip("PIL", reason="Pillow is not there")


@pytest.fixture
def screen(pillow: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return pytest.importorskip("pygame", reason="pygame is not there")


def played(env: gym.Env[Any, Any], steps: int = 40, seed: int = 0) -> list[int]:
    """Recommend arms at random and return the responses."""
    env.reset(seed=seed)
    arms = np.random.default_rng(1).integers(3, size=steps).tolist()
    return [env.step(arm)[0] for arm in arms]


@pytest.mark.usefixtures("pillow")
@pytest.mark.parametrize("name", IDS)
def test_every_mode_shows_the_same_user_and_many_are_shown_as_one(name: str) -> None:
    frames = {}
    for mode in ("ansi", "svg", "rgb_array"):
        env: Any = gym.make(name, n_arms=3, render_mode=mode)
        played(env)
        frames[mode] = env.render()
        many: Any = gym.make_vec(name, 2, n_arms=3, render_mode=mode)
        many.reset(seed=0)
        for arm in np.random.default_rng(1).integers(3, size=40).tolist():
            many.step([arm, arm])
        assert np.array_equal(many.render()[0], frames[mode])
    plain = ExplorativeUserVectorEnv(2)
    plain.reset(seed=0)
    assert (plain.render_mode, plain.render()) == (None, None)
    root = ET.fromstring(frames["svg"])
    assert frames["rgb_array"].dtype == np.uint8
    assert frames["rgb_array"].shape == (int(root.attrib["height"]), int(root.attrib["width"]), 3)
    last = frames["ansi"].splitlines()[-1].removeprefix("last: ").replace(" ", ": ").split(": ")
    assert f"Arm {last[1]}: {last[2]}" in [element.text for element in root]


def test_a_picture_is_what_was_heard_and_only_if_asked_for_the_truth() -> None:
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


def test_a_decision_is_explained_by_what_she_thought_when_she_made_it() -> None:
    env = ExplorativeUserEnv(3, gap=2.0, noise=0.3, render_mode="svg", render_intervals=True)
    heard = env.remember()
    env.reset(seed=0)
    differ = 0
    for arm in np.random.default_rng(1).integers(3, size=60).tolist():
        decided = env.hidden_state()
        env.step(arm)
        seen, now = pictures.seen_in_lane(heard, 0), env.hidden_state()
        assert env.render() == svg_of(scene_of_user(seen, now, decided))
        differ += env.render() != svg_of(scene_of_user(seen, now, now))
    assert differ > 0


def test_users_who_say_the_same_look_the_same_unless_the_truth_is_asked_for() -> None:
    for revealed in (False, True):
        kinds = [
            ExplorativeUserEnv(means=means, render_mode="svg", render_intervals=revealed)
            for means in ([0.0, 0.5, 1.0, 1.5, 2.0], [10.0, 10.5, 11.0, 11.5, 12.0])
        ]
        responses = [played(env) for env in kinds]
        assert responses[0] == responses[1]
        assert 0 in responses[0]
        assert (kinds[0].render() == kinds[1].render()) == (not revealed)


@pairs(mode=["ansi", "rgb_array", "svg", None], kind=[ExplorativeUserEnv, ExplorativeUserBAIEnv])
def test_nothing_is_drawn_in_a_step_and_a_user_who_is_looked_at_says_the_same(
    mode: str | None, kind: type[ExplorativeUserEnv], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("drawn")

    rooms = {scene: ("scene_of_user", "text_of_user"), svg: ("svg_of",), raster: ("pixels_of",)}
    for room, names in rooms.items():
        for name in names:
            monkeypatch.setattr(room, name, never)
    env, plain = kind(3, render_mode=mode, render_intervals=True, noise=0.1), kind(3, noise=0.1)
    assert played(env) == played(plain)
    assert env.hidden_state() == plain.hidden_state()
    if mode is not None:
        with pytest.raises(AssertionError, match="drawn"):
            env.render()


@pytest.mark.slow
@pairs(name=IDS, mode=[*RENDER_MODES, "rgb_array_list", "svg_list"])
@pytest.mark.filterwarnings("error")
def test_every_id_is_made_with_every_mode(name: str, mode: str, screen: Any) -> None:
    env: Any = gym.make(name, render_mode=mode)  # in Gymnasium's passive checker
    env.reset(seed=0)
    env.step(0)
    env.render()
    env.close()
    if name != COUNTS_ENV_ID and mode == "human":  # the checker renders in all modes
        check_env(gym.make(name, disable_env_checker=True).unwrapped)


def test_a_window_follows_each_step_and_closes(screen: Any) -> None:
    env: Any = gym.make(BAI_ENV_ID, n_arms=3, render_mode="human")
    twin: Any = gym.make(BAI_ENV_ID, n_arms=3, render_mode="rgb_array")
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
    another = copy.deepcopy(env.unwrapped)
    assert pickle.loads(pickle.dumps(env.unwrapped))._window._clock is None
    env.close()
    assert not screen.display.get_init()
    another.reset(seed=1)
    assert screen.display.get_init()
    another.close()
    another.close()
    assert not screen.display.get_init()


def test_a_picture_says_how_far_the_answer_is() -> None:
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


def test_a_notebook_shows_the_picture_and_not_the_truth() -> None:
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
        ("rgb_array", ("PIL",), r"^pictures as pixels need pillow: pip install .*$"),
        ("human", ("pygame",), r"^a window needs pygame: pip install .*$"),
    ],
)
def test_without_the_extra_one_line_says_what_is_missing(
    pillow: None, mode: str, missing: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> object:
        return None if name in missing else object()

    monkeypatch.setattr("explorative_user_env.validation.find_spec", find)
    env = ExplorativeUserEnv(3, render_mode=mode)
    with pytest.raises(MissingExtraError, match=message):
        _ = played(env), env.render()
