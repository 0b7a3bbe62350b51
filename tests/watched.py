"""Runs for tests of what is seen and told of them."""

import math
from collections import namedtuple

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.runs.loop import rollout


class Silent:
    """Recommends at random, names the arm that was accepted most, and says nothing of itself."""

    name = "silent"

    def __init__(self, steps=60):
        self.steps = steps

    def reset(self, n_arms, rng, horizon=None):
        self.accepted, self.rng, self.t = [0] * n_arms, rng, 0

    def act(self):
        return None if self.t == self.steps else int(self.rng.integers(len(self.accepted)))

    def observe(self, arm, accepted):
        self.t += 1
        self.accepted[arm] += accepted

    def answer(self):
        return self.accepted.index(max(self.accepted))


def run(agent="bair", seed=7, *, max_steps=300, **users):
    """Let an agent meet a user for some steps."""
    env = ExplorativeUserEnv(**{"n_arms": 5, **users})
    return rollout(env, agent, seed, max_steps=max_steps, horizon=max_steps)


Read = namedtuple("Read", "step arm accepted witness lcb ucb counts estimates")
"""A step, as the paper's rule reads it from the rewards alone."""


def reading(episode, alpha=1.0, **users):
    """Return every step of a run of the printed setting, by arithmetic of its own.

    Her rewards come from another environment that is paid them; all else is worked out here:
    hat mu_i, n_i, rho_t = 1 + n(t)/t, Gamma = max(0, 2 alpha log(rho_t n(t))), and who beats whom.
    """
    env = ExplorativeUserEnv(**{"n_arms": 5, "alpha": alpha, **users}, reward="realized")
    env.reset(seed=episode.seed)
    n_arms = env.user.n_arms
    rewards = [[] for _ in range(n_arms)]
    n, gamma, steps = 0, 0.0, []
    for t, (arm, accepted) in enumerate(zip(episode.arms, episode.accepted, strict=True), 1):
        means = [sum(each) / len(each) if each else 0.0 for each in rewards]
        width = [math.sqrt(gamma / len(each)) if each else math.inf for each in rewards]
        lcb = [mean - w for mean, w in zip(means, width, strict=True)]
        ucb = [mean + w for mean, w in zip(means, width, strict=True)]
        others = [other for other in range(n_arms) if other != arm and lcb[other] >= ucb[arm]]
        witness = max(others, key=lcb.__getitem__, default=None)
        response, reward = env.step(arm)[:2]
        assert bool(response) == accepted
        steps.append(
            Read(t, arm, accepted, witness, lcb, ucb, [len(each) for each in rewards], means)
        )
        if accepted:
            n += 1
            rewards[arm].append(float(reward))
        gamma = max(0.0, 2.0 * alpha * math.log((1.0 + n / t) * n)) if n else 0.0
    return steps, env.instance()
