"""Elimination that carries over what it learns, against a slow version and against none."""

import numpy as np
import pytest

from explorative_user_env.agents import TransferElimination


class Slowly:
    """The rule as its docstring says it, with a list of what every user said of every arm."""

    def __init__(self, n_arms, drops, caution):
        self.n_arms, self.drops, self.caution = n_arms, drops, caution
        self.said = [[] for _ in range(n_arms)]
        self.leader = None
        self.begin(list(range(n_arms)))

    def begin(self, asked):
        self.asked, self.left = asked, list(asked)
        self.accepted, self.n_steps = [0] * self.n_arms, 0
        self.behind = dict.fromkeys(asked, 0.0)

    def means(self):
        return [float(np.mean(each)) if each else 0.0 for each in self.said]

    def next_user(self):
        if len(self.asked) > 1:
            for arm in self.asked:
                self.said[arm].append(self.behind[arm])
        means = self.means()
        self.leader = means.index(min(means))
        told = [np.array(each) for each in self.said if len(each) > 1]
        squares = sum(float(((each - each.mean()) ** 2).sum()) for each in told)
        variance = (squares + self.caution) / (sum(len(each) - 1 for each in told) + 1)
        room = [variance * (1 + 1 / max(len(each), 1)) for each in self.said]
        near = [arm for arm in range(self.n_arms) if means[arm] - min(means) <= room[arm]]
        self.begin(near if self.drops else list(range(self.n_arms)))

    def act(self):
        if len(self.left) == 1:
            return None
        means = self.means()
        weight = [1 if self.drops and arm == self.leader else 2 for arm in range(self.n_arms)]
        return min(self.left, key=lambda arm: (weight[arm] * self.accepted[arm], means[arm], arm))

    def observe(self, arm, accepted):
        self.n_steps += 1
        self.accepted[arm] += accepted
        if not accepted and len(self.left) > 1:
            self.left.remove(arm)
            n = sum(self.accepted)
            gamma = 2 * np.log((1 + n / self.n_steps) * n)
            roots = [1 / np.sqrt(max(each, 1)) for each in (self.accepted[arm], max(self.accepted))]
            self.behind[arm] = float(np.sqrt(max(gamma, 0.0)) * sum(roots))


@pytest.mark.parametrize("carries", ["arms", "order"])
def test_it_chooses_as_the_slow_version(carries):
    for seed in range(8, 12):
        rng, n_arms, caution = np.random.default_rng(seed), 7, 1.0 if seed > 8 else None
        agent = TransferElimination(carries=carries, caution=caution)
        agent.reset(n_arms, np.random.default_rng(0))
        slow, sizes = Slowly(n_arms, carries == "arms", caution or 3.0), set()
        popularity = np.sort(rng.random(n_arms))
        for user in range(12):
            if user:
                agent.next_user()
                slow.next_user()
            sizes.add(len(slow.asked))
            for step in range(60):
                arm = agent.act()
                assert arm == slow.act(), (user, step)
                if arm is None:
                    assert agent.answer() == slow.left[0]
                    break
                accepts = rng.random() < 0.9 + 0.1 * popularity[arm] or sum(slow.accepted) == 0
                agent.observe(arm, bool(accepts))
                slow.observe(arm, bool(accepts))
        assert (len(sizes) > 2) == (carries == "arms")
