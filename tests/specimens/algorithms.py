"""Algorithm records, each wrong in the one way that a check asks about."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents.uniform import ALGORITHM, Params, State
from explorative_user_env.protocol import STOP

_calls = [0]


def take_anything(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    return Params(n_arms, horizon or 10, options["order"] == "random", False)


def blank_of_arrays(params: Params) -> Any:
    return State(np.zeros(params.n_arms, int), [0], [0])  # type: ignore[arg-type]


def start_nothing(params: Params, state: State, rng: Any) -> None:
    state.steps[0] = 0


def act_by_calls(params: Params, state: State, rng: Any) -> int:
    _calls[0] += 1
    return STOP if state.steps[0] >= params.horizon else (_calls[0] // 3) % params.n_arms


def act_for_ever(params: Params, state: State, rng: Any) -> int:
    return state.following[0]


class Shares(NamedTuple):
    accepted: list[float]
    steps: list[int]
    following: list[int]
    share: list[Any]


def blank_of_whole_numbers(params: Params) -> Shares:
    """A share that becomes a fraction, and is 0 at first and not 0.0: an array cuts it off."""
    return Shares([0.0] * params.n_arms, [0], [0], [0])


def act_by_share(params: Params, state: Any, rng: Any) -> int:
    if state.steps[0] >= params.horizon:
        return STOP
    state.share[0] = state.share[0] / 2 + 0.3
    return int(state.share[0] * 100 + state.steps[0]) % params.n_arms


ALGORITHMS_WRONG: dict[str, Any] = {
    "checks_its_options": replace(ALGORITHM, prepare=take_anything),
    "has_numbers_alone": replace(ALGORITHM, blank=blank_of_arrays),
    "starts_anew": replace(ALGORITHM, start=start_nothing),
    "keeps_all_in_its_state": replace(ALGORITHM, act=act_by_calls),
    "stops_by_its_horizon": replace(ALGORITHM, act=act_for_ever),
    "compiled_rules_are_plain": replace(ALGORITHM, blank=blank_of_whole_numbers, act=act_by_share),
}
