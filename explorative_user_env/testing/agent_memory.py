"""Whether an agent keeps to itself: apart from other users, other agents, and what it was given."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from explorative_user_env.protocol import ManyUserAgent
from explorative_user_env.testing.agent_company import Call, meet_many
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import Meeting, expect_alike, run_of, situations
from explorative_user_env.testing.surroundings import travelled

MID_RUN = 9
"""Steps after which a run is interrupted."""


def forgets_users_it_has_met(subject: Subject) -> None:
    """One that has met other users does with the next what a new one does."""
    agent = subject.make()
    for situation in (*situations(subject), *situations(subject, n_users=2)):
        wanted = run_of(subject.make(), situation)
        expect_alike(run_of(agent, situation), wanted, situation, "after it had met other users")


def goes_on_with_the_next_user(subject: Subject) -> None:
    """Where it has a next_user, it goes on with arms and answers, and a reset still forgets all."""
    agent = subject.make()
    if not callable(getattr(agent, "next_user", None)):
        raise NotAskedError("it has no next_user, and is reset for every user")
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        found = run_of(agent, situation)
        expect_alike(found, wanted, situation, "after it had gone on from user to user")
        for other in situations(subject):
            Meeting(agent, other, follows=True).end()


def shares_nothing_with_its_like(subject: Subject) -> None:
    """Two of them that take turns with two users do what each does alone."""
    met = list(situations(subject, n_users=2))
    wanted = [run_of(subject.make(), situation) for situation in met]
    meetings = [Meeting(subject.make(), situation) for situation in met]
    for _ in range(max(situation.cap for situation in met)):
        for meeting in meetings:
            meeting.go_on(1)
    for meeting, run, situation in zip(meetings, wanted, met, strict=True):
        when = "while another one met another user"
        expect_alike(meeting.end(), run, situation, when)


def goes_on_alike_as_a_copy(subject: Subject) -> None:
    """A deep copy in the middle of a run goes on as the agent itself, and apart from it."""
    _goes_on_alike(subject, copy.deepcopy, "as a deep copy")


def goes_on_alike_when_pickled(subject: Subject) -> None:
    """Pickled in the middle of a run and unpickled, it goes on as the agent itself."""
    _goes_on_alike(subject, travelled, "when it was pickled")


def _goes_on_alike(subject: Subject, again: Callable[[Meeting], Any], how: str) -> None:
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        meeting = Meeting(subject.make(), situation)
        meeting.go_on(MID_RUN)
        when = f"{how} after step {len(meeting.arms)}"
        expect_alike(again(meeting).end(), wanted, situation, when)
        expect_alike(meeting.end(), wanted, situation, f"though another went on {when}")


def leaves_what_it_is_given(subject: Subject) -> None:
    """It writes neither on its options nor on arrays and lists of users that it is handed."""
    agent: Any = subject.make()
    told = {name: copy.deepcopy(values) for name, values in _given_to(agent).items()}
    for situation in situations(subject):
        run_of(agent, situation)
    for name, values in _given_to(agent).items():
        if repr(values) != repr(told[name]):
            raise FailedCheckError(f"its {name} were {told[name]!r} and are {values!r} after a run")
    if isinstance(agent, ManyUserAgent):
        meet_many(subject, _unchanged)


def _given_to(agent: Any) -> Mapping[str, Any]:
    """Return what an agent was made of, as far as it tells."""
    record = getattr(agent, "algorithm", None)
    told = {"options": getattr(agent, "options", None)}
    told["defaults"] = dict(getattr(record, "defaults", {}))
    return told


def _unchanged(call: Call) -> Any:
    """Return what a method returns, which may not have written on what it was handed."""
    before = [copy.copy(each) for each in call.given]
    returned = copy.copy(call.made())
    for each, was in zip(call.given, before, strict=True):
        if isinstance(each, np.ndarray):
            same = np.array_equal(each, was)
        elif isinstance(each, list):
            same = list(map(id, each)) == list(map(id, was))
        else:
            continue
        if not same:
            told = f"{call.method} wrote on what it was handed at step {call.step}"
            raise FailedCheckError(f"{told}: {was!r} became {each!r}")
    return returned
