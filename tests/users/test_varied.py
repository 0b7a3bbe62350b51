"""Users who differ: what each draws for herself, that she lives by it, and her own gap."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from one_user import users_of
from other_users import low_means, random_arms, started
from reference_user import ReferenceUser

import explorative_user_env as eu
from explorative_user_env.seeding import user_generator
from explorative_user_env.users.behaviours import varied
from explorative_user_env.users.instances import LARGEST_MEAN, ROOMY, around_one
from explorative_user_env.users.population import Setting


def reference_of(seed: int, setting: Setting, alpha: float) -> ReferenceUser:
    """The user of the words "varied", written anew from what is said of them; K = 4, gap = 0.4."""
    rng = user_generator(seed)
    means = 0.6 * rng.random(4)
    best, second = np.argmax(means), np.sort(means)[-2]
    means[best] = second + 0.4 * 1.5 ** (2 * rng.random() - 1)
    own_alpha = alpha * 2.0 ** (2 * rng.random() - 1)
    own_rho, own_noise = 1.0 + rng.random(), 0.2 * rng.random()
    return ReferenceUser(
        means.tolist(), own_alpha, own_noise, setting.name == "released", rng, own_rho
    )


@pytest.mark.parametrize("seed", range(3))
def test_each_user_is_the_paper_s_with_numbers_of_her_own(setting: Setting, seed: int) -> None:
    options: dict[str, Any] = {"means": low_means, "gap": 0.4, "alpha": 0.3}
    env = started(seed, setting=setting, behaviour="varied", **options)
    reference = reference_of(seed, setting, alpha=0.3)
    responses = []
    for arm in random_arms(300, seed=seed):
        truth = env.hidden_state()
        assert truth.instance.means == pytest.approx(reference.means, rel=1e-12)
        assert truth.rho == pytest.approx(reference.rho, rel=1e-12)
        assert truth.gamma == pytest.approx(reference.gamma, rel=1e-9)
        assert truth.counts == tuple(reference.counts)
        lower, upper = reference.intervals()
        assert truth.lower_bounds == pytest.approx(lower.tolist(), rel=1e-9, abs=1e-9)
        assert truth.upper_bounds == pytest.approx(upper.tolist(), rel=1e-9, abs=1e-9)
        responses.append(env.step(arm)[0])
        assert responses[-1] == reference.respond(arm)
    assert 20 < sum(responses) < 280


@pytest.mark.parametrize("means", ["normal", ROOMY, low_means, [0.1, 0.5, 0.3, 0.2]])
def test_every_path_meets_the_same_users_with_the_same_gaps(means: Any) -> None:
    options: dict[str, Any] = {"n_arms": 4, "gap": 0.3, "means": means, "behaviour": "varied"}
    single = eu.ExplorativeUserEnv(**options)
    lanes = eu.ExplorativeUserVectorEnv(6, **options)
    lanes.reset(seed=2)
    instances = []
    for seed in range(2, 8):
        single.reset(seed=seed)
        instances.append(single.instance())
    assert list(lanes.instances()) == instances
    gaps = [instance.gap for instance in instances]
    assert len(set(gaps)) == 6
    assert 0.3 / 1.5 - 1e-9 < min(gaps) < max(gaps) < 0.3 * 1.5 + 1e-9


def test_rounding_leads_no_factor_beyond_its_ends() -> None:
    for factor in (1.0, 1.5, 2.2, 2.5, 4.7, 12.8, 1e9):
        for drawn, end in ((0.0, 1.0 / factor), (math.nextafter(1.0, 0.0), factor)):
            found = around_one(factor, SimpleNamespace(random=lambda drawn=drawn: drawn))
            assert found == pytest.approx(end, rel=1e-12)
            assert 1.0 / factor <= found <= factor


def test_means_with_room_leave_it_for_the_largest_gap_there_may_be() -> None:
    law = users_of(n_arms=3, reward_law="bernoulli", behaviour="varied").instance_law
    assert law.scale == 1.0 - 0.5 * 1.5
    rng = user_generator(1)
    largest = max(max(law.draw(rng).means) for _ in range(500))
    assert 0.8 < largest <= 1.0


def test_what_does_not_fit_every_user_is_refused_at_once() -> None:
    given: dict[str, Any] = {"n_arms": 2, "means": [0.0, 0.5], "gap": 0.9}
    for options, message in (
        ({"gap": LARGEST_MEAN}, "gap must be above 0 and at most"),
        ({"gap": 0.7, "means": ROOMY}, r"gap must be below 0\.66"),
        (given | {"reward_law": "bernoulli"}, "means must be in .* once the best"),
        (given | {"means": [1.0, 2.0], "gap": 1.5e-16}, "gap must be large enough to count"),
    ):
        with pytest.raises(eu.InvalidArgumentError, match=message):
            users_of(behaviour="varied", **options)


def test_who_has_no_gap_or_rho_of_her_own_draws_nothing_more() -> None:
    everyone = [started(seed, rho=1.25, behaviour="varied").hidden_state() for seed in range(9)]
    assert {user.rho for user in everyone} == {1.25}
    law = users_of(n_arms=2, means=[0.0, 0.3], behaviour="varied").instance_law
    assert law.draw(user_generator(0)).means == (0.0, 0.3)
    laws = [users_of(behaviour=each).instance_law for each in (varied(gap_factor=1.0), "logistic")]
    assert laws[0].draw(user_generator(4)) == laws[1].draw(user_generator(4))
