"""Whether users in step are the single ones, lane by lane, and begin anew when they should."""

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from explorative_user_env.check.checks import (
    FailedCheckError,
    NotAskedError,
    Subject,
    in_words,
    other_surroundings,
    shared_streams,
    travelled,
)
from explorative_user_env.check.secrets import Secrets, numbers_of
from explorative_user_env.validation import one_line

STEPS_TOGETHER = 40
"""Of all episodes that a check plays."""

OF_A_STEP = ("observation", "reward", "terminated", "truncated", "info")
"""What a step returns."""

OF_A_RESET = (OF_A_STEP[0], OF_A_STEP[-1])
"""What a reset returns."""

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
    """An environment that is played with at random, but by the seed, from episode to episode.

    Args:
        env: of one user or of many in step.
        seed: of the reset and of the actions.
        actions: the space of the actions; None is the environment's.
    """

    def __init__(self, env: Any, seed: int, actions: Any = None) -> None:
        self.env = env
        self.step, self.seed = 0, seed
        self._actions = copy.deepcopy(env.action_space if actions is None else actions)
        self._actions.seed(seed)
        self._done: Any = None

    def begin(self) -> Handed:
        """Reset it with the seed."""
        return self._called("reset", seed=self.seed)

    def go_on(self) -> Handed:
        """Take a step, or reset what has ended where nobody else does."""
        self.step += 1
        if self._done is not None and np.any(self._done):
            done, self._done = self._done, None
            if not isinstance(self.env, VectorEnv):
                return self._called("reset")
            if self.env.metadata.get("autoreset_mode") == AutoresetMode.DISABLED:
                return self._called("reset", options={"reset_mask": np.array(done)})
        handed = self._called("step", self.action())
        if len(handed) == len(OF_A_STEP):
            self._done = np.logical_or(handed[2], handed[3])
        return handed

    def action(self) -> Any:
        """Return the next action."""
        return self._actions.sample()

    def all(self, n_steps: int = STEPS_TOGETHER) -> Iterator[Handed]:
        """Yield what the reset and each of these steps hand out."""
        yield self.begin()
        for _ in range(n_steps):
            yield self.go_on()

    def _called(self, method: str, *given: Any, **options: Any) -> Handed:
        try:
            handed = getattr(self.env, method)(*given, **options)
        except Exception as error:
            raise FailedCheckError(f"{method} {in_words(error)} ({self.when})") from error
        parts = OF_A_RESET if method == "reset" else OF_A_STEP
        if not isinstance(handed, tuple) or len(handed) != len(parts):
            shown = f"{method} returned {one_line(repr(handed))}"
            raise FailedCheckError(f"{shown}, must be ({', '.join(parts)}) ({self.when})")
        return handed

    @property
    def when(self) -> str:
        """In words, how far it has come."""
        return f"at step {self.step} after reset(seed={self.seed})"


def expect_handed(found: Handed, wanted: Handed, when: str) -> None:
    """Make sure that the same was handed out, to the bit.

    Args:
        found: what a reset or a step returned.
        wanted: what it returned before, or elsewhere.
        when: in words, the step and what was different; nothing may follow from it.

    Raises:
        FailedCheckError: naming the part that differs.
    """
    parts = OF_A_STEP if len(found) == len(OF_A_STEP) else OF_A_RESET
    for part, one, other in zip(parts, found, wanted, strict=True):
        if told(one) != told(other):
            shown = f"{one_line(repr(one))} instead of {one_line(repr(other))}"
            raise FailedCheckError(f"{part} was {shown} {when}")


def expect_same_play(env: Any, wanted: list[Handed], seed: int, how: str) -> None:
    """Make sure that an environment hands out once more what was handed out before.

    Args:
        env: the environment.
        wanted: what a reset and steps returned.
        seed: of both.
        how: in words, what is different.
    """
    playing = Playing(env, seed)
    for found, other in zip(playing.all(len(wanted) - 1), wanted, strict=True):
        expect_handed(found, other, f"{playing.when} {how}")


def n_actions_of(env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any]) -> int:
    """Return how many actions there are, 0 where they are no numbers from 0 on."""
    space = getattr(env, "single_action_space", env.action_space)
    return int(space.n) if isinstance(space, gym.spaces.Discrete) and space.start == 0 else 0


LARGE_SEED = 10**12 + 39
"""A number that is anywhere for one reason only."""

SEEDS = 6
"""That are compared with each other."""

INTERRUPTED_AFTER = 5
"""Steps after which an episode is copied."""


def passes_gymnasiums_checks(subject: Subject) -> None:
    """Gymnasium's check_env finds no error in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is a matter of taste, and of wrappers
        check_env(subject.make(), skip_render_check=True)


def steps_by_the_contract(subject: Subject) -> None:
    """Observations are in their space, rewards finite numbers, ends truth values, infos dicts."""
    env = subject.make()
    playing = Playing(env, subject.seed)
    lanes = env.num_envs if isinstance(env, VectorEnv) else None
    for handed in playing.all():
        if not env.observation_space.contains(handed[0]):
            shown = one_line(repr(handed[0]))
            told_of = f"observation {shown} is not in {one_line(repr(env.observation_space))}"
            raise FailedCheckError(f"{told_of} ({playing.when})")
        if not isinstance(handed[-1], dict):
            raise FailedCheckError(f"info is {one_line(repr(handed[-1]))}, must be a dict")
        if len(handed) > 2:
            _check_numbers(handed[1], lanes, np.number, "reward", playing.when)
            _check_numbers(handed[2], lanes, np.bool_, "terminated", playing.when)
            _check_numbers(handed[3], lanes, np.bool_, "truncated", playing.when)


def _check_numbers(values: Any, lanes: int | None, kind: Any, part: str, when: str) -> None:
    numbers = np.asarray(values)
    fits = numbers.shape == (() if lanes is None else (lanes,))
    if not fits or not np.issubdtype(numbers.dtype, kind) or not np.isfinite(numbers).all():
        each = "finite numbers" if kind is np.number else "truth values"
        allowed = f"one of {each}" if lanes is None else f"{lanes} {each}"
        raise FailedCheckError(f"{part} is {one_line(repr(values))}, must be {allowed} ({when})")


def refuses_what_is_no_action(subject: Subject) -> None:
    """An action that is out of range is an error, and changes nothing."""
    env = subject.make()
    n_actions = n_actions_of(env)
    if not n_actions:
        raise NotAskedError("its actions are not the numbers 0..n-1")
    wanted = list(Playing(subject.make(), subject.seed).all())
    playing = Playing(env, subject.seed)
    for place, handed in enumerate(playing.all()):
        expect_handed(handed, wanted[place], f"{playing.when}, after actions that were refused")
        for action in (n_actions, -1):
            bad = np.full(env.num_envs, action) if isinstance(env, VectorEnv) else action
            try:
                env.step(bad)
            except Exception:
                continue
            raise FailedCheckError(f"action {action} was taken {playing.when}, must be an error")


def replays_from_a_seed(subject: Subject) -> None:
    """The same seed gives the same episodes, in it again, in another one and whatever else is."""
    env = subject.make()
    wanted = list(Playing(env, subject.seed).all())
    expect_same_play(env, wanted, subject.seed, "when it was reset with the same seed again")
    with other_surroundings(1):
        how = "in other surroundings (global streams, clock)"
        expect_same_play(subject.make(), wanted, subject.seed, how)


def heeds_its_seed(subject: Subject) -> None:
    """Other seeds give other episodes, or other streams at least."""
    plays, streams = set(), set()
    env = subject.make()
    for seed in range(SEEDS):
        playing = Playing(env, 0)
        playing.seed = seed  # the same actions
        plays.add(repr([told(each) for each in playing.all()]))
        streams.add(_streams_of(env))
    same = f"the same {STEPS_TOGETHER} steps with seeds 0 to {SEEDS - 1}"
    if len(plays) == 1 and len(streams) > 1:
        raise NotAskedError(f"chance does not show: {same}, by streams that differ")
    if len(plays) == 1:
        raise FailedCheckError(f"it gave {same}")


def _streams_of(env: Any) -> str:
    """Return where the stream of an environment stands, or those of all its users."""
    streams = env.unwrapped.np_random
    every = streams if isinstance(streams, tuple) else (streams,)
    return repr([stream.bit_generator.state for stream in every])


def leaves_shared_streams_alone(subject: Subject) -> None:
    """It neither draws from random, numpy.random and torch as all share them, nor seeds them."""
    before = shared_streams()
    list(Playing(subject.make(), subject.seed).all())
    for module, stream in shared_streams().items():
        if stream != before.get(module, stream):
            told_of = f"it drew from {module} or seeded it within {STEPS_TOGETHER} steps"
            raise FailedCheckError(f"{told_of}, must draw from its np_random")


def leaves_its_actions_alone(subject: Subject) -> None:
    """It writes neither on actions nor on the options of a reset that it is handed."""
    env = subject.make()
    options: dict[str, Any] = {}
    env.reset(seed=subject.seed, options=options)
    if options:
        raise FailedCheckError(f"reset wrote {options!r} on the options, which were empty")
    playing = Playing(env, subject.seed)
    several = isinstance(env, VectorEnv)
    for _ in range(INTERRUPTED_AFTER):
        playing.begin()
        action = np.array(playing.action())
        before = action.copy()
        env.step(action if several else action[()])
        if not np.array_equal(action, before):
            raise FailedCheckError(f"step wrote on its actions: {before!r} became {action!r}")


def hands_out_what_stays(subject: Subject) -> None:
    """What it has handed out is not changed by later steps."""
    playing = Playing(subject.make(), subject.seed)
    kept: list[tuple[str, Any, Any]] = []
    for handed in playing.all():
        kept.append((playing.when, handed, told(handed)))
    for when, handed, before in kept:
        if told(handed) != before:
            raise FailedCheckError(f"what was handed out {when} was another later")


def hands_out_no_secret(subject: Subject) -> None:
    """No way leads from observations and infos to the seed, the stream or the truth."""
    env = subject.make()
    if not _truths(env):
        raise NotAskedError("it has no hidden_state to be looked for")
    playing = Playing(env, LARGE_SEED + subject.seed)
    handed, numbers, seeds = [], [], range(playing.seed, playing.seed + 100)
    for each in playing.all():
        handed.append((each[0], each[-1]))
        numbers += [number for truth in _truths(env)() for number in numbers_of(truth)]
    if hasattr(env.unwrapped, "action_masks"):
        handed.append((env.unwrapped.action_masks(), {}))
    for way in Secrets(seeds, numbers).ways_from(handed):
        raise FailedCheckError(f"handed out (reset or step, observation or info){way} is a secret")


def _truths(env: Any) -> Any:
    """Return what tells the truths of an environment's users, None if nothing does."""
    whole = env.unwrapped
    if hasattr(whole, "hidden_states"):
        return whole.hidden_states
    return (lambda: [whole.hidden_state()]) if hasattr(whole, "hidden_state") else None


def continues_as_a_copy(subject: Subject) -> None:
    """A deep copy in the middle of an episode goes on as it does, and apart from it."""
    _goes_on(subject, copy.deepcopy, "as a deep copy")


def continues_when_pickled(subject: Subject) -> None:
    """Pickled in the middle of an episode and unpickled, it goes on as it does."""
    _goes_on(subject, travelled, "when pickled")


def _goes_on(subject: Subject, again: Callable[[Playing], Any], how: str) -> None:
    wanted = list(Playing(subject.make(), subject.seed).all())
    playing = Playing(subject.make(), subject.seed)
    for _ in zip(range(INTERRUPTED_AFTER + 1), playing.all(), strict=False):
        pass
    other = again(playing)
    for each, what in ((other, how), (playing, f"after another went on {how}")):
        for handed in wanted[each.step + 1 :]:
            expect_handed(each.go_on(), handed, f"{each.when} {what}")


LANES_CHECKED = 3
"""Users in step, where a check can choose."""


def lanes_are_single_environments(subject: Subject) -> None:
    """Lane b is the single environment with lane b's seed, at every step and every end."""
    if subject.alone is None:
        raise NotAskedError("there is no single environment that its lanes could equal")
    for mode in _modes(subject):
        envs = _made(subject, mode)
        singles = SyncVectorEnv([subject.alone] * envs.num_envs, autoreset_mode=_mode_of(envs))
        wanted = Playing(singles, subject.seed, envs.action_space)
        playing = Playing(envs, subject.seed)
        for found, other in zip(playing.all(), wanted.all(), strict=True):
            when = f"{playing.when}, mode {_mode_of(envs).value}, as against single environments"
            expect_handed(found, other, when)


def begins_anew_by_its_mode(subject: Subject) -> None:
    """A finished lane gets a new user as its autoreset mode says."""
    n_ends = 0
    for mode in _modes(subject):
        envs = _made(subject, mode)
        playing, done = Playing(envs, subject.seed), np.zeros(envs.num_envs, bool)
        for handed in playing.all():
            if len(handed) == len(OF_A_STEP):
                _check_end(handed, done, _mode_of(envs), playing.when)
                done = handed[2] | handed[3]
                n_ends += int(done.sum())
    if not n_ends:
        raise NotAskedError("no episode ended: give it one that ends after a few steps")


def _check_end(handed: Any, done: Any, mode: AutoresetMode, when: str) -> None:
    """Look at a step; `done` are the lanes that the step before finished."""
    _, rewards, terminated, truncated, info = handed
    ended = terminated | truncated
    if mode == AutoresetMode.NEXT_STEP and (rewards[done].any() or ended[done].any()):
        told = f"lanes {np.flatnonzero(done).tolist()} had ended, so this step is their reset"
        raise FailedCheckError(f"{told}: it must neither pay nor end ({when})")
    if mode != AutoresetMode.SAME_STEP:
        if "final_obs" in info:
            raise FailedCheckError(f"info has final_obs in mode {mode.value} ({when})")
        return
    finals = info.get("_final_obs", np.zeros_like(ended))
    if not np.array_equal(finals, ended):
        told = f"lanes {np.flatnonzero(ended).tolist()} ended"
        raise FailedCheckError(f"{told}, and info's final_obs is of {finals.tolist()} ({when})")


def _modes(subject: Subject) -> list[AutoresetMode | None]:
    """Return the modes that an environment can be made for; None is the one it has."""
    try:
        subject.make(AutoresetMode.SAME_STEP)
    except TypeError:
        return [None]
    return list(AutoresetMode)


def _made(subject: Subject, mode: AutoresetMode | None) -> Any:
    return subject.make() if mode is None else subject.make(mode)


def _mode_of(envs: Any) -> AutoresetMode:
    return AutoresetMode(envs.metadata["autoreset_mode"])
