"""Instances drawn many at once are those that are drawn one by one."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")


from explorative_user_env.kernels.seeds import N_STREAMS, draw_at_once, set_at_once, streams
from explorative_user_env.seeding import user_generator
from explorative_user_env.users.instances import LAWS, InstanceLaw
from explorative_user_env.validation import InvalidArgumentError


def normal_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal(n_arms)


def rounded_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    """Means of which several are the best, mostly."""
    return rng.integers(2, size=n_arms).astype(float)


@pytest.mark.parametrize(
    "means",
    [*LAWS, normal_means, rounded_means, "given", "given and tied"],
    ids=lambda means: getattr(means, "__name__", means),
)
def test_instances_are_those_of_the_law_and_streams_go_on_as_after_it(
    means: Any,
) -> None:
    for n_arms in (2, 3, 40):
        assert_alike(InstanceLaw(n_arms, means_of(means, n_arms), 0.3))


def assert_alike(law: InstanceLaw) -> None:
    n_arms = law.n_arms
    seeds = range(N_STREAMS - 3)
    with streams() as users:
        set_at_once(users, seeds)
        drawn, best_arms = draw_at_once(law, n_arms, len(seeds), users)
        after = [rng.bit_generator.state for rng in users.rngs[: len(seeds)]]
    assert drawn.shape == (len(seeds), n_arms)
    for seed in seeds:
        rng = user_generator(seed)
        instance = law.draw(rng)
        assert (tuple(drawn[seed].tolist()), best_arms[seed]) == (instance.means, instance.best_arm)
        assert after[seed] == rng.bit_generator.state


def means_of(means: Any, n_arms: int) -> Any:
    if means == "given":
        return list(range(n_arms))
    return [0.0] * n_arms if means == "given and tied" else means


def test_an_instance_that_the_law_does_not_allow_is_refused_as_it_is_by_the_law() -> None:
    allowed = [True]
    law = InstanceLaw(
        2, lambda _, rng: rng.random(2) * 0.5 if allowed[0] else [2.0, 3.0], 0.3, (0.0, 1.0)
    )
    allowed[0] = False
    with streams() as users, pytest.raises(InvalidArgumentError, match="means must be in"):
        draw_at_once(law, 2, N_STREAMS, users)
