"""Laws of means by name, and that means, gap and reward law fit for every user or are refused."""

import math
from typing import Any

import numpy as np
import pytest
from other_users import low_means

from explorative_user_env import (
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
    evaluate,
)
from explorative_user_env.users.instances import (
    LAWS,
    LOST,
    ROOMY,
    InstanceLaw,
    move_best,
)
from explorative_user_env.users.model import REWARD_LAWS
from explorative_user_env.users.population import PRINTED, RELEASED, Population, Setting


def uniform_means(n_arms: int, rng: np.random.Generator) -> np.ndarray:
    return rng.random(n_arms)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", LAWS)
def test_single_draws_of_a_law_are_those_made_at_once_bit_for_bit(name: str) -> None:
    law = LAWS[name]
    one, many = generator(8), generator(8)
    for n in (1, 2, 20, 5000):  # of 5000 normals some are from the tail of the ziggurat
        assert [law.one(one) for _ in range(n)] == law.many(n, many).tolist()
    assert one.bit_generator.state == many.bit_generator.state


@pytest.mark.parametrize("name", LAWS)
def test_a_named_law_and_a_gap_fit_every_draw_or_are_refused(name: str) -> None:
    """At the least gap that is taken, beside the largest means that there may be."""
    gap = 1e-17
    while not taken(name, gap):
        gap = math.nextafter(gap * 1.001, math.inf)
    assert gap > 1e-17
    largest = {"normal": 13.0, "uniform": 1.0, ROOMY: 1.0}[name]
    high = math.nextafter(largest, 0.0)
    for second in (high, math.nextafter(high, 0.0), 0.5, 0.0, -high):
        assert move_best([second, second], gap, generator()) != LOST
    refused = gap / (1.01 if name != "normal" else 2.1)  # the law's bound is 16, for certain
    assert not taken(name, refused)
    odd_and_even = [math.nextafter(high, 0.0), high]
    assert LOST in {move_best([mean, mean], gap / 2.1, generator()) for mean in odd_and_even}


def taken(name: str, gap: float) -> bool:
    try:
        InstanceLaw(2, name, gap)
    except InvalidArgumentError:
        return False
    return True


def test_no_draw_of_a_named_law_is_outside_its_bounds() -> None:
    for law in LAWS.values():
        drawn = law.many(100_000, generator(5))
        assert law.low <= drawn.min() < drawn.max() < law.high


@pytest.mark.parametrize("gap", [1e-15, 0.01, 1 / 3, 0.5, 0.9, math.nextafter(1.0, 0.0)])
def test_means_with_room_are_probabilities_whatever_the_gap(gap: float) -> None:
    law, rng = InstanceLaw(3, ROOMY, gap, (0.0, 1.0)), generator(6)
    raw = generator(6)
    for _ in range(2000):
        instance = law.draw(rng)
        drawn = ((1.0 - gap) * raw.random(3)).tolist()
        assert instance.means[instance.best_arm] == sorted(drawn)[-2] + gap
        assert 0.0 <= min(instance.means) < max(instance.means) <= 1.0
    # The largest draw there is, moved up, is still a probability.
    assert (1.0 - gap) * math.nextafter(1.0, 0.0) + gap <= 1.0
    with pytest.raises(InvalidArgumentError, match="gap must be below 1 with means="):
        InstanceLaw(3, ROOMY, 1.0)


LAWS_OF_MEANS: list[Any] = [None, *LAWS, low_means, uniform_means, [0.2, 0.6], [0.2, 0.2]]


@pytest.mark.slow
@pytest.mark.parametrize("reward_law", REWARD_LAWS)
@pytest.mark.parametrize("means", LAWS_OF_MEANS, ids=lambda law: getattr(law, "__name__", str(law)))
def test_every_combination_is_refused_when_made_or_fits_every_user(
    means: Any, reward_law: str
) -> None:
    n_made = 0
    for gap in (None, 1e-17, 1e-9, 0.4, 0.9, 1.0, 2.5, 1e308):
        if callable(means) and reward_law != "bernoulli" and gap == 1e-17:
            continue  # nobody knows what a law of one's own draws
        for n_arms in (2,) if isinstance(means, list) else (2, 9):
            users = made(n_arms=n_arms, means=means, gap=gap, reward_law=reward_law)
            if users is None:
                continue
            n_made += 1
            many = ExplorativeUserVectorEnv(
                60, 1, "SameStep", compiled=False, reward="none", population=users
            )
            many.reset(seed=0)
            for _ in range(5):  # three hundred users, most of them after an autoreset
                if reward_law == "bernoulli":
                    drawn = np.array([instance.means for instance in many.instances()])
                    assert 0.0 <= drawn.min() <= drawn.max() <= 1.0
                many.step(np.ones(60, int))
    # Some of each are not refused, but for laws of no probabilities.
    assert (n_made > 0) == (reward_law != "bernoulli" or means not in ("normal", "uniform"))


def made(**options: Any) -> Population | None:
    """Return the users, or None where they are refused in a line that names means or gap."""
    try:
        return Population(**options)
    except InvalidArgumentError as error:
        told = str(error)
    assert "\n" not in told
    assert told.startswith(("means must be", "gap must be"))
    return None


@pytest.mark.parametrize("means", ["normal", "uniform"])
def test_a_law_with_means_that_are_no_probabilities_is_refused_with_one_that_fits(
    means: str, setting: Setting
) -> None:
    fits = r'means must be "uniform_with_room" or in \[0, 1\], as this reward_law needs, got \''
    options: dict[str, Any] = {"setting": setting, "reward_law": "bernoulli", "gap": 0.01}
    for make in (ExplorativeUserEnv, ExplorativeUserVectorEnv, Population):
        with pytest.raises(InvalidArgumentError, match=fits + means):
            make(means=means, **options)
    with pytest.raises(InvalidArgumentError, match=fits + means):
        evaluate(["SE"], n_instances=2, means=means, progress=False, **options)


def test_a_law_of_ones_own_that_does_not_fit_is_refused_when_it_is_given() -> None:
    allowed = r"means must be in \[0, 1\] once the best is moved by gap = 0\.5, as this"
    with pytest.raises(InvalidArgumentError, match=allowed):
        Population(means=uniform_means, reward_law="bernoulli")
    Population(means=low_means, gap=0.4, reward_law="bernoulli")
    Population(means=uniform_means)


def test_bernoulli_users_have_a_law_that_fits_unless_they_are_given_another() -> None:
    for setting in (PRINTED, RELEASED):
        users = Population(setting=setting, reward_law="bernoulli", gap=0.3)
        assert users.words()["means"] == "uniform_with_room"
        assert users.words()["setting"] == f"{setting.name} (means=uniform_with_room)"
        named = Population(
            setting=setting, reward_law="bernoulli", gap=0.3, means="uniform_with_room"
        )
        rngs = [np.random.default_rng(2) for _ in range(2)]
        assert users.instance_law.draw(rngs[0]) == named.instance_law.draw(rngs[1])
    for reward_law in ("gaussian", "bounded"):
        assert Population(reward_law=reward_law).words()["means"] == "normal"
