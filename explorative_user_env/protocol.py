"""What an agent is: a small contract, and a record that also opens the compiled path.

An agent sees the number of arms and, step by step, which recommendation was accepted. Nothing
else reaches it: no mean, no reward, no interval (a reference labelled so is told rewards).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

STOP = -1
"""What `Algorithm.act` returns instead of an arm when the algorithm is done."""


@runtime_checkable
class Agent(Protocol):
    """Anything with these four methods can be run, compared and tabulated.

    Three attributes may be there as well: `name` (a string for tables, the class's name otherwise),
    `max_steps` (a step cap of its own) and `needs_horizon` (True for an agent that runs to a given
    horizon; an evaluation then runs it after BAIR and tells it BAIR's mean stopping time).

    A reference that is no competitor may have `sees_rewards`, True: it is then told each realized
    reward by its `learn(arm, reward)`, after `observe` and only if the recommendation was accepted.
    """

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Forget everything and get ready for a new user.

        Args:
            n_arms: number of arms K, at least 2; arms are 0..K-1.
            rng: the agent's own random stream; take all randomness from it.
            horizon: number of steps the run will have if it is known, else None.
        """

    def act(self) -> int | None:
        """Return the arm to recommend next, or None to stop and answer."""

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in the user's response to a recommendation of `arm`."""

    def answer(self) -> int:
        """Return the arm believed to be the best; asked at any time a run ends."""


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An agent's rule as plain functions of one user, so that it runs step by step or compiled.

    `Params` is a NamedTuple of numbers, fixed for a run. `State` is a NamedTuple of lists (arrays
    when compiled); a number that changes is a list of one, and one that may become a fraction is a
    float from the start ([0.0], not [0]: an array of integers would cut it off). The functions
    below `blank` must stay within what numba compiles: numbers, indexing, loops, `math`, draws such
    as `rng.random()`.

    Attributes:
        name: shown in tables.
        prepare: `(options, n_arms, horizon) -> Params`; checks the options.
        blank: `Params -> State`, allocated but not yet meaningful.
        start: `(params, state, rng)`; fills a blank or used state for a new user.
        act: `(params, state, rng) -> arm`, or `STOP`.
        observe: `(params, state, arm, accepted)`.
        verdict: `(params, state, rng) -> arm`, the answer.
        defaults: every option and its value where neither the caller nor a setting gives one.
        stops_itself: False for an algorithm that runs to a horizon it must be told.
        learn: `(params, state, arm, reward)`, takes in the realized reward of an accepted
            recommendation, after `observe`; None, except for a reference that is labelled as one,
            since no agent may see rewards.
    """

    name: str
    prepare: Callable[[Mapping[str, Any], int, int | None], Any]
    blank: Callable[[Any], Any]
    start: Callable[[Any, Any, np.random.Generator], None]
    act: Callable[[Any, Any, np.random.Generator], int]
    observe: Callable[[Any, Any, int, bool], None]
    verdict: Callable[[Any, Any, np.random.Generator], int]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    stops_itself: bool = True
    learn: Callable[[Any, Any, int, float], None] | None = None


def name_of(agent: object) -> str:
    """Return what tables call `agent`: its `name`, or else its class's."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__
