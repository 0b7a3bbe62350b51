"""Checks of environments, of one user and of many in step."""

import copy
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from explorative_user_env.check import checks
from explorative_user_env.check.checks import FailedCheckError, Kind, Subject, asked_of, expect
from explorative_user_env.validation import one_line

#: Steps of all episodes that a check plays; those of users who may change are longer.
STEPS_TOGETHER = 40

#: Steps after which an episode is copied.
INTERRUPTED_AFTER = 5

#: A number that is anywhere for one reason only.
LARGE_SEED = 10**12 + 39

OF_A_STEP = ("observation", "reward", "terminated", "truncated", "info")
OF_A_RESET = (OF_A_STEP[0], OF_A_STEP[-1])

Handed = tuple[Any, ...]


def told(value: Any) -> Any:
    """Return whatever an environment hands out, so that == sees types, shapes and every bit."""
    if isinstance(value, dict):
        return {key: told(each) for key, each in sorted(value.items())}
    if type(value) is tuple:
        return [told(each) for each in value]
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, repr(value.tolist()))
    return repr(value)


class Playing:
    """An environment, of one user or many, that is played by random actions of a space."""

    def __init__(self, env: Any, seed: int, actions: Any = None) -> None:
        self.env, self.step, self.seed = env, 0, seed
        self.actions = copy.deepcopy(env.action_space if actions is None else actions)
        self.actions.seed(seed)
        self._done: Any = False

    def go_on(self) -> Handed:
        """Take a step, or reset what has ended where nobody else does."""
        self.step += 1
        done, self._done = self._done, False
        if np.any(done) and not isinstance(self.env, VectorEnv):
            return self.call("reset")
        if np.any(done) and self.env.metadata.get("autoreset_mode") == AutoresetMode.DISABLED:
            return self.call("reset", options={"reset_mask": np.array(done)})
        handed = self.call("step", self.actions.sample())
        self._done = np.logical_or(handed[2], handed[3])
        return handed

    def all(self, n_steps: int = STEPS_TOGETHER) -> Iterator[Handed]:
        """Yield what the reset and each of these steps hand out."""
        yield self.call("reset", seed=self.seed)
        for _ in range(n_steps):
            yield self.go_on()

    def call(self, method: str, *given: Any, **options: Any) -> Handed:
        """Return what a method of it hands out, if these are as many parts as have to be."""
        try:
            handed = getattr(self.env, method)(*given, **options)
        except Exception as error:
            raise FailedCheckError(f"{method} {checks.in_words(error)} ({self})") from error
        n_parts = len(OF_A_RESET if method == "reset" else OF_A_STEP)
        seen = f"{method} returned {one_line(repr(handed))}, must be {n_parts} parts"
        expect(isinstance(handed, tuple) and len(handed) == n_parts, seen, self)
        return tuple(handed)

    def __str__(self) -> str:
        return f"at step {self.step} after reset(seed={self.seed})"


def expect_handed(found: Handed, wanted: Handed, when: str) -> None:
    """Fail a check unless the same was handed out, to the bit, though something was different."""
    parts = OF_A_STEP if len(found) == len(OF_A_STEP) else OF_A_RESET
    for part, one, other in zip(parts, found, wanted, strict=True):
        shown = f"{one_line(repr(one))} instead of {one_line(repr(other))}"
        expect(told(one) == told(other), f"{part} was {shown} {when}")


def expect_replay(playing: Playing, wanted: Sequence[Handed], when: str = "") -> None:
    """Fail a check unless an environment hands out the same from its reset on."""
    for found, other in zip(playing.all(len(wanted) - 1), wanted, strict=True):
        expect_handed(found, other, f"{playing}{when}")


def passes_gymnasiums_checks(subject: Subject) -> None:
    """Gymnasium's check_env finds no error in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is a matter of taste, and of wrappers
        check_env(subject.make(), skip_render_check=True)


asked_of(globals(), Kind.ENVIRONMENT)


def steps_by_the_contract(subject: Subject) -> None:
    """Observations are in their space, rewards finite numbers, ends truth values, infos dicts."""
    env = subject.make()
    playing, shape = Playing(env, subject.seed), (getattr(env, "num_envs", 1),)
    for observation, *rest, info in playing.all():
        within = env.observation_space.contains(observation)
        shown = f"observation {one_line(repr(observation))} is not in {env.observation_space}"
        expect(within, one_line(shown, 400), playing)
        expect(isinstance(info, dict), f"info is {one_line(repr(info))}, must be a dict", playing)
        for part, values in zip(OF_A_STEP[1:], rest, strict=False):
            numbers = np.asarray(values if isinstance(env, VectorEnv) else [values])
            kind: Any = np.number if part == "reward" else np.bool_
            allowed = "finite numbers" if part == "reward" else "truth values"
            shown = f"{part} is {one_line(repr(values))}, must be {shape[0]} {allowed}"
            fits = numbers.shape == shape and np.issubdtype(numbers.dtype, kind)
            expect(fits and np.isfinite(numbers).all(), shown, playing)


def refuses_what_is_no_action(subject: Subject) -> None:
    """An action that is out of range is an error, and changes nothing."""
    env = subject.make()
    space = getattr(env, "single_action_space", env.action_space)
    numbers = isinstance(space, gym.spaces.Discrete) and space.start == 0
    checks.applies(numbers, "its actions are not the numbers 0..n-1")
    playing, undisturbed = Playing(env, subject.seed), Playing(subject.make(), subject.seed)
    for handed, wanted in zip(playing.all(), undisturbed.all(), strict=True):
        expect_handed(handed, wanted, f"{playing}, after actions that were refused")
        for action in (int(space.n), -1):
            bad = np.full(env.num_envs, action) if isinstance(env, VectorEnv) else action
            try:
                env.step(bad)
            except Exception:
                continue
            raise FailedCheckError(f"action {action} was taken {playing}, must be an error")


def replays_from_a_seed(subject: Subject, n_steps: int = STEPS_TOGETHER) -> None:
    """The same seed gives the same episodes, in it again, in another one and whatever else is."""
    with checks.shared_streams_kept(f"within {n_steps} steps"):
        env = subject.make()
        wanted = list(Playing(env, subject.seed).all(n_steps))
    when = " when it was reset with the same seed again"
    expect_replay(Playing(env, subject.seed), wanted, when)
    with checks.other_surroundings(1):
        when = " in other surroundings (global streams, clock)"
        expect_replay(Playing(subject.make(), subject.seed), wanted, when)


def heeds_its_seed(subject: Subject) -> None:
    """Other seeds give other episodes, or other streams at least."""
    env, seen = subject.make(), set()
    for seed in range(6):
        playing = Playing(env, 0)
        playing.seed = seed  # the same actions
        env.reset(seed=seed)
        streams = env.unwrapped.np_random
        every = streams if isinstance(streams, tuple) else (streams,)
        begun = [repr(stream.bit_generator.state) for stream in every]
        seen.add(repr((begun, [told(each) for each in playing.all()])))
    expect(len(seen) > 1, f"it gave the same {STEPS_TOGETHER} steps with seeds 0 to 5")


def hands_out_what_stays(subject: Subject) -> None:
    """What it has handed out is not changed by later steps."""
    playing = Playing(subject.make(), subject.seed)
    kept = [(str(playing), handed, told(handed)) for handed in playing.all()]
    for when, handed, before in kept:
        expect(told(handed) == before, f"what was handed out {when} was another later")


def hands_out_no_secret(subject: Subject) -> None:
    """No way leads from observations and infos to the seed, the stream or the truth."""
    env = subject.make()
    whole = env.unwrapped
    many = hasattr(whole, "hidden_states")
    known = many or hasattr(whole, "hidden_state")
    checks.applies(known, "it has no hidden_state to be looked for")
    playing = Playing(env, LARGE_SEED + subject.seed)
    handed, numbers, seeds = [], [], range(playing.seed, playing.seed + 100)
    for each in playing.all():
        handed.append((each[0], each[-1]))
        for truth in whole.hidden_states() if many else [whole.hidden_state()]:
            numbers += checks.numbers_of(truth)
    if hasattr(whole, "action_masks"):
        handed.append((whole.action_masks(), {}))
    for way in checks.Secrets(seeds, numbers).ways_from(handed):
        raise FailedCheckError(f"handed out (reset or step, observation or info){way} is a secret")


def continues_as_a_copy(subject: Subject, n_steps: int = STEPS_TOGETHER) -> None:
    """Copied or pickled in the middle of an episode, it goes on as it does, and apart from it."""
    wanted = [*Playing(subject.make(), subject.seed).all(n_steps)]
    for how, again in checks.COPIES.items():
        playing = Playing(subject.make(), subject.seed)
        expect_replay(playing, wanted[: INTERRUPTED_AFTER + 1])
        other = again(playing)
        for each, what in ((other, how), (playing, f"though another went on {how}")):
            for handed in wanted[each.step + 1 :]:
                expect_handed(each.go_on(), handed, f"{each} {what}")


asked_of(globals(), Kind.ENVIRONMENT, Kind.VECTOR)


def lanes_are_single_environments(subject: Subject) -> None:
    """Lane b is the single environment with lane b's seed, at every step and every end."""
    alone: Any = subject.alone
    checks.applies(alone, "there is no single environment that its lanes could equal")
    for envs, mode in _in_each_mode(subject):
        singles = SyncVectorEnv([alone] * envs.num_envs, autoreset_mode=mode)
        wanted = [*Playing(singles, subject.seed, envs.action_space).all()]
        when = f", mode {mode.value}, as against single environments"
        expect_replay(Playing(envs, subject.seed), wanted, when)


def begins_anew_by_its_mode(subject: Subject) -> None:
    """A finished lane gets a new user as its autoreset mode says."""
    n_ends = 0
    for envs, mode in _in_each_mode(subject):
        playing, done = Playing(envs, subject.seed), np.zeros(envs.num_envs, bool)
        for handed in playing.all():
            if len(handed) != len(OF_A_STEP):
                continue
            _, rewards, terminated, truncated, info = handed
            ended = terminated | truncated
            if mode == AutoresetMode.NEXT_STEP:
                shown = f"lanes {np.flatnonzero(done).tolist()} had ended, so this step is their "
                still = not (rewards[done].any() or ended[done].any())
                expect(still, f"{shown}reset: it must neither pay nor end", playing)
            finals = info.get("_final_obs", np.zeros_like(ended))
            wanted = ended & (mode == AutoresetMode.SAME_STEP)
            shown = f"info has final_obs of lanes {np.flatnonzero(finals).tolist()} in mode "
            shown += f"{mode.value}, must have those of {np.flatnonzero(wanted).tolist()}"
            expect(np.array_equal(finals, wanted), shown, playing)
            done, n_ends = ended, n_ends + int(ended.sum())
    checks.applies(n_ends, "no episode ended: give it one that ends after a few steps")


def _in_each_mode(subject: Subject) -> Iterator[tuple[Any, AutoresetMode]]:
    """Yield an environment in each autoreset mode that it can be made for."""
    try:
        every = [subject.make(autoreset_mode=mode) for mode in AutoresetMode]
    except TypeError:
        every = [subject.make()]
    for envs in every:
        yield envs, AutoresetMode(envs.metadata["autoreset_mode"])


asked_of(globals(), Kind.VECTOR)
