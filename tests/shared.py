"""What tests of several rooms share and fixtures cannot give: plain functions."""

from types import SimpleNamespace

import numpy as np

from explorative_user_env.kernels.loops import Met, compiled_loop, make_loop
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import no_law

PLAIN = SimpleNamespace(
    generator_at=lambda parts: parts[0],
    with_law=lambda user, own_law: user,
    an_arm=lambda arm: arm,
    halted=lambda halt: halt[0] != 0,
)
"""What `kernels.words` is to compiled code, in plain Python."""


def loop_of_one(algorithm, rule, compiled, plays=False):
    """Return the loop of many runs with one of them, so that tests compile nothing else."""
    loop = compiled_loop(algorithm, rule, EXPLORATIVE, no_law, plays) if compiled else None
    loop = loop or make_loop(PLAIN, algorithm, rule, EXPLORATIVE, plays=plays)

    def run(user, user_state, rng, params, state, own, max_steps, halt, steps=None):
        streams = [rng, own]
        draws = (0, 0, 0)
        if compiled:
            from explorative_user_env.kernels.words import addresses_of_all

            streams, draws = addresses_of_all([rng, own])
        arms, responses = steps or (np.zeros((1, 0), np.int32), np.zeros((1, 0), bool))
        means, figures = np.array(user_state.means)[np.newaxis], np.zeros((1, 4), int)
        met = Met(user, user_state, means, streams[:1], params, state, streams[1:], draws)
        loop(met, 0, max_steps, arms, responses, figures, halt)
        acceptances, rejections, answer, end = figures[0].tolist()
        return acceptances, rejections, answer, bool(end)

    return run
