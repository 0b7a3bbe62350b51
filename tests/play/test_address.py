"""A game and its address are the same, and what is not an address is refused by name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.play.game import (
    LARGEST_PLAYED_SEED,
    LONGEST_QUERY,
    MOST_MOVES,
    Game,
    game_of,
    moves_as_text,
    moves_in,
    pairs_in,
    pairs_of,
    query_in,
    query_of,
)
from explorative_user_env.validation import InvalidArgumentError

NUMBERS, GAPS = st.floats(1e-150, 1e150), st.floats(1e-5, 1e3)


@st.composite
def games(draw: st.DrawFn) -> Game:
    n_arms = draw(st.integers(2, 25))
    options: dict[str, Any] = {"n_arms": n_arms}
    more = {
        "alpha": NUMBERS,
        "gap": GAPS,
        "noise": st.floats(0, 1),
        "rho": st.one_of(NUMBERS, st.sampled_from(["acceptance_rate"])),
        "behaviour": st.sampled_from(["explorative", "drifting", "logistic"]),
        "setting": st.sampled_from(["printed", "released"]),
    }
    options |= draw(st.fixed_dictionaries({}, optional=more))
    arms = st.integers(0, n_arms - 1)
    return Game(
        options=options,
        seed=draw(st.integers(0, LARGEST_PLAYED_SEED)),
        moves=tuple(draw(st.lists(arms, max_size=50))),
        answer=draw(st.none() | arms),
    )


@given(games())
def test_an_address_is_read_as_the_game_that_it_was_written_for(game: Game) -> None:
    query = query_of(pairs_of(game))
    read = game_of(pairs_in(query))
    assert read == game
    assert query_of(pairs_of(read)) == query
    assert query.isascii()
    assert not set(query) & set(" '\"\\$`!")  # it stands between quotes in a shell


def test_moves_are_written_in_runs() -> None:
    moves = (0, 1, 1, 1, 24, 24, 3)
    assert moves_as_text(moves) == "0.1x3.24x2.3"
    assert moves_in("moves", "0.1x3.24x2.3") == moves_in("moves", "0.1x1.1x2.24.24.3") == moves
    assert moves_as_text(()) == "" == "".join(map(str, moves_in("moves", "")))


def test_the_longest_game_fits_into_an_address() -> None:
    moves = tuple(arm for arm in (24, 23) * MOST_MOVES)[:MOST_MOVES]
    long = {"n_arms": 25, "alpha": 0.12345678901234567, "rho": "smoothed_acceptance_rate"}
    query = query_of(pairs_of(Game(options=long, seed=LARGEST_PLAYED_SEED, moves=moves)))
    assert len(query) < LONGEST_QUERY
    assert game_of(pairs_in(query)).moves == moves


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "seed must be in the address, as seed=7, got None"),
        ("moves=0", "seed must be in the address, as seed=7, got None"),
        ("nonsense", "address must be name=value with & between"),
        ("seed=7&seed=8", "seed must be said once in an address, got '8'"),
        ("seed=", "seed must be a whole number, got ''"),
        ("seed=1.5", "seed must be a whole number, got '1.5'"),
        ("seed=%31", None),
        ("seed=１", "seed must be a whole number"),
        ("seed=+1", "seed must be a whole number, got ' 1'"),
        ("seed=1_0", "seed must be a whole number, got '1_0'"),
        ("seed=" + "9" * 30, "seed must be an integer in 0..9223372036854775807, got 999"),
        ("seed=" + "9" * 9999, "seed must be a whole number, got '999"),
        ("seed=7&%ff=1", "address must be name=value with & between"),
        ("seed=7&colour=red", "address must be name=value with names of setting, n_arms, "),
        ("seed=7&best_arm=1", "address must be name=value with names of setting, n_arms, "),
        ("seed=7&gap=nan", "gap must be a number, as 0.5, got 'nan'"),
        ("seed=7&gap=1e999", "gap must be a finite number above 0, got inf"),
        ("seed=7&gap=-1", "gap must be a finite number above 0, got -1.0"),
        ("seed=7&rho=inf", "rho must be a Schedule, a positive and finite number or one of "),
        ("seed=7&setting=mine", "setting must be one of printed, released"),
        ("seed=7&behaviour=__class__", "behaviour must be a Behaviour or one of drifting, "),
        ("seed=7&moves=5", "moves must be arms in 0..4, got 5"),
        ("seed=7&moves=0..1", "moves must be arms with points between, as 2.0x3.1, got ''"),
        ("seed=7&moves=0x0", "moves must be arms with points between, as 2.0x3.1, got '0x0'"),
        ("seed=7&moves=0x999999", "moves must be at most 2000 recommendations in all, got "),
        ("seed=7&answer=9", "answer must be an integer in 0..4, got 9"),
        ("seed=7&moves=" + "0." * LONGEST_QUERY, "address must be at most 20000 letters long"),
    ],
)
def test_what_is_no_address_is_refused_in_one_line(query: str, told: str | None) -> None:
    if told is None:
        assert game_of(pairs_in(query)) == Game(seed=1)
        return
    with pytest.raises(InvalidArgumentError) as error:
        game_of(pairs_in(query))
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


@given(st.text(max_size=60))
def test_whatever_is_given_is_a_game_or_refused(query: str) -> None:
    try:
        game = game_of(pairs_in(query))
    except InvalidArgumentError:
        return
    assert isinstance(game, Game)


def test_an_address_may_be_given_whole_or_from_its_question_mark_on() -> None:
    for whole in (
        "seed=7&moves=0",
        "?seed=7&moves=0",
        " http://127.0.0.1:8421/play?seed=7&moves=0#main\n",
        "https://else.where/x/y?seed=7&moves=0",
    ):
        assert query_in(whole) == "seed=7&moves=0"
