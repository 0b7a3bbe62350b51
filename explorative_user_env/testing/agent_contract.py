"""Whether an agent is one: its methods, what it says of itself, and what it returns to anybody."""

import inspect
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from explorative_user_env.evaluation.paths import PATHS
from explorative_user_env.meeting import informed
from explorative_user_env.population import Population
from explorative_user_env.protocol import (
    Agent,
    cap_of,
    name_of,
    needs_horizon,
    trained_on,
)
from explorative_user_env.tasks import BAI, TASKS
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import (
    ACCEPTING,
    REJECTING,
    Meeting,
    run_of,
    situations,
    usual_arms,
)

CALLS: Mapping[str, tuple[Any, ...]] = {
    "reset": (5, None, None),
    "act": (),
    "observe": (0, True),
    "answer": (),
}
"""With what each method of an agent is called; these are as many arguments as it has to take."""

CALLS_OF_MANY: Mapping[str, tuple[Any, ...]] = {
    "reset_all": (5, [], None),
    "act_all": (None,),
    "observe_all": (None, None, None),
    "answer_all": (None,),
}
"""The same of an agent that meets many users at once."""

MANY_ARMS = 200
"""A large K."""

CAPS = (1, 2, 7)
"""Steps after which agents are cut off."""


def has_the_methods(subject: Subject) -> None:
    """It has reset, act, observe and answer, which take what an evaluation calls them with."""
    agent = subject.make()
    calls = dict(CALLS)
    if any(hasattr(agent, method) for method in CALLS_OF_MANY):
        calls |= CALLS_OF_MANY  # some of the four for many users are as good as none
    for method, given in calls.items():
        found = getattr(agent, method, None)
        if not callable(found):
            raise FailedCheckError(f"there is no method {method}, must be {', '.join(calls)}")
        try:
            inspect.signature(found).bind(*given)
        except TypeError as error:
            told = f"{method}{inspect.signature(found)} does not take {len(given)} arguments"
            raise FailedCheckError(f"{told}: {error}") from error
        except ValueError:  # of what is written in C nobody knows
            continue


def says_what_it_is(subject: Subject) -> None:
    """Its name, max_steps, needs_horizon, sees_rewards and trained_on are what they may be."""
    agent, other = subject.make(), subject.make()
    if name_of(agent) != name_of(other):
        told = f"its name is {name_of(agent)!r} and then {name_of(other)!r}"
        raise FailedCheckError(f"{told}, must be the same: the agent's stream follows from it")
    name, cap = getattr(agent, "name", "mine"), cap_of(agent)
    if not isinstance(name, str) or not name:
        raise FailedCheckError(f"name is {name!r}, must be a word")
    whole = isinstance(cap, Integral) and not isinstance(cap, bool)
    if cap is not None and not (whole and cap >= 1):
        raise FailedCheckError(f"max_steps is {cap!r}, must be an integer of at least 1 or None")
    for flag in ("needs_horizon", "sees_rewards"):
        if not isinstance(value := getattr(agent, flag, False), bool):
            raise FailedCheckError(f"{flag} is {value!r}, must be True or False")
    if getattr(agent, "sees_rewards", False) and not callable(getattr(agent, "learn", None)):
        raise FailedCheckError("sees_rewards is True and there is no method learn(arm, reward)")
    users = trained_on(agent)
    if not isinstance(users, Mapping) or users.get("task", BAI.name) not in TASKS:
        raise FailedCheckError(f"trained_on is {users!r}, must be a mapping with a known task")


def recommends_arms(subject: Subject) -> None:
    """What act returns is an integer in 0..K-1, or None to stop, at every step."""
    for situation in situations(subject, n_users=8):
        Meeting(subject.make(), situation).go_on()


def answers_when_cut_off(subject: Subject) -> None:
    """What answer returns is an integer in 0..K-1, whenever a step cap ends the run."""
    for cap in CAPS:
        for situation in situations(subject, cap=cap):
            run_of(subject.make(), situation)


def meets_who_rejects_everything(subject: Subject) -> None:
    """It stops or goes on to the cap, without an error, with a user who rejects all."""
    for situation in situations(subject, user=REJECTING):
        run_of(subject.make(), situation)


def meets_who_accepts_everything(subject: Subject) -> None:
    """It stops or goes on to the cap, without an error, with a user who accepts all."""
    for situation in situations(subject, user=ACCEPTING):
        run_of(subject.make(), situation)


def meets_two_arms(subject: Subject) -> None:
    """It runs with K = 2, unless its trained_on says another "n_arms"."""
    _meet(subject, 2)


def meets_many_arms(subject: Subject) -> None:
    """It runs with a large K, unless its trained_on says another "n_arms"."""
    _meet(subject, MANY_ARMS)


def _meet(subject: Subject, n_arms: int) -> None:
    trained = trained_on(subject.make()).get("n_arms", n_arms)
    if trained != n_arms:
        raise NotAskedError(f"trained for {trained} arms")
    try:
        for situation in situations(subject, n_arms=n_arms):
            run_of(subject.make(), situation)
    except FailedCheckError as error:
        hint = 'an agent for one K alone says so, as trained_on = {"n_arms": 5}'
        raise FailedCheckError(f"{error}; {hint}") from error


def begins_with_a_horizon_or_none(subject: Subject) -> None:
    """It takes a horizon, and does without where it does not say that it needs one."""
    for horizon in (7, 60):
        for situation in situations(subject, horizon=horizon):
            run_of(subject.make(), situation)
    if needs_horizon(subject.make()):
        return
    for situation in situations(subject, horizon=None):
        run_of(subject.make(), situation)


def runs_in_both_tasks(subject: Subject) -> None:
    """It runs in an evaluation of best-arm identification and of regret."""
    users = Population(n_arms=usual_arms(subject))
    seeds = [subject.seed, subject.seed + 1]
    for paths in PATHS.values():
        rows = paths.readable(users, meeting_agent(subject, users), seeds, 40, 40)
        if len(rows) != len(seeds):
            raise FailedCheckError(f"{len(rows)} runs, must be {len(seeds)}")


def meeting_agent(subject: Subject, users: Population) -> Agent:
    """Return an agent that knows what it may of the users, as in an evaluation."""
    return informed(subject.make(), users)
