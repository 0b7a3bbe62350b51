"""Agents and users whose code fails, as a caller's may; at module level, so that they travel."""

import numpy as np

from explorative_user_env.users import model as rules


class Failing:
    """Recommends in turn for 30 steps; `fails` says which method does what it must not, and when.

    "act" raises at step 8, "observe" at step 5, "answer" and "reset" at once; "arm" recommends 1.0.
    """

    name = "mine"

    def __init__(self, fails):
        self.fails = fails

    def reset(self, n_arms, rng, horizon=None):
        if self.fails == "reset":
            raise OSError("no model")
        self.steps, self.n_arms = 0, n_arms

    def act(self):
        if self.fails == "act" and self.steps == 7:
            raise KeyError("arm")
        if self.fails == "arm" and self.steps == 7:
            return 1.0
        return None if self.steps == 30 else self.steps % self.n_arms

    def observe(self, arm, accepted):
        self.steps += 1
        if self.fails == "observe" and self.steps == 5:
            raise ZeroDivisionError

    def answer(self):
        if self.fails == "answer":
            raise RuntimeError("two\nlines")
        return 0


class Inexact(Failing):
    def __init__(self):
        super().__init__("never")

    def act(self):
        arm = super().act()
        return None if arm is None else np.array([arm])

    def answer(self):
        return np.array([2])


def says_nothing(user, state, rule, arm, rng):
    rules.respond(user, state, rule, arm, rng)


def breaks_down(user, state, rule, arm, rng):
    if state.interactions[0] == 20:
        raise LookupError("no such arm")
    return rules.respond(user, state, rule, arm, rng)


def never_begins(user, state, rng):
    rules.start(user, state, rng)
    raise LookupError("no taste")


def breaking_rule(parameters, n, t, n_arms):
    return 1.0 + 1.0 / (40 - t)


def leaving_rule(parameters, n, t, n_arms):
    return 1.5 if t < 12 else 5.0


def uncompilable_rule(parameters, n, t, n_arms):
    return 1.5 if str(t) else 1.0


def means_of_the_wrong_type(n_arms, rng):
    drawn = rng.random(n_arms)
    if drawn[0] > 0.3:
        raise TypeError("means of this kind there are not")
    return drawn
