"""Every check bites, who is right passes all, and what comes of checks is told."""

from functools import partial
from types import SimpleNamespace

import gymnasium as gym
import pytest
import specimens
from specimens import SPECIMENS, Drawing, Honest, KeepsUsers, ThinksOfThree, wide
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, check
from explorative_user_env.agents import ALGORITHMS, BAIR
from explorative_user_env.check import (
    CHECKS,
    FailedCheckError,
    Kind,
    NamedCheck,
    SkippedCheckError,
    Subject,
    check_agent,
    check_vector_environment,
    checks_of,
    parametrize_with_checks,
    subject_of,
    subjects_of,
)
from explorative_user_env.check import checks as room
from explorative_user_env.check.checks import run_checks
from explorative_user_env.users.behaviours import EXPLORATIVE, omniscient
from explorative_user_env.users.model import ACCEPTANCE_RATE

# Specimens


def check_named(kind, name):
    return next(check for check in checks_of(kind) if check.name == name)


def test_every_check_has_a_specimen():
    named = {(kind, check.name) for kind, checks in CHECKS.items() for check in checks}
    wrong = {(kind, name) for kind, names in SPECIMENS.items() for name in names}
    assert wrong <= named
    assert {name for _, name in wrong} == {name for _, name in named}


# To compile takes long: in the usual run one agent shows that the compiler is asked.
LONG = (
    "compiled_users_equal_python",
    "compiled_schedule_equals_python",
    "compiled_law_equals_python",
)
WRONG = [
    pytest.param(kind, name, each, marks=pytest.mark.exhaustive if name in LONG else ())
    for kind, named in SPECIMENS.items()
    for name, wrong in named.items()
    for each in (wrong if type(wrong) is tuple else (wrong,))
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name", "wrong"), WRONG)
def test_a_wrong_one_is_caught_under_the_name_of_the_check(kind, name, wrong):
    with pytest.raises(FailedCheckError, match=r".{20}"):
        check_named(kind, name)(subject_of(wrong, kind))


@pytest.mark.slow
@pytest.mark.parametrize("honest", [Honest, Wanderer, Drawing])
def test_an_honest_one_passes_all(honest):
    assert {each.verdict for each in check_agent(honest).outcomes} == {"passed", "skipped"}


def test_an_agent_for_one_number_of_arms_is_told_how_to_say_so(monkeypatch):
    check = check_named(Kind.AGENT, "runs_with_two_arms")
    with pytest.raises(FailedCheckError, match=r"such as trained_on = \{\"n_arms\": 5\}$"):
        check(subject_of(ThinksOfThree))
    monkeypatch.setattr(ThinksOfThree, "trained_on", {"n_arms": 5}, raising=False)
    with pytest.raises(SkippedCheckError, match="trained for 5 arms"):
        check(subject_of(ThinksOfThree))


def test_who_ends_with_ties_is_asked_and_who_does_not_is_not():
    check = check_named(Kind.AGENT, "breaks_ties_by_chance")
    check(subject_of("UNI"))
    with pytest.raises(SkippedCheckError, match="never stopped by itself"):
        check(subject_of("BAIR"))


def test_a_stream_that_is_made_of_its_own_is_one_of_those_it_was_handed():
    class Spawns(Drawing):
        def begin(self, horizon):
            (self.rng,) = self.rng.spawn(1)

    for name in ("draws_from_no_other_stream", "repeats_with_the_same_stream"):
        check_named(Kind.AGENT, name)(subject_of(Spawns))


# Subjects


def test_the_kind_is_told_from_the_thing():
    for thing, kinds in [
        (Honest, [Kind.AGENT]),
        (specimens.WithoutAnswer, [Kind.AGENT]),
        (lambda: BAIR(delta=0.2), [Kind.AGENT]),
        ("thompson", [Kind.AGENT]),
        (ALGORITHMS["UNI"], [Kind.ALGORITHM, Kind.AGENT]),
        ("CartPole-v1", [Kind.ENVIRONMENT, Kind.VECTOR]),
        (eu.ExplorativeUserEnv, [Kind.ENVIRONMENT]),
        (lambda: gym.make(eu.BAI_ENV_ID), [Kind.ENVIRONMENT]),
        (partial(eu.ExplorativeUserVectorEnv, n_arms=3), [Kind.VECTOR]),
        (omniscient, [Kind.BEHAVIOUR]),
        (ACCEPTANCE_RATE, [Kind.SCHEDULE]),
        (eu.RewardLaw("wide", wide), [Kind.REWARD_LAW]),
    ]:
        found = subjects_of(thing, seed=3)
        assert [subject.kind for subject in found] == kinds
        for subject in found:
            assert subject.seed == 3
            assert subject.name
            subject.make()
    envs = subject_of(eu.COUNTS_ENV_ID, "vector environment").make()
    assert (envs.num_envs, envs.unwrapped.max_episode_steps) == (3, 7)
    assert subject_of(eu.ExplorativeUserVectorEnv(2)).make().num_envs == 2
    assert subject_of(wide, "reward law").name == "wide"


def test_an_instance_is_made_anew_as_it_was_handed_in():
    mine = Honest()
    subject = subject_of(mine)
    first = subject.make()
    first.steps = 7
    assert first is not mine
    assert not hasattr(subject.make(), "steps")


class Uncopied(Honest):
    def __deepcopy__(self, memo):
        raise TypeError("no copies")


def test_what_is_no_subject_and_names_that_there_are_none_of_are_refused():
    for thing, message in [
        (3, r"^subject must be an agent, an environment, .*, got 3$"),
        (dict, r"^subject must be an agent, .*, got \{\}$"),
        (lambda needed: Honest(), "when called without arguments, but it raised TypeError: "),
        (Uncopied(), "must be a class or function that makes it, as a copy of it"),
        ("nobody", "^agent must be one of bair, "),
    ]:
        with pytest.raises(InvalidArgumentError, match=message):
            subjects_of(thing)
    with pytest.raises(InvalidArgumentError, match=r"^subject must be a schedule, got "):
        subject_of(Honest, "schedule")
    with pytest.raises(InvalidArgumentError, match=r"^kind must be one of agent, algorithm, "):
        checks_of("planet")
    with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of"):
        check_agent(Honest, expected_failed_checks={"lanes_are_single_environments": "no use"})
    with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of "):
        cases_of([Honest, eu.ENV_ID], {"is_nice": "it is not"})


# Reports


def is_fine(subject):
    pass


def is_wrong(subject):
    raise FailedCheckError("it is wrong at step 3")


def breaks(subject):
    raise ZeroDivisionError("by zero")


def asks_nothing(subject):
    raise SkippedCheckError("it has nothing")


ALL = [NamedCheck(each) for each in (is_fine, is_wrong, breaks, asks_nothing)]
SUBJECT = Subject(Kind.AGENT, "somebody", Honest)


def test_a_report_has_a_verdict_and_a_reason_for_each_check():
    told = []
    report = run_checks(SUBJECT, ALL, {}, lambda *progress: told.append(progress))
    assert [(outcome.verdict, outcome.why) for outcome in report.outcomes] == [
        ("passed", ""),
        ("failed", "it is wrong at step 3"),
        ("failed", "raised ZeroDivisionError: by zero"),
        ("skipped", "it has nothing"),
    ]
    assert report.failed == ["is_wrong", "breaks"]
    assert not report.passed
    assert "4 checks: 1 passed, 2 failed, 1 skipped" in str(report)
    assert told == [("somebody", place, 4) for place in range(4)]


def test_what_is_expected_to_fail_is_no_failure_unless_it_passes():
    known = dict.fromkeys(("is_wrong", "breaks", "asks_nothing"), "it is known")
    report = run_checks(SUBJECT, ALL, known)
    assert report.outcomes[3].verdict == "skipped"
    assert report.passed
    assert "it is known" in str(report)
    surprised = run_checks(SUBJECT, ALL[:1], {"is_fine": "a belief"})
    assert surprised.failed == ["is_fine"]
    assert surprised.outcomes[0].why == "it passed, though expected to fail: a belief"


@pytest.mark.slow
def test_a_failure_is_an_error_with_the_report_unless_it_is_only_asked_for():
    with pytest.raises(FailedCheckError, match=r"act returned 5, must be an integer"):
        check_agent(specimens.OutOfRange)
    alone = partial(eu.ExplorativeUserEnv, gap=0.3)
    report = check_vector_environment(eu.ExplorativeUserVectorEnv, alone=alone, raises=False)
    assert report.failed == ["lanes_are_single_environments"]


def test_there_is_a_function_for_every_kind(monkeypatch):
    def asked(subject, checks, *_):
        return SimpleNamespace(kind=subject.kind, checks=list(checks), passed=True)

    monkeypatch.setattr(room, "run_checks", asked)
    for function, thing, kind in [
        (check.check_agent, Honest, Kind.AGENT),
        (check.check_environment, eu.ENV_ID, Kind.ENVIRONMENT),
        (check.check_vector_environment, eu.ENV_ID, Kind.VECTOR),
        (check.check_algorithm, ALGORITHMS["UNI"], Kind.ALGORITHM),
        (check.check_users, EXPLORATIVE, Kind.BEHAVIOUR),
        (check.check_schedule, ACCEPTANCE_RATE, Kind.SCHEDULE),
        (check.check_reward_law, "gaussian", Kind.REWARD_LAW),
    ]:
        report = function(thing)
        assert (report.kind, report.checks) == (kind, list(checks_of(kind)))


def cases_of(subjects, known=None):
    return list(parametrize_with_checks(subjects, expected_failed_checks=known).args[1])


def test_every_check_of_every_subject_is_a_case_and_an_expected_failure_a_strict_xfail():
    cases = cases_of([Honest, eu.ENV_ID])
    kinds = ("agent", "environment", "vector environment")
    names = [check.name for kind in kinds for check in checks_of(kind)]
    assert [case.values[1].name for case in cases] == names
    assert cases[0].id == "Honest-has_the_methods"
    assert all(not case.marks for case in cases)

    def reasons(thing):
        return {"forgets_other_users": "it learns"} if thing is KeepsUsers else {}

    (marked,) = [case for case in cases_of([Honest, KeepsUsers], reasons) if case.marks]
    assert marked.id == "KeepsUsers-forgets_other_users"
    (mark,) = marked.marks
    assert mark.name == "xfail"
    assert mark.kwargs == {"strict": True, "reason": "it learns", "raises": FailedCheckError}
