"""The user of the paper's section 2, slow and plain, as a reference for the package's."""

import numpy as np


class ReferenceUser:
    """She remembers every reward she had, and computes everything anew from them.

    `released` makes her the user of the authors' code. Chance is drawn in the package's order.
    """

    def __init__(self, means, alpha, noise, released, seed, rho=None):
        self.means, self.alpha, self.noise, self.released = means, alpha, noise, released
        self.rng = np.random.default_rng(seed)
        self.rewards = [[] for _ in means]
        if released:
            for arm in range(len(means)):
                self._take_reward(arm)
        self.n = self.t = 0
        self.constant_rho = rho
        self.rho = rho if rho is not None else (2.0 if released else 1.0)

    def _take_reward(self, arm):
        self.rewards[arm].append(self.means[arm] + self.rng.standard_normal())

    @property
    def counts(self):
        return np.array([len(rewards) for rewards in self.rewards])

    @property
    def estimates(self):
        return np.array([np.mean(rewards) if rewards else 0.0 for rewards in self.rewards])

    @property
    def gamma(self):
        n = max(self.n, 1) if self.released else self.n
        return 0.0 if n == 0 else max(0.0, 2 * self.alpha * np.log(self.rho * n))

    def intervals(self):
        radius = np.full(len(self.means), np.inf)
        seen = self.counts > 0
        radius[seen] = np.sqrt(self.gamma / self.counts[seen])
        return self.estimates - radius, self.estimates + radius

    def finds_clearly_better(self, arm):
        lower, upper = self.intervals()
        if self.released:
            return bool(lower.max() > upper[arm])
        return any(lower[j] >= upper[arm] for j in range(len(lower)) if j != arm)

    def respond(self, arm):
        accepted = not self.finds_clearly_better(arm)
        if self.noise > 0 and self.rng.random() < self.noise:
            accepted = bool(self.rng.random() < 0.5)
        self.t += 1
        if accepted:
            self._take_reward(arm)
            self.n += 1
        if self.constant_rho is None:
            k = len(self.means)
            if not self.released:
                self.rho = 1 + self.n / self.t
            elif accepted:
                self.rho = 1 + (k + self.n) / (2 * k + self.t)
        return accepted
