"""Before the answer nothing that the server sends says anything of the truth."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_client import PageClient

from explorative_user_env.play.game import (
    Game,
    heard_in,
    instance_at_end,
    moves_as_text,
    pairs_of,
    query_of,
    truths_of,
)

SEEDS = range(100_000, 100_400)
"""Of one length, so that one stands where another stood."""


def alike(options: dict[str, object], moves: tuple[int, ...]) -> tuple[Game, Game]:
    """Return two games with users who answer alike, though they like other arms."""
    known: dict[tuple[bool, ...], Game] = {}
    for seed in SEEDS:
        game = Game(options=options, seed=seed, moves=moves)
        other = known.setdefault(heard_in(game).responses, game)
        if instance_at_end(other).best_arm != instance_at_end(game).best_arm:
            return other, game
    raise AssertionError("there are none")


def answers(client: PageClient, game: Game) -> Iterator[str]:
    """Yield all that a player is sent on the way to where a game is, and there."""
    for done in range(len(game.moves) + 1):
        so_far = Game(options=game.options, seed=game.seed, moves=game.moves[:done])
        query = query_of(pairs_of(so_far))
        more = moves_as_text(game.moves[done : done + 1])
        places = [f"/play?{query}"]
        if more:
            places += [f"/recommend?{query}&more={more}"]
        for place in places:
            answer = client.get(place, follows=False)
            assert answer.status_code in (200, 303)
            yield f"{answer.headers.raw}\n{answer.text}"


@pytest.mark.slow
@given(
    st.sampled_from([{"n_arms": 2}, {"n_arms": 3, "gap": 2.0}, {"behaviour": "logistic"}]),
    st.lists(st.integers(0, 1), max_size=8).map(tuple),
)
def test_users_who_answer_alike_are_not_told_apart(
    client: PageClient, options: dict[str, object], moves: tuple[int, ...]
) -> None:
    one, other = alike(options, moves)
    told = [answer.replace(str(one.seed), "SEED") for answer in answers(client, one)]
    again = [answer.replace(str(other.seed), "SEED") for answer in answers(client, other)]
    assert told == again


NUMBER = re.compile(r"\d*\.\d\d+")


def numbers(client: PageClient, place: str) -> set[str]:
    """Return the numbers with two decimals or more that a page has, but those of its styles."""
    text = re.sub(r"<style>.*?</style>", "", client.get(place).text, flags=re.DOTALL)
    return set(NUMBER.findall(text))


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 10**6))
def test_no_number_of_the_truth_is_on_the_page(
    client: PageClient, moves: list[int], seed: int
) -> None:
    game = Game(options={"n_arms": 4, "gap": 2.0}, seed=seed, moves=tuple(moves))
    assert numbers(client, f"/play?{query_of(pairs_of(game))}") <= set(
        NUMBER.findall(moves_as_text(moves))
    )
    (*_, truth) = truths_of(game)
    shown = numbers(client, f"/mind?{query_of(pairs_of(game))}")  # where it was asked for
    assert f"{truth.rho:.2f}" in shown


def test_the_script_and_the_sheets_are_the_same_for_all_games(client: PageClient) -> None:
    page = client.get("/play?seed=7").text
    fetched = set(re.findall(r'(?:src|href)="(/[^"?]+)"', page))
    assert fetched == {"/colours.css", "/static/page.css", "/static/page.js", "/static/icon.svg"}
    for place in fetched:
        assert client.get(f"{place}?seed=7").text == client.get(place).text
