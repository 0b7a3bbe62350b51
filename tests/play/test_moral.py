"""The moral is that of the game that was played."""

from typing import Any

import pytest

from explorative_user_env.play.game import Game, Heard, Rival, moral_of
from explorative_user_env.protocol import ANSWERED, CENSORED
from explorative_user_env.show.words import Seen


def rival(name: str, interactions: int, right: bool = True) -> Rival:
    return Rival(name, interactions, 1, 0, right, ANSWERED)


BEST = 1
CUT = Rival("BAIR", 99, 1, 0, right=False, end=CENSORED)  # who has not answered is not wrong
QUICK, SLOW = rival("BAIR", 1), rival("BAIR", 99)


@pytest.mark.parametrize(
    ("moves", "responses", "answer", "rivals", "told"),
    [
        ((), (), BEST, [SLOW], "luck, one time in K"),
        ((0, 1), (True, True), BEST, [SLOW], "Right in fewer interactions than BAIR: "),
        (
            (0, 1),
            (True, True),
            BEST,
            [SLOW, rival("T&S", 5), rival("PPO", 9)],
            "than BAIR, T&S and PPO: ",
        ),
        ((0, 1), (True, True), BEST, [QUICK], "no sooner than the agents"),
        ((0, 1), (True, True), BEST, [rival("BAIR", 9, right=False)], "BAIR went wrong"),
        ((0, 1), (True, True), BEST, [CUT], "Right in fewer interactions than BAIR: "),
        ((0,), (True,), 0, [SLOW], "not asked about her best arm even once"),
        ((1,), (True,), 0, [SLOW], "not asked about the arm that you named even once"),
        ((1,), (False,), 0, [SLOW], "not asked about the arm that you named even once"),
        (
            (1, 0),
            (False, True),
            0,
            [SLOW],
            "mistaken: a rejection is evidence, and no proof",
        ),
        ((1, 0), (True, True), 0, [SLOW], "not what she likes best that she accepts"),
        ((1, 0), (True, False), 0, [SLOW], "hardly ever her best"),
    ],
)
def test_each_end_has_its_own(
    moves: tuple[int, ...],
    responses: tuple[bool, ...],
    answer: int,
    rivals: list[Rival],
    told: str,
) -> None:
    game = Game(options={"n_arms": 2}, seed=1, moves=moves, answer=answer)
    said = [*zip(moves, responses, strict=True)]
    yes, no = ([said.count((arm, each)) for arm in range(2)] for each in (True, False))
    latest = [dict(said).get(arm) for arm in range(2)]
    seen = Seen(yes, no, latest, said[-1] if said else None, len(said))
    moral = moral_of(game, Heard(responses, seen), BEST, rivals)
    assert told in moral
    assert moral.endswith(".")
    assert "\n" not in moral
    assert len(moral) < 200  # one sentence, or it is not read


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "she is still learning what she likes and can be mistaken"),
        ({"noise": 0.1}, "she flips a coin now and then, or is mistaken"),
        ({"behaviour": "drifting"}, "her taste changes"),
    ],
)
def test_why_she_rejects_her_best_arm_depends_on_who_she_is(
    options: dict[str, Any], told: str
) -> None:
    game = Game(options={"n_arms": 2, **options}, seed=1, moves=(1, 0), answer=0)
    seen = Seen([1, 0], [0, 1], [True, False], (0, True), 2)
    moral = moral_of(game, Heard((False, True), seen), BEST, [SLOW])
    assert told in moral
