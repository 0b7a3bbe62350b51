"""A game is played again to the same bit, and says nothing that is secret unless asked."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.play.game import (
    LARGEST_PLAYED_SEED,
    MOST_MOVES,
    Game,
    heard_in,
    instance_at_end,
    truths_of,
)
from explorative_user_env.validation import InvalidArgumentError

USERS: tuple[dict[str, object], ...] = (
    {},
    {"n_arms": 3, "gap": 0.7, "alpha": 0.4, "noise": 0.2},
    {"setting": "released", "behaviour": "drifting", "n_arms": 2},
    {"behaviour": "logistic", "rho": 1.5},
    {"reward_law": "bounded", "behaviour": "forgetful"},
)


@pytest.mark.parametrize("options", USERS)
def test_she_answers_as_in_the_environment(options: dict[str, object]) -> None:
    env = ExplorativeUserEnv(**options)  # type: ignore[arg-type]
    env.reset(seed=11)
    moves = tuple(step * step % 2 for step in range(60)) + (1,) * 20
    responses = tuple(bool(env.step(arm)[0]) for arm in moves)
    game = Game(options=options, seed=11, moves=moves)
    assert heard_in(game).responses == responses
    assert instance_at_end(game) == env.instance()
    truths = [*truths_of(game)]
    assert truths[-1] == env.hidden_state()
    assert [truth.interactions for truth in truths] == [*range(81)]


@given(st.lists(st.integers(0, 2), max_size=30))
def test_responses_are_told_arm_by_arm(moves: list[int]) -> None:
    heard = heard_in(Game(options={"n_arms": 3, "gap": 2.0}, seed=5, moves=tuple(moves)))
    for arm in range(3):
        mine = [yes for move, yes in zip(moves, heard.responses, strict=True) if move == arm]
        assert heard.seen.accepted[arm] == mine.count(True)
        assert heard.seen.rejected[arm] == mine.count(False)
        assert heard.seen.latest[arm] == (mine[-1] if mine else None)
    assert heard.seen.steps == len(moves)
    assert heard.seen.last == ((moves[-1], heard.responses[-1]) if moves else None)


def test_options_as_usual_are_not_kept_and_their_order_makes_no_difference() -> None:
    options = {"setting": "printed", "behaviour": "explorative", "n_arms": 5, "gap": 0.5}
    game = Game(options=options, seed=1)
    assert game == Game(options={"gap": 0.5, "noise": 0.0}, seed=1)
    assert game.options == {"gap": 0.5}
    assert game.n_arms == 5


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"options": {"n_arms": 26}}, "n_arms must be an integer in 2..25, got 26"),
        ({"options": {"n_arms": 1}}, "n_arms must be an integer in 2..25, got 1"),
        ({"options": {"alpha": 0.0}}, "alpha must be a finite number above 0, got 0.0"),
        ({"seed": -1}, f"seed must be an integer in 0..{LARGEST_PLAYED_SEED}, got -1"),
        ({"moves": (0, 5)}, "moves must be arms in 0..4, got 5"),
        ({"moves": (True,)}, "moves must be arms in 0..4, got True"),
        ({"answer": 5}, "answer must be an integer in 0..4, got 5"),
        ({"moves": (0,) * (MOST_MOVES + 1)}, "moves must be at most 2000 recommendations"),
    ],
)
def test_what_is_out_of_range_is_named(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        Game(**{"seed": 1, **wrong})  # type: ignore[arg-type]
    assert str(error.value).startswith(told)


def test_an_option_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        Game(options={"colour": 1}, seed=1)


def test_nothing_is_recommended_after_the_answer() -> None:
    game = replace(Game(seed=1).recommending((0, 1)), answer=1)
    assert (game.moves, game.answer) == ((0, 1), 1)
    with pytest.raises(InvalidArgumentError, match="none after the answer"):
        game.recommending((0,))
