"""Whether all randomness of an agent is in the stream that it is handed."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from explorative_user_env.protocol import name_of
from explorative_user_env.seeding import agent_generator
from explorative_user_env.testing.checks import FailedCheckError, Subject
from explorative_user_env.testing.meetings import (
    Meeting,
    Situation,
    expect_alike,
    run_of,
    situations,
)
from explorative_user_env.testing.secrets import reached
from explorative_user_env.testing.surroundings import other_surroundings, shared_streams

DEPTH_OF_STREAMS = 4
"""Steps from an agent to a stream that it keeps."""


def repeats_with_the_same_stream(subject: Subject) -> None:
    """The same stream and the same user give the same run, whatever the clock and others say."""
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        for seed in (1, 2):
            with other_surroundings(seed):
                found = run_of(subject.make(), situation)
            when = "with the same stream, in other surroundings (global streams, clock)"
            expect_alike(found, wanted, situation, when)


def leaves_global_streams_alone(subject: Subject) -> None:
    """It neither draws from random, numpy.random and torch as all share them, nor seeds them."""
    for situation in situations(subject):
        agent = subject.make()
        before = shared_streams()
        run_of(agent, situation)
        for module, stream in shared_streams().items():
            if stream != before.get(module, stream):
                told = f"it drew from {module} or seeded it, must draw from its own rng"
                raise FailedCheckError(f"{told} ({situation})")


def draws_from_no_other_stream(subject: Subject) -> None:
    """It draws from no stream of its own that begins alike whatever stream it is handed."""
    for situation in situations(subject, n_users=1):
        places = [_streams_drawn_from(subject, situation, seed) for seed in (0, 1)]
        alike = [path for path, start in places[0].items() if places[1].get(path) == start]
        if alike:
            told = f"it draws from a stream of its own at agent{alike[0]}, which begins alike"
            raise FailedCheckError(
                f"{told} with any rng, must follow from the rng that it is handed ({situation})"
            )


def leaves_its_stream_what_it_is(subject: Subject) -> None:
    """It draws from the stream it is handed, and does not set it to another one."""
    for situation in situations(subject):
        agent = subject.make()
        rng = agent_generator(situation.seed, name_of(agent))
        state: Any = rng.bit_generator.state
        run_of(agent, situation, rng)
        after: Any = rng.bit_generator.state
        if after["state"]["inc"] != state["state"]["inc"]:
            raise FailedCheckError(f"it set its rng to another stream ({situation})")


def _streams_drawn_from(subject: Subject, situation: Situation, seed: int) -> dict[str, str]:
    """Return where the streams begin that an agent draws from, but the one it is handed."""
    rng = np.random.default_rng([seed, situation.seed])
    agent = subject.make()
    meeting = Meeting(agent, situation, rng)
    own = {id(rng), id(rng.bit_generator)}
    streams = {path: each for path, each in _streams_in(agent) if id(each) not in own}
    begun = {path: _place_of(each) for path, each in streams.items()}
    meeting.end()
    return {path: begun[path] for path, each in streams.items() if _place_of(each) != begun[path]}


def _streams_in(agent: Any) -> Iterator[tuple[str, Any]]:
    kinds = (np.random.BitGenerator, np.random.RandomState, random.Random)
    for path, thing in reached(agent, DEPTH_OF_STREAMS):
        if isinstance(thing, kinds):
            yield path, thing


def _place_of(stream: Any) -> str:
    if isinstance(stream, np.random.BitGenerator):
        return repr(stream.state)
    return repr(stream.getstate() if isinstance(stream, random.Random) else stream.get_state())
