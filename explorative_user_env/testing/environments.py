"""Whether an environment keeps Gymnasium's contract, its seed, and its secrets."""

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import VectorEnv

from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.episodes import (
    STEPS_TOGETHER,
    Playing,
    expect_handed,
    expect_same_play,
    n_actions_of,
    told,
)
from explorative_user_env.testing.secrets import Secrets, numbers_of
from explorative_user_env.testing.surroundings import other_surroundings, shared_streams, travelled
from explorative_user_env.validation import one_line

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
