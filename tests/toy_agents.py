"""Agents without an algorithm record, and a run of an agent on scripted responses."""

import random

import numpy as np

from explorative_user_env.protocol import STOP, OneUserAtATime


class Answering:
    """A policy for three arms and the task bai that travels to other processes."""

    def __call__(self, observation):
        return 3 if observation[-1] > 0.4 else int(observation[3] > 0.2)


def the_most_accepted(observation):
    """Return the first rank, and the second at the start: a policy that travels as well."""
    return int(observation[-1] < 0.1)


class Wanderer(OneUserAtATime):
    """Recommends, stops and answers at random, by each user's stream and what she accepted."""

    name = "wanderer"

    def __init__(self, stops=0.05):
        self.stops, self.sizes, self.told, self.n_answers = stops, [], [], []

    def reset_all(self, n_arms, rngs, horizon=None):
        self.rngs, self.n_arms, self.horizon = rngs, n_arms, horizon
        self.accepted = np.zeros((len(rngs), n_arms), int)
        self.n_answers += [0] * len(rngs)
        self.first = len(self.n_answers) - len(rngs)
        self.sizes.append(len(rngs))

    def act_all(self, users):
        return np.array([self._arm(user) for user in users.tolist()], int)

    def _arm(self, user):
        rng = self.rngs[user]
        if rng.random() < self.stops:
            return STOP
        # What was accepted counts, so a response that goes astray shows.
        return int((rng.integers(self.n_arms) + self.accepted[user].sum()) % self.n_arms)

    def observe_all(self, users, arms, accepted):
        self.told.append((users.copy(), arms.copy(), accepted.copy()))
        self.accepted[users, arms] += accepted

    def answer_all(self, users):
        for user in users.tolist():
            self.n_answers[self.first + user] += 1
        return np.array([self.rngs[user].integers(self.n_arms) for user in users.tolist()], int)


class Clock(Wanderer):
    """Stops with a user after a number of steps that is in her stream: 1, or very many."""

    name = "clock"
    short, long = 1, 200

    def reset_all(self, n_arms, rngs, horizon=None):
        super().reset_all(n_arms, rngs, horizon)
        self.left = np.array([self.long if rng.random() < 0.3 else self.short for rng in rngs])

    def _arm(self, user):
        self.left[user] -= 1
        return STOP if self.left[user] < 0 else 0


def scripted(script, answer=2):
    """An agent that recommends by a script, stops, answers, and keeps all it is told."""

    class Scripted:
        name = "scripted"

        def __init__(self):
            self.told = []

        def reset(self, n_arms, rng, horizon=None):
            self.left, self.horizon = list(script), horizon
            self.told.append([])

        def act(self):
            return self.left.pop(0) if self.left else None

        def observe(self, arm, accepted):
            self.told[-1].append((arm, accepted))

        def answer(self):
            return answer

    return Scripted()


def spy(n_steps=20):
    """An agent that recommends in turn for some steps and keeps everything it is given."""

    # A class inside a function travels to worker processes by value, as one in a notebook does.
    class Spy:
        name = "spy"

        def __init__(self):
            self.seen = []

        def reset(self, n_arms, rng, horizon=None):
            self.n_arms, self.steps = n_arms, 0
            self.seen.append((n_arms, horizon))

        def act(self):
            return None if self.steps == n_steps else self.steps % self.n_arms

        def observe(self, arm, accepted):
            self.steps += 1
            self.seen.append((arm, accepted))

        def answer(self):
            return 0

    return Spy()


def tireless(max_steps=None):
    """An agent that never stops, with a step cap of its own if that is given."""
    agent = spy(n_steps=None)
    agent.name, agent.max_steps = "tireless", max_steps
    return agent


def drive(agent, n_arms, respond, n_steps=10_000, seed=0, horizon=None):
    """Run an agent on responses to (step, arm): the arms it recommended until it stopped."""
    agent.reset(n_arms, np.random.default_rng(seed), horizon)
    arms = []
    while len(arms) < n_steps and (arm := agent.act()) is not None:
        agent.observe(arm, respond(len(arms), arm))
        arms.append(arm)
    return arms


class Fickle:
    """A policy as libraries write it: it recommends an arm until a rejection, then another."""

    def __init__(self, n_arms, seed, horizon):
        self.given, self.n_arms, self.seen = (n_arms, seed, horizon), n_arms, []
        self.random = random.Random(seed)
        self.arm = self.random.randrange(n_arms)

    def pull(self):
        return np.int64(self.arm)

    def update(self, arm, accepted):
        self.seen.append((arm, accepted))
        if not accepted:
            self.arm = self.random.randrange(self.n_arms)
