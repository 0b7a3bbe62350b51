"""For each check the subjects that are wrong in a way that it asks about, one a fault."""

import gc
import math
import multiprocessing
import sys
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from toy_agents import Wanderer

from explorative_user_env import (
    Behaviour,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    RewardLaw,
    Schedule,
)
from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.agents.uniform import ALGORITHM, Params, State
from explorative_user_env.check import Kind
from explorative_user_env.protocol import STOP, Against
from explorative_user_env.users import model as rules


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
        return {"accepted": self.accepted, "t": Against(self.steps, 10 * self.n_arms)}


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


class Drawing(Honest):
    def act(self):
        return None if super().act() is None else int(self.stream().integers(self.n_arms))

    def stream(self):
        return self.rng


class WatchesTheClock(Honest):
    def shift(self):
        return int(time.time() // 900)


class DrawsGlobally(Drawing):
    def stream(self):
        np.random.random()  # noqa: NPY002 - that is what is wrong
        return self.rng


class SeedsItself(Drawing):
    def begin(self, horizon):
        self.rng = np.random.default_rng(7)


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


class CountsTheCompany(Wanderer):
    def act_all(self, users):
        arms = super().act_all(users)
        return np.where(arms == STOP, STOP, (arms + users.size) % self.n_arms)


class AnotherAbroad(Honest):
    def answer(self):
        return 0 if multiprocessing.current_process().name == "MainProcess" else 1


# Environments of one user and of many


class TakesNoOptions(ExplorativeUserEnv):
    def reset(self, *, seed=None):
        return super().reset(seed=seed)


class PaysNothingKnown(ExplorativeUserEnv):
    def step(self, action):
        observation, _, *rest = super().step(action)
        return observation, float("nan"), *rest


class PaysOneLaneTooMany(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, np.append(rewards, 0.0), *rest


class Clips(ExplorativeUserEnv):
    def step(self, action):
        return super().step(min(max(action, 0), self.user.n_arms - 1))


class IgnoresSeed(ExplorativeUserEnv):
    def reset(self, **given):
        entropy = np.random.SeedSequence().generate_state(1)[0]
        return super().reset(**given | {"seed": int(entropy)})


class HasOneSeed(ExplorativeUserEnv):
    def reset(self, **given):
        return super().reset(**given | {"seed": 0})


class HandsOutOneInfo(ExplorativeUserEnv):
    def reset(self, **given):
        observation, self.info = super().reset(**given)
        return observation, self.info

    def step(self, action):
        *heard, info = super().step(action)
        self.info.clear()
        self.info.update(info)
        return *heard, self.info


class HandsOutMeans(ExplorativeUserEnv):
    def step(self, action):
        *heard, info = super().step(action)
        return *heard, info | {"debug": [{"mu": np.array(self.instance().means)}]}


class HandsOutItself(ExplorativeUserVectorEnv):
    def step(self, actions):
        *heard, info = super().step(actions)
        return *heard, info | {"debug": lambda: self}


def begun(kind):
    env = kind()
    env.reset(seed=99)
    return env


class PicklesAnotherStream(ExplorativeUserEnv):
    def __reduce__(self):
        return begun, (type(self),)


class ShiftsItsLanes(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return np.roll(observations, 1), np.roll(rewards, 1), *rest


class PaysForResets(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards - 1.0, *rest


# Records

_calls = [0]


def overflows(number):
    """What compiled code, whose integers have 64 bits, finds otherwise at times."""
    return (number * 4611686018427387904) % 7 < 3


# Algorithms


def take_anything(options, n_arms, horizon):
    return Params(n_arms, horizon or 10, options["order"] == "random", False)


def blank_of_arrays(params):
    return State(np.zeros(params.n_arms, int), [0], [0])


def start_nothing(params, state, rng):
    state.steps[0] = 0


def act_by_calls(params, state, rng):
    _calls[0] += 1
    return STOP if state.steps[0] >= params.horizon else (_calls[0] // 3) % params.n_arms


def act_for_ever(params, state, rng):
    return state.following[0]


class Shares(NamedTuple):
    accepted: list[float]
    steps: list[int]
    following: list[int]
    share: list[Any]


def blank_of_whole_numbers(params):
    """A share that becomes a fraction, and is 0 at first and not 0.0: an array cuts it off."""
    return Shares([0.0] * params.n_arms, [0], [0], [0])


def act_by_share(params, state, rng):
    if state.steps[0] >= params.horizon:
        return STOP
    state.share[0] = state.share[0] / 2 + 0.3
    return int(state.share[0] * 100 + state.steps[0]) % params.n_arms


ALGORITHMS_WRONG = {
    "validates_its_options": replace(ALGORITHM, prepare=take_anything),
    "has_only_numbers": replace(ALGORITHM, blank=blank_of_arrays),
    "start_resets_the_state": replace(ALGORITHM, start=start_nothing),
    "state_is_complete": replace(ALGORITHM, act=act_by_calls),
    "stops_by_its_horizon": replace(ALGORITHM, act=act_for_ever),
    "compiled_rules_equal_python": replace(
        ALGORITHM, blank=blank_of_whole_numbers, act=act_by_share
    ),
}

# Behaviours


def says_one(user, state, rule, arm, rng):
    return 1 if rules.respond(user, state, rule, arm, rng) else 0


def counts_no_rejection(user, state, rule, arm, rng):
    accepted = rules.respond(user, state, rule, arm, rng)
    if not accepted:
        state.interactions[0] -= 1
    return accepted


def changes_taste(user, state, rule, arm, rng):
    state.means[arm] += 0.01
    return rules.respond(user, state, rule, arm, rng)


def throws_everybodys_coin(user, state, rule, arm, rng):
    wants = bool(np.random.random() < 0.5)  # noqa: NPY002 - that is what is wrong
    return rules.respond(user, state, rule, arm, rng, wants)


def tires_of_all(user, state, rule, arm, rng):
    _calls[0] += 1
    return rules.respond(user, state, rule, arm, rng, _calls[0] % 3 > 0)


def overflowing(user, state, rule, arm, rng):
    wants = overflows(state.interactions[0])
    return rules.respond(user, state, rule, arm, rng, wants)


def leaves_by_one(user, state, accepted, rng):
    return 0 if accepted else 1


BEHAVIOURS = {
    "responds_true_or_false": (
        Behaviour("says one", respond=says_one),
        Behaviour("leaves by one", leaves=leaves_by_one),
    ),
    "counts_responses": Behaviour("counts", respond=counts_no_rejection),
    "keeps_the_means": Behaviour("changes taste", respond=changes_taste),
    "follows_from_the_user_seed": Behaviour("coin", respond=throws_everybodys_coin),
    "user_state_is_complete": Behaviour("tires", respond=tires_of_all),
    "compiled_users_equal_python": Behaviour("overflows", respond=overflowing),
}

# Schedules


def three_late(parameters, n, t, n_arms):
    return 3.0 if t > 10_000 else 1.5


def rising(parameters, n, t, n_arms):
    _calls[0] += 1
    return 1.0 + (_calls[0] % 10) / 10.0


def not_for_twenty(parameters, n, t, n_arms):
    if n_arms == 20:
        raise LookupError("no rho for 20 arms")
    return 1.5


def overflowing_rule(parameters, n, t, n_arms):
    return 2.0 if overflows(t) else 1.0


SCHEDULES = {
    "stays_in_its_range": Schedule(three_late, 1.0, 2.0),
    "depends_only_on_counts": Schedule(rising, 1.0, 2.0),
    "runs_under_every_setting": Schedule(not_for_twenty, 1.0, 2.0),
    "compiled_schedule_equals_python": Schedule(overflowing_rule, 1.0, 2.0),
}

# Laws of rewards


def at_times_nan(mean, rng):
    return math.nan if rng.random() < 0.1 else mean


def flattering(mean, rng):
    return mean + 0.1 + rng.standard_normal()


def wide(mean, rng):
    return mean + 1.2 * rng.standard_normal()


def from_everybodys_stream(mean, rng):
    return mean + float(np.random.standard_normal())  # noqa: NPY002 - that is what is wrong


def overflowing_law(mean, rng):
    x = rng.random()
    return mean + (0.5 if overflows(int(x * 1000000)) else -0.5)


LAWS = {
    "draws_finite_numbers": RewardLaw("at times nan", at_times_nan),
    "has_the_requested_mean": RewardLaw("flattering", flattering),
    "has_variance_at_most_one": RewardLaw("wide", wide),
    "draws_only_from_its_stream": RewardLaw("everybody's", from_everybodys_stream),
    "compiled_law_equals_python": RewardLaw("overflows", overflowing_law),
}


# By kind and name of the check


def truncating():
    """An agent of an algorithm that is another when it is compiled."""
    return AlgorithmAgent(ALGORITHMS_WRONG["compiled_rules_equal_python"], {})


AGENTS_WRONG = {
    "has_the_methods": WithoutAnswer,
    "has_valid_attributes": CappedByAWord,
    "recommends_arms": (OutOfRange, AnswersWhenDoneOnly),
    "runs_with_any_user": DividesByAcceptances,
    "runs_with_two_arms": ThinksOfThree,
    "runs_with_many_arms": ThinksOfAHundred,
    "accepts_horizon_or_none": WantsAHorizon,
    "repeats_with_the_same_stream": (WatchesTheClock, DrawsGlobally),
    "draws_from_no_other_stream": SeedsItself,
    "forgets_other_users": KeepsUsers,
    "continues_with_the_next_user": KeepsUsersThatFollow,
    "shares_no_state": SharesItsCounts,
    "copies_continue_alike": PicklesItsBeginning,
    "holds_no_secret": KeepsTheUser,
    "guesses_without_information": ReadsTheBestArm,
    "depends_only_on_responses": AsksTheCollector,
    "breaks_ties_by_chance": PrefersLowNumbers,
    "explains_itself": DrawsToExplain,
    "in_step_equals_one_at_a_time": CountsTheCompany,
    "compiled_equals_readable": truncating,
    "runs_in_another_process": AnotherAbroad,
}

ENVIRONMENTS_WRONG = {
    "passes_gymnasiums_checks": TakesNoOptions,
    "steps_by_the_contract": PaysNothingKnown,
    "refuses_invalid_actions": Clips,
    "replays_from_a_seed": IgnoresSeed,
    "depends_on_its_seed": HasOneSeed,
    "keeps_returned_values": HandsOutOneInfo,
    "returns_no_secret": HandsOutMeans,
    "continues_as_a_copy": PicklesAnotherStream,
}

VECTORS_WRONG = {
    "steps_by_the_contract": PaysOneLaneTooMany,
    "returns_no_secret": HandsOutItself,
    "lanes_are_single_environments": ShiftsItsLanes,
    "resets_by_its_mode": PaysForResets,
}

SPECIMENS = {
    Kind.AGENT: AGENTS_WRONG,
    Kind.ENVIRONMENT: ENVIRONMENTS_WRONG,
    Kind.VECTOR: VECTORS_WRONG,
    Kind.ALGORITHM: ALGORITHMS_WRONG,
    Kind.BEHAVIOUR: BEHAVIOURS,
    Kind.SCHEDULE: SCHEDULES,
    Kind.REWARD_LAW: LAWS,
}
