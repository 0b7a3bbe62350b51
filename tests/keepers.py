"""Agents that keep all they are handed, and what the users they met kept to themselves."""

import numpy as np

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.check.checks import Secrets, numbers_of
from explorative_user_env.protocol import STOP, OneUserAtATime


class Keeper:
    name = "keeper"

    def __init__(self):
        self.kept = []

    def reset(self, *handed):
        self.kept.append(handed)
        self.n_arms, self.steps = handed[0], 0

    def act(self):
        return self.steps % self.n_arms if self.steps < 12 else None

    def observe(self, *handed):
        self.kept.append(handed)
        self.steps += 1

    def answer(self):
        return 0


class KeeperOfMany(OneUserAtATime):
    name = "keeper of many"

    def __init__(self):
        self.kept = []

    def reset_all(self, n_arms, rngs, horizon=None):
        self.kept.append((n_arms, rngs, horizon))
        self.n_arms, self.steps = n_arms, np.zeros(len(rngs), int)

    def act_all(self, users):
        self.kept.append(users)
        return np.where(self.steps[users] < 12, self.steps[users] % self.n_arms, STOP)

    def observe_all(self, *handed):
        self.kept.append(handed)
        self.steps[handed[0]] += 1

    def answer_all(self, users):
        self.kept.append(users)
        return np.zeros(users.size, int)


def secrets_of(results):
    """Replay the runs and return all that the users kept to themselves."""
    numbers = []
    for row in results.runs.index:
        episode = results.replay(row)
        env = ExplorativeUserEnv(population=results.population, reward="realized")
        env.reset(seed=episode.seed)
        for arm in episode.arms:
            numbers += [float(env.step(arm)[1]), *numbers_of(env.hidden_state())]
        numbers += numbers_of(env.hidden_state())
    return Secrets(results.runs["user_seed"], numbers)
