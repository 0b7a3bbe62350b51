"""Agents meet the very same user as the player, by the loop that everybody uses."""

import sys

import pytest
from toy_agents import tireless

from explorative_user_env import rollout
from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.play import game as room
from explorative_user_env.play.game import PLAYED, Game, Rival, rivals_of
from explorative_user_env.protocol import ANSWERED, CENSORED

THREE = Game(options={"n_arms": 3, "gap": 2.0}, seed=7)


def test_they_did_what_they_do_in_the_loop() -> None:
    found, notes = rivals_of(THREE)
    env = ExplorativeUserEnv(n_arms=3, gap=2.0)
    for rival, agent in zip(found, (BAIR(), TrackAndStop()), strict=True):
        episode = rollout(env, agent, seed=7)
        right = episode.answer == env.instance().best_arm
        mine = (episode.agent, episode.stopping_time, episode.rejections, episode.answer, right)
        assert rival == Rival(*mine, ANSWERED)
    assert notes == ["No trained model of the package is for 3 arms."]


def test_where_no_model_is_for_so_many_arms_nothing_is_loaded_to_learn_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("explorative_user_env.rl", "explorative_user_env.rl.models"):
        monkeypatch.setitem(sys.modules, name, None)  # whoever imports them fails
    assert rivals_of(THREE)[1] == ["No trained model of the package is for 3 arms."]
    with pytest.raises(ImportError):
        rivals_of(Game(options={"n_arms": 5}, seed=7))


def test_who_would_never_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LONGEST_RUN", 30)
    found, _ = rivals_of(THREE)
    assert [(rival.interactions, rival.end) for rival in found] == [(30, CENSORED)] * 2


def test_who_has_a_cap_of_its_own_is_asked_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's step takes a millisecond, and others wait for theirs."""
    monkeypatch.setattr(room, "_loaded", lambda name: tireless(20))
    *_, model = rivals_of(Game(options=PLAYED, seed=7))[0]
    assert (model.name, model.interactions, model.end) == ("tireless", 20, CENSORED)


def test_a_users_best_arm_is_that_of_the_end_where_her_taste_changes() -> None:
    game = Game(options={"n_arms": 2, "gap": 0.2, "behaviour": "drifting"}, seed=4)
    env = ExplorativeUserEnv(n_arms=2, gap=0.2, behaviour="drifting")
    episode = rollout(env, BAIR(), seed=4)
    assert rivals_of(game)[0][0].right == (episode.answer == env.instance().best_arm)


def test_without_the_extra_a_line_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    from explorative_user_env.validation import MissingExtraError

    def missing(name: str) -> None:
        raise MissingExtraError("it needs sb3-contrib: pip install it")

    monkeypatch.setattr(room, "_loaded", missing)
    found, notes = rivals_of(Game(options={"n_arms": 5}, seed=7))
    assert [rival.name for rival in found] == ["BAIR", "T&S"]
    assert notes == ["A trained model plays as well, but it needs sb3-contrib: pip install it"]
    room.get_ready()  # says nothing


@pytest.mark.slow
def test_a_trained_model_plays_where_there_is_one_for_so_many_arms() -> None:
    pytest.importorskip("sb3_contrib", reason="models need the extra rl")
    from explorative_user_env.rl import load_agent

    found, notes = rivals_of(Game(options={"gap": 2.0}, seed=7))
    env = ExplorativeUserEnv(gap=2.0)
    episode = rollout(env, load_agent("bai-k5"), seed=7)
    assert found[2][:2] == (episode.agent, episode.stopping_time)
    assert notes[0].startswith(f"{episode.agent} was trained with users of setting printed")
    assert [rival.name for rival in rivals_of(THREE)[0]] == ["BAIR", "T&S"]
