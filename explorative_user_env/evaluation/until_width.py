"""Users until the success of every agent is known well enough, and no more.

Who looks again and again and stops when an interval is narrow must not take one for a fixed number
of users: theirs is a confidence sequence, which holds whenever one stops.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation.request import Request
from explorative_user_env.results.metrics import success_interval, unanswered_in
from explorative_user_env.tasks import N_INSTANCES

MOST_UNTIL = 1_000_000
"""The most users, unless something else is said, where more are met until success is known."""

FIRST = 1000
"""Users who are met before anyone looks; T of the agents that need one is found with these."""

GROWTH = 1.1
"""How many times as many users have been met whenever one looks again."""


def number_asked(n_instances: int | None, until_width: float | None) -> int:
    """Return how many users an evaluation has, or at most has, where nothing else is said.

    Args:
        n_instances: how many were asked for, if any number was.
        until_width: the width of success intervals that more users are met for, if any.
    """
    if n_instances is not None:
        return n_instances
    return N_INSTANCES if until_width is None else MOST_UNTIL


def growing(request: Request, progress: OnProgress) -> Iterator[tuple[Request, OnProgress]]:
    """Yield the request with the users who are to have been met by each look, the last with all.

    Args:
        request: what was asked for; without a width there is one look.
        progress: told how far it is, as a share of all users.
    """
    most = request.n_instances
    if request.until_width is None:
        yield request, progress
        return
    met = 0
    while met < most:
        users = min(most, max(FIRST, math.ceil(GROWTH * met)))
        yield replace(request, n_instances=users), _between(progress, met, users, most)
        met = users


def _between(progress: OnProgress, first: int, last: int, most: int) -> OnProgress:
    """Return `progress` for the work that leads from the first users to the last, of the most."""

    def told(what: str, done: int, total: int) -> None:
        progress(what, first * total + (last - first) * done, most * total)

    return told


def is_known(runs: Mapping[str, pd.DataFrame], request: Request) -> bool:
    """Return whether the success interval of every agent is at most as wide as was asked for.

    Args:
        runs: by agent.
        request: what was asked for; without a width there is nothing to wait for.
    """
    if request.until_width is None:
        return True
    for of_agent in runs.values():
        unanswered = unanswered_in(of_agent).to_numpy()
        low, high = success_interval(of_agent["correct"].to_numpy(), unanswered, any_time=True)
        if high - low > request.until_width:
            return False
    return True
