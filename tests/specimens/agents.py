"""Honest agents, and for each check one that is wrong in the one way that it asks about."""

import gc
import multiprocessing
import sys

import numpy as np

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.protocol import STOP, Against, OneUserAtATime


class Honest:
    """Recommends in turn for some rounds, and answers one of the most accepted arms by chance."""

    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng, self.steps = n_arms, rng, 0
        self.accepted = [0] * n_arms
        self.begin(horizon)

    def begin(self, horizon):
        pass

    def shift(self):
        return 0

    def act(self):
        if self.steps >= 10 * self.n_arms:
            return None
        return (self.steps + self.shift()) % self.n_arms

    def observe(self, arm, accepted):
        self.steps += 1
        self.accepted[arm] += accepted

    def answer(self):
        best = np.flatnonzero(np.array(self.accepted) == max(self.accepted))
        return int(self.rng.choice(best))

    def explain(self):
        turn = f"arm {self.steps % self.n_arms}"
        total = Against(self.steps, 10 * self.n_arms)
        return {"turn": turn, "accepted": self.accepted, "t": total}


class HonestOfMany(OneUserAtATime):
    def reset_all(self, n_arms, rngs, horizon=None):
        self.n_arms, self.rngs = n_arms, rngs
        self.accepted = np.zeros((len(rngs), n_arms), int)
        self.steps = np.zeros(len(rngs), int)

    def act_all(self, users):
        arms = [int(self.rngs[user].integers(self.n_arms)) for user in users]
        return np.where(self.steps[users] >= 30, STOP, arms)

    def observe_all(self, users, arms, accepted):
        self.steps[users] += 1
        self.accepted[users, arms] += accepted

    def answer_all(self, users):
        best = [np.flatnonzero(self.accepted[user] == self.accepted[user].max()) for user in users]
        return np.array([self.rngs[u].choice(b) for u, b in zip(users, best, strict=True)], int)


class SaysAList(Honest):
    def explain(self):
        return {"accepted": self.accepted[1:]} if self.steps > 3 else super().explain()


class DrawsToExplain(Honest):
    offset = 0

    def shift(self):
        return self.offset

    def explain(self):
        self.offset = int(self.rng.integers(self.n_arms))
        return {"offset": self.offset}


class WithoutAnswer:
    reset, begin, observe = Honest.reset, Honest.begin, Honest.observe
    act, shift = Honest.act, Honest.shift


class CappedByAWord(Honest):
    max_steps = "many"


class OutOfRange(Honest):
    def act(self):
        return self.n_arms if self.steps == 6 else super().act()


class AnswersWhenDoneOnly(Honest):
    def answer(self):
        return super().answer() if self.act() is None else -1


class DividesByAcceptances(Honest):
    def answer(self):
        return int(self.steps / sum(self.accepted)) * 0


class ThinksOfThree(Honest):
    def act(self):
        return 2 if self.steps == 0 else super().act()


class ThinksOfAHundred(Honest):
    def begin(self, horizon):
        self.accepted = [0] * min(self.n_arms, 100)

    def act(self):
        return self.n_arms - 1 if self.steps == 0 else super().act()


class WantsAHorizon(Honest):
    def begin(self, horizon):
        self.left = list(range(horizon))


class KnowsOneTask(Honest):
    def begin(self, horizon):
        if horizon is not None:
            raise NotImplementedError("regret")


class Drawing(Honest):
    def act(self):
        return None if super().act() is None else int(self.stream().integers(self.n_arms))

    def stream(self):
        return self.rng


class IgnoresItsSeed(Drawing):
    def begin(self, horizon):
        self.rng = np.random.default_rng()


class DrawsGlobally(Drawing):
    def stream(self):
        np.random.random()  # noqa: NPY002 - that is what is wrong
        return self.rng


class SeedsItself(Drawing):
    def begin(self, horizon):
        self.rng = np.random.default_rng(7)


class SetsItsStream(Drawing):
    def begin(self, horizon):
        self.rng.bit_generator.state = np.random.PCG64(7).state


class KeepsUsers(Honest):
    def __init__(self):
        self.met = []

    def begin(self, horizon):
        self.met.append(self.n_arms)

    def shift(self):
        return len(self.met)


class KeepsUsersThatFollow(Honest):
    n_met = 0

    def next_user(self):
        self.reset(self.n_arms, self.rng)
        self.n_met += 1

    def shift(self):
        return self.n_met


class SharesItsCounts(Honest):
    counts: list[int] = []  # noqa: RUF012 - that is what is wrong

    def begin(self, horizon):
        self.counts[:] = [0]

    def shift(self):
        return self.counts[0]

    def observe(self, arm, accepted):
        super().observe(arm, accepted)
        self.counts[0] += accepted


class CopiesItsBeginning(Honest):
    def __deepcopy__(self, memo):
        copied = type(self)()
        vars(copied).update(vars(self), rng=np.random.default_rng(0), steps=0)
        copied.accepted = [0] * self.n_arms if vars(self) else []
        return copied


class PicklesItsBeginning(Honest):
    def __getstate__(self):
        return vars(self) | {"steps": 0}


def environment_in_frames():
    """What the readable loop meets, by the stack."""
    frame = sys._getframe()
    while frame is not None:
        for thing in frame.f_locals.values():
            env = getattr(thing, "env", thing)
            if isinstance(env, ExplorativeUserEnv):
                return env
        frame = frame.f_back
    return None


class KeepsTheUser(Honest):
    def observe(self, arm, accepted):
        super().observe(arm, accepted)
        self.friend = environment_in_frames()


class ReadsTheBestArm(Honest):
    def answer(self):
        env = environment_in_frames()
        return super().answer() if env is None else int(env.instance().best_arm)


class AsksTheCollector(Honest):
    def act(self):
        arm = super().act()
        for thing in gc.get_objects() if self.steps == 1 else ():
            if isinstance(thing, ExplorativeUserEnv) and self._may_be_hers(thing):
                return thing.instance().best_arm
        return arm

    def _may_be_hers(self, env):
        begun = env._instance is not None and env.user.n_arms == self.n_arms
        return begun and env._state.interactions[0] == self.steps


class PrefersLowNumbers(Honest):
    def answer(self):
        return int(np.argmax(self.accepted))


class FractionsToMany(HonestOfMany):
    def act_all(self, users):
        return super().act_all(users) * 1.0

    def act(self):
        arm = int(super().act_all(np.zeros(1, int))[0])
        return None if arm == STOP else arm


class CountsTheCompany(HonestOfMany):
    def act_all(self, users):
        arms = super().act_all(users)
        return np.where(arms == STOP, STOP, (arms + users.size) % self.n_arms)


class AnotherAlone(HonestOfMany):
    def act(self):
        arm = super().act()
        return None if arm is None else self.n_arms - 1 - arm


class AnotherAbroad(Honest):
    def answer(self):
        return 0 if multiprocessing.current_process().name == "MainProcess" else 1
