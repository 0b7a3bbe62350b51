"""An agent that recommends as an adversary would, in a form that can be compiled.

A file of its own, so that no change of a test compiles its loops again.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import Algorithm

RANDOM, PAIR = range(2)


class PlayParams(NamedTuple):
    n_arms: int
    kind: int


class PlayState(NamedTuple):
    arm: list[int]
    accepted: list[int]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> PlayParams:
    return PlayParams(n_arms, int(options["kind"]))


def blank(params: PlayParams) -> PlayState:
    return PlayState([0], [0] * params.n_arms)


def start(params: PlayParams, state: PlayState, rng: np.random.Generator) -> None:
    state.arm[0] = 0
    for arm in range(params.n_arms):
        state.accepted[arm] = 0


def act(params: PlayParams, state: PlayState, rng: np.random.Generator) -> int:
    if params.kind == RANDOM:
        state.arm[0] = int(rng.random() * params.n_arms)
    return state.arm[0]


def observe(params: PlayParams, state: PlayState, arm: int, accepted: bool) -> None:
    if accepted:
        state.accepted[arm] += 1
    if params.kind == PAIR:
        state.arm[0] = 1 - arm


def verdict(params: PlayParams, state: PlayState, rng: np.random.Generator) -> int:
    return state.arm[0]


ADVERSARY = Algorithm(
    name="adversary",
    prepare=prepare,
    blank=blank,
    start=start,
    act=act,
    observe=observe,
    verdict=verdict,
    defaults={"kind": RANDOM},
    stops_itself=False,
)
