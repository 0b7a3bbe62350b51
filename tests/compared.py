"""One user and one agent by the plain loops or the compiled ones, and all that is left of it."""

import dataclasses
from collections import namedtuple

import numpy as np
from shared import loop_of_one

from explorative_user_env.agents import AGENTS, REFERENCES, informed
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.users.model import (
    UserState,
    as_arrays,
    blank_state,
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


def run_of(users, agent, seed, compiled, cap=CAP, length=None):
    """A run of best-arm identification, with the user's tables of this length."""
    parts = _parts(users, agent, seed, compiled, length)
    run = loop_of_one(agent.algorithm, users.schedule.rule, compiled)
    return _left(run(*parts, cap, np.zeros(1, int)), parts)


def play_of(users, agent, seed, compiled):
    """A play over a horizon; its figures are the answer, the arms and the responses."""
    parts = _parts(users, agent, seed, compiled)
    steps = (np.zeros((1, CAP), np.int32), np.zeros((1, CAP), bool))
    play = loop_of_one(agent.algorithm, users.schedule.rule, compiled, plays=True)
    *_, answer, _ = play(*parts, CAP, np.zeros(1, int), steps)
    return _left(([answer], *(each.tolist() for each in steps)), parts)
