"""Wrong answers to notebook 4, as students write them, are each told what is wrong with them."""

from typing import Any

import numpy as np
import pytest
from wrong_answers import assert_told, assert_told_apart, each_of
from wrong_bairs import (
    AnswersTheFirst,
    AnswersTheMostAccepted,
    AsPrinted,
    AtOnce,
    Cycles,
    DropsTheAccepted,
    Eliminate,
    EndsWhenEmpty,
    Exceeds,
    ForAlpha1,
    Forgives,
    HandsNothingOn,
    InSteps,
    KeepsSweeping,
    LastTied,
    Mine,
    MoreThanM,
    NotAnew,
    Skips,
    StopsBetween,
    Sweep,
    Together,
    UntilNoneIsLeft,
    linear,
    no_two,
    times_rho,
    whole,
    wrong_way_round,
)

from explorative_user_env.agents import BAIR
from explorative_user_env.teach import check_exercise
from explorative_user_env.teach.lesson_4 import (
    USERS_BY_DELTA,
    USERS_BY_N1,
    USERS_WHO_SLIP,
    Encounter,
    paper_run,
    parting,
)

WRONG: list[tuple[str, Any, str]] = [
    ("4.1", linear, "it is right for α = 1 only"),
    ("4.1", wrong_way_round, "the exponent is turned over"),
    ("4.1", times_rho, "ρ_0 multiplies"),
    ("4.1", no_two, "the factor 2 is missing"),
    ("4.1", whole, "it is rounded up"),
    ("4.2", InSteps, "N_1 is compared with time steps"),
    ("4.2", AtOnce, "Phase 1 breaks off in the middle of a pass"),
    ("4.2", Exceeds, "one recommendation too many"),
    ("4.2", Skips, "the arm after a rejected one is left out of the pass"),
    ("4.2", KeepsSweeping, "the second loop goes on sweeping"),
    ("4.2", EndsWhenEmpty, "Phase 1 ends when F is empty"),
    ("4.3", AsPrinted, "taken literally the pseudo-code never ends"),
    ("4.3", LastTied, "it takes the last"),
    ("4.3", UntilNoneIsLeft, "it goes on when one arm is left"),
    ("4.3", Cycles, "it goes round F in turn"),
    ("4.3", AnswersTheMostAccepted, "it answers the most accepted arm"),
    ("4.3", AnswersTheFirst, "it always answers the first arm"),
    ("4.3", DropsTheAccepted, "the sign is wrong"),
    ("4.4", NotAnew, "it remembers the user before"),
    ("4.4", ForAlpha1, "N_1 is always that of α = 1"),
    ("4.4", HandsNothingOn, "Phase 2 begins with all n_i at 0"),
    ("4.4", StopsBetween, "it stops where Phase 1 is over"),
    ("4.5", MoreThanM, "an arm goes one rejection too late"),
    ("4.5", Together, "the rejections of all arms are counted together"),
    ("4.5", Forgives, "an acceptance sets the count of rejections back"),
]


@each_of(WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number: str, answer: Any, words: str) -> None:
    assert_told(number, answer, words)


def test_each_is_told_something_of_its_own() -> None:
    assert_told_apart(WRONG)


@pytest.mark.parametrize(
    ("number", "answer"), [("4.2", Sweep), ("4.3", Eliminate), ("4.4", Mine), ("4.5", Eliminate)]
)
def test_another_way_to_write_it_is_right(number: str, answer: Any) -> None:
    assert check_exercise(number, answer).right


def test_the_papers_agent_is_itself_to_the_bit() -> None:
    assert check_exercise("4.4", BAIR).right
    for user in (*USERS_BY_N1, *USERS_WHO_SLIP):

        def make(user: Encounter = user) -> Any:
            agent = BAIR(n1=user.n1 or "paper", m=user.m)
            agent.reset(user.n_arms, np.random.default_rng(0))
            return agent

        assert parting(make, paper_run(user)) == ""


def test_the_users_make_every_part_of_a_run_happen() -> None:
    for users in (USERS_BY_N1, USERS_BY_DELTA):
        assert {user.n_arms for user in users} == {2, 5, 20}
        assert {user.setting for user in users} == {"printed", "released"}
        assert len({phase for user in users for phase in paper_run(user).phases}) == 3


def test_an_unknown_mistake_is_told_step_phase_what_it_did_and_what_was_right() -> None:
    class Strays(Eliminate):
        def act(self) -> int | None:
            return 0 if self.n.sum() == 35 else super().act()

    assert check_exercise("4.3", Strays).words == (
        "with user 2 (released, K = 2, N_1 = 13) it leaves the paper's agent at step 36, in "
        "Phase 2, elimination: arm 0 was just accepted. It recommends arm 0; arm 1 is right."
    )


def test_a_known_mistake_is_told_where_it_shows() -> None:
    words = check_exercise("4.3", AsPrinted).words
    assert "(with user 3 (printed, K = 5, N_1 = 20) it leaves the paper's agent at step " in words


def test_who_writes_the_first_method_only_is_told_what_the_second_is_for() -> None:
    class Halfway(Sweep):
        def observe(self, arm: int, accepted: bool) -> None:
            pass

    words = check_exercise("4.2", Halfway).words
    assert words.startswith("it never leaves the first arm: `observe` is blank")


@pytest.mark.parametrize("number", ["4.2", "4.3", "4.4", "4.5"])
def test_a_class_that_stops_at_once_is_taken_for_a_blank(number: str) -> None:
    class Silent:
        def __init__(self, *numbers: Any, **options: Any) -> None:
            pass

        def reset(self, n_arms: int, rng: Any, horizon: int | None = None) -> None:
            pass

        def act(self) -> None:
            pass

    words = check_exercise(number, Silent).words
    assert words.startswith("it returns nothing yet; it asks for a class that is made with ")


def test_one_that_stops_at_once_with_some_users_is_told_with_whom() -> None:
    class GivesUp(Eliminate):
        def act(self) -> int | None:
            return None if len(self.n) == 5 else super().act()

    words = check_exercise("4.3", GivesUp).words
    assert words == "with user 3 (printed, K = 5, N_1 = 20) it stops before it recommends anything."


def test_code_that_fails_is_told_where() -> None:
    class Fails(Sweep):
        def observe(self, arm: int, accepted: bool) -> None:
            raise KeyError(self.F.index(arm) + 3)

    words = check_exercise("4.2", Fails).words
    assert "at step 1, in Phase 1, first sweep: that is the first recommendation. It fails" in words
    assert "KeyError: 3; arm 0 is right" in words


@pytest.mark.parametrize("answer", [5, Mine(), "MyBAIR"])
def test_what_is_no_class_is_refused_in_words(answer: Any) -> None:
    remark = check_exercise("4.4", answer)
    assert not remark.right
    assert "it has to be a class that is made with delta" in remark.words


@pytest.mark.parametrize("number", ["4.3", "4.5"])
def test_an_answer_that_is_none_is_told_as_what_it_is(number: str) -> None:
    class SaysNothing(Eliminate):
        def answer(self) -> Any:
            print(self.gone.argmin())

    words = check_exercise(number, SaysNothing).words
    assert "It answers None; arm" in words


def test_arms_of_numpy_are_told_as_arms() -> None:
    class OfNumpy(Mine):
        def act(self) -> Any:
            return np.int64(1)

    assert "It recommends arm 1; arm 0 is right" in check_exercise("4.4", OfNumpy).words
