"""One user and one agent by the plain loops or the compiled ones, and all that is left of it."""

import dataclasses
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

from explorative_user_env.agents import AGENTS, REFERENCES, informed
from explorative_user_env.kernels.loops import Inputs, compiled_loop, make_loop
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import (
    UserState,
    as_arrays,
    blank_state,
    no_law,
    number_tables,
    user_arrays,
    user_tuple,
)

CAP, HORIZON = 400, 350  # steps of a run or of a play, and what agents that need a horizon are told
LONGER = ("logarithms", "inverse_roots")  # in compiled code
OWN = [field.name for field in dataclasses.fields(UserState) if field.name not in LONGER]


Left = namedtuple("Left", "figures user state streams")


def agent_as_in_an_evaluation(name, users):
    """The agent of this name, informed; BAIR(m) of a noisy user has an m above 1."""
    return informed((AGENTS | REFERENCES)[name](), users, delta=0.3)


def as_lists(state):
    """An agent's state, which may hold records itself, as plain numbers."""
    return [
        as_lists(values) if hasattr(values, "_asdict") else np.asarray(values).tolist()
        for values in state
    ]


def _left(figures, parts):
    _, user_state, user_rng, _, state, own_rng = parts
    user = {name: np.asarray(getattr(user_state, name)).tolist() for name in OWN}
    streams = [user_rng.bit_generator.state, own_rng.bit_generator.state]
    return Left(figures, user, as_lists(state), streams)


def _parts(users, agent, seed, compiled, length=None):
    user, params = users.user, agent.params(users.n_arms, HORIZON)
    blank = agent.algorithm.blank(params)
    rng, own = user_generator(seed), agent_generator(seed, agent.name)
    state = user_arrays(user) if compiled else blank_state(user)
    if length is not None:
        logarithms, inverse_roots = map(np.array, number_tables(length))
        tables = {"logarithms": logarithms, "inverse_roots": inverse_roots}
        state = state._replace(**tables) if compiled else dataclasses.replace(state, **tables)
    state.means[:] = users.instance_law.draw(rng).means
    if compiled:
        return user_tuple(user), state, rng, params, as_arrays(blank), own
    return user, state, rng, params, blank, own


PLAIN = SimpleNamespace(
    generator_at=lambda parts: parts[0],
    with_law=lambda user, law: user,
    integer_arm=lambda arm: arm,
    halted=lambda halt: halt[0] != 0,
)
"""What `kernels.intrinsics` is to compiled code, in plain Python."""


def _gone_through(users, agent, parts, compiled, max_steps, steps=None):
    """Return the figures of the loop of many runs with one of them."""
    user, user_state, rng, params, state, own = parts
    chosen = agent.algorithm, users.schedule.rule, EXPLORATIVE
    plays, streams, draws = steps is not None, [rng, own], (0, 0, 0)
    loop = compiled_loop(*chosen, no_law, plays) if compiled else None
    loop = loop or make_loop(PLAIN, *chosen, plays=plays)
    if compiled:
        from explorative_user_env.kernels.intrinsics import addresses_of_all

        streams, draws = addresses_of_all(streams)
    arms, responses = steps if plays else (np.zeros((1, 0), np.int32), np.zeros((1, 0), bool))
    means, figures = np.array(user_state.means)[np.newaxis], np.zeros((1, 4), int)
    inputs = Inputs(user, user_state, means, streams[:1], params, state, streams[1:], draws)
    loop(inputs, 0, max_steps, arms, responses, figures, np.zeros(1, int))
    acceptances, rejections, answer, end = figures[0].tolist()
    return acceptances, rejections, answer, bool(end)


def run_of(users, agent, seed, compiled, cap=CAP, length=None):
    """A run of best-arm identification, with the user's tables of this length."""
    parts = _parts(users, agent, seed, compiled, length)
    return _left(_gone_through(users, agent, parts, compiled, cap), parts)


def play_of(users, agent, seed, compiled):
    """A play over a horizon; its figures are the answer, the arms and the responses."""
    parts = _parts(users, agent, seed, compiled)
    steps = (np.zeros((1, CAP), np.int32), np.zeros((1, CAP), bool))
    *_, answer, _ = _gone_through(users, agent, parts, compiled, CAP, steps)
    return _left(([answer], *(each.tolist() for each in steps)), parts)
