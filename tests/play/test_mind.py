"""Who is her mind sees all, says first what she will do, and is told whether she did."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.play.game import (
    Game,
    game_of,
    heard_in,
    pairs_in,
    pairs_of,
    query_of,
    right_guesses,
)
from explorative_user_env.validation import InvalidArgumentError

GAME = Game(options={"gap": 2.0}, seed=7)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([True, False, None])), max_size=20),
    st.none() | st.integers(0, 4),
    st.booleans(),
)
def test_an_address_is_read_as_the_mind_that_it_was_written_for(
    steps: list[tuple[int, bool | None]], asked: int | None, foretold: bool
) -> None:
    mind = replace(
        GAME.recommending([arm for arm, _ in steps]),
        guesses=tuple(guess for _, guess in steps),
        asked=asked,
        foretold=foretold,
    )
    query = query_of(pairs_of(mind))
    assert game_of(pairs_in(query), mind=True) == mind


def test_a_guess_becomes_her_decision_and_is_counted() -> None:
    mind = replace(GAME, foretold=True)
    for arm, guess in ((0, True), (1, False), (2, True)):
        mind = mind.recommending((arm,))
        assert (mind.asked, len(mind.moves)) == (arm, arm)  # she has not decided yet
        mind = mind.guessing(guess)
    assert mind.moves == (0, 1, 2)
    heard = heard_in(mind)
    assert heard.responses == (True, True, True)
    assert right_guesses(mind, heard) == (2, 3)


def test_she_decides_unasked_where_nothing_is_to_be_foretold() -> None:
    mind = GAME.recommending((3, 3))
    assert (mind.moves, mind.guesses, mind.asked) == ((3, 3), (None, None), None)
    assert right_guesses(mind, heard_in(mind)) == (0, 0)


def test_what_is_asked_is_undone_first_then_the_last_move() -> None:
    mind = replace(GAME, foretold=True).recommending((0,)).guessing(True).recommending((1,))
    once = mind.undone()
    assert (once.asked, once.moves) == (None, (0,))
    twice = once.undone()
    assert (twice.moves, twice.guesses) == ((), ())


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("seed=7&answer=1", "answer must be left out where all is seen"),
        ("seed=7&moves=0&guesses=yy", "guesses must be of moves that were made"),
        ("seed=7&moves=0&guesses=q", "guesses must be written with y, n and -"),
        ("seed=7&asked=5", "moves must be arms in 0..4, got 5"),
        ("seed=7&asked=x", "asked must be a whole number, got 'x'"),
        ("seed=7&by=me", "by must be one of her, you, got 'me'"),
    ],
)
def test_what_is_no_mind_is_refused(query: str, told: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        game_of(pairs_in(query), mind=True)
    assert str(error.value).startswith(told)


def test_one_arm_at_a_time_is_foretold() -> None:
    with pytest.raises(InvalidArgumentError, match="one arm"):
        replace(GAME, foretold=True).recommending((0, 0))
    with pytest.raises(InvalidArgumentError, match="asked about"):
        GAME.guessing(True)
