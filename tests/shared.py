"""What tests of several rooms share and fixtures cannot give: plain functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.kernels.loops import compiled_run_all
from explorative_user_env.protocol import Algorithm
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour
from explorative_user_env.users.model import Rule

Figures = tuple[int, int, int, bool]


def compiled_run(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour = EXPLORATIVE
) -> Callable[..., Figures]:
    """Return the loop of one run in compiled code, to be called as the plain one of `make_run` is.

    It is the loop of many runs with one of them, so that tests compile nothing else.
    """
    from explorative_user_env.kernels.words import addresses_of_all

    run_all = compiled_run_all(algorithm, rule, behaviour)

    def run(
        user: Any,
        user_state: Any,
        rng: np.random.Generator,
        params: Any,
        state: Any,
        own: np.random.Generator,
        max_steps: int,
        halt: Any,
    ) -> Figures:
        streams, draws = addresses_of_all([rng, own])
        means, figures = user_state.means[np.newaxis].copy(), np.zeros((1, 4), int)
        hers, its = (user, user_state, means, streams[:1]), (params, state, streams[1:])
        run_all(*hers, *its, draws, max_steps, figures, halt)
        acceptances, rejections, answer, censored = figures[0].tolist()
        return acceptances, rejections, answer, bool(censored)

    return run
