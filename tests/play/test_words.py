"""What is said of users and games is said of every one of them."""

import re
from dataclasses import replace

import pytest

from explorative_user_env.play import game as words
from explorative_user_env.play.game import (
    Game,
    Rival,
    heard_in,
    instance_at_end,
    moral_of,
    pairs_of,
    rivals_of,
)
from explorative_user_env.play.page import play_page, start_page
from explorative_user_env.protocol import CENSORED, LEFT
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.validation import InvalidArgumentError


def test_every_kind_of_user_that_the_package_has_can_be_chosen() -> None:
    with pytest.raises(InvalidArgumentError) as error:
        as_behaviour("")
    named = str(error.value).partition("one of ")[2].partition(", or one with")[0].split(", ")
    choices = re.findall(r'<option value="(\w+)">(\w+): ', start_page())
    assert sorted(choices) == sorted((name, name) for name in named)
    assert choices[0][0] == words.usual_options()["behaviour"]  # the first is chosen


def test_a_tally_counts() -> None:
    game = Game(options={"gap": 2.0}, seed=7)
    assert words.tally(heard_in(game)) == "0 interactions: 0 yes, 0 no"
    assert words.tally(heard_in(game.recommending((0,)))) == "1 interaction: 1 yes, 0 no"
    assert "<title>A new user</title>" in play_page(game, "")


def test_a_user_is_told_by_all_that_is_no_secret() -> None:
    options = {"n_arms": 3, "noise": 0.1, "behaviour": "drifting"}
    told = words.settings_in_words(Game(options=options, seed=9))
    assert told == "3 arms, gap 0.5, alpha 1, noise 0.1, behaviour drifting, seed 9"


def test_a_number_is_told_as_it_stands_in_the_address() -> None:
    game = Game(options={"gap": 0.12345678}, seed=9)
    assert "gap 0.12345678" in words.settings_in_words(game)
    assert pairs_of(game)["gap"] == "0.12345678"


def test_who_was_cut_off_is_told_as_not_done() -> None:
    game = Game(seed=7, moves=(0,), answer=0)
    rows = words.rows_of_rivals(game, heard_in(game), 1, [Rival("BAIR", 30, 2, 1, True, CENSORED)])
    assert rows == [
        ("you", "1", "0", "arm 0", "no"),
        ("BAIR", "30 (not done)", "2", "arm 1", "yes"),
    ]


def test_a_game_in_which_she_leaves_ends_there_and_says_so() -> None:
    game = Game(options={"n_arms": 2, "gap": 4.0, "behaviour": "impatient(probability=1)"}, seed=7)
    best = instance_at_end(game).best_arm
    game = game.recommending((best, 1 - best) * 100)
    heard = heard_in(game)
    assert heard.left
    assert heard.responses.index(False) == len(game.moves) - 1 < 199
    assert words.tally(heard).endswith("1 no; then she left")
    with pytest.raises(InvalidArgumentError, match="none after she has left"):
        game.recommending((best,))
    address = replace(game, moves=(*game.moves, best))
    with pytest.raises(InvalidArgumentError, match="as she leaves then"):
        heard_in(address)
    named = replace(game, answer=best)
    assert (
        words.verdict(named, heard, best)
        == f"She left before an answer: her best arm is arm {best}"
    )
    you, other = words.rows_of_rivals(named, heard, best, [Rival("BAIR", 3, 1, best, False, LEFT)])
    assert (you[1:], other[1]) == (
        (f"{len(game.moves)} (she left)", "1", f"arm {best}", "no"),
        "3 (she left)",
    )
    assert moral_of(named, heard, best, rivals_of(named)[0]).startswith("She left")
    assert " disabled" in play_page(game, "")
    assert "She left before an answer" in play_page(named, "")
