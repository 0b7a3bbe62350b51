"""Users who share what is popular: where each of them comes from."""

import numpy as np

from explorative_user_env.runs.loop import Members
from explorative_user_env.seeding import member_seeds, user_generator
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import Population


def instances(deviation: float, n_users: int = 4, seed: int = 3, **users: object) -> list[Instance]:
    members = Members(n_users, deviation)
    law = members.laws(Population(n_arms=6, **users))(seed)  # type: ignore[arg-type]
    return [law.draw(user_generator(each)) for each in member_seeds(seed, n_users)]


def test_users_who_do_not_deviate_are_all_the_same() -> None:
    first, *others = instances(0.0)
    assert others == [first] * 3
    assert first != instances(0.0, seed=4)[0]


def test_a_user_s_means_are_what_is_popular_and_her_own_deviation() -> None:
    popularity = user_generator(3).standard_normal(6)
    for seed, instance in zip(member_seeds(3, 4), instances(0.3), strict=True):
        means = popularity + 0.3 * user_generator(seed).standard_normal(6)
        best = int(means.argmax())
        means[best] = np.partition(means, -2)[-2] + 0.5
        assert instance.best_arm == best
        assert np.allclose(instance.means, means, rtol=0, atol=1e-12)


def test_more_users_change_nobody_s_means() -> None:
    assert instances(0.3, n_users=9)[:4] == instances(0.3)


def test_means_stay_where_a_reward_law_allows_them() -> None:
    for instance in instances(2.0, n_users=50, reward_law="bernoulli"):
        assert all(0.0 <= mean <= 1.0 for mean in instance.means)
