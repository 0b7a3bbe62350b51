"""Submissions of students, as the text of their files: honest ones, unlucky ones and cheats."""

import textwrap

UNIFORM = """
class Agent:
    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng, self.accepted, self.n_steps = n_arms, rng, [0] * n_arms, 0

    def act(self):
        self.n_steps += 1
        return int(self.rng.integers(self.n_arms)) if self.n_steps <= 40 else None

    def observe(self, arm, accepted):
        self.accepted[arm] += accepted

    def answer(self):
        return self.accepted.index(max(self.accepted))
"""
SPAWNING = """
import numpy as np
from explorative_user_env.protocol import OneUserAtATime

class Chooser(OneUserAtATime):
    name = "one that chooses"
    max_steps = 60

    def reset_all(self, n_arms, rngs, horizon=None):
        self.n_arms, self.rngs = n_arms, rngs
        self.others = [rng.spawn(1)[0] for rng in rngs]

    def act_all(self, users):
        return np.array([self.arm(user) for user in users], int)

    def arm(self, user):
        return -1 if self.others[user].random() < 0.03 else self.rngs[user].integers(self.n_arms)

    def observe_all(self, users, arms, accepted):
        for user in users[accepted]:
            self.rngs[user].standard_normal()

    def answer_all(self, users):
        return np.array([self.rngs[user].integers(self.n_arms) for user in users])
"""


def where(place, code):
    """Return a submission that runs some code at a place: "top", or in a method."""
    if place == "top":
        return textwrap.dedent(code) + UNIFORM
    method = {"reset": "horizon=None):", "act": "act(self):", "answer": "answer(self):"}[place]
    body = textwrap.indent(textwrap.dedent(code).strip("\n"), " " * 8)
    return UNIFORM.replace(method, f"{method}\n{body}\n", 1)


TOLD_HOW_LONG = where("reset", "self.horizon = horizon").replace("<= 40", "<= self.horizon")
TOLD_HOW_LONG = TOLD_HOW_LONG.replace("class Agent:", "class Agent:\n    needs_horizon = True")
HONEST = {"uniform": UNIFORM, "spawning": SPAWNING, "told how long": TOLD_HOW_LONG}
