"""Checks of single and vector environments."""

import copy
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from explorative_user_env.check import checks
from explorative_user_env.check.checks import FailedCheckError, Kind, Subject, expect, register
from explorative_user_env.validation import one_line

#: Environment steps that most checks take.
N_STEPS = 40

#: Steps before a check copies an environment.
COPIED_AFTER = 5

#: A seed that no returned value equals by coincidence.
LARGE_SEED = 10**12 + 39

OF_A_STEP = ("observation", "reward", "terminated", "truncated", "info")
OF_A_RESET = (OF_A_STEP[0], OF_A_STEP[-1])

Returned = tuple[Any, ...]


def exact(value: Any) -> Any:
    """Convert a value; two results are equal only if their values are bit-identical."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in sorted(value.items())}
    if type(value) is tuple:
        return [exact(each) for each in value]
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, repr(value.tolist()))
    return repr(value)


class Playing:
    """An environment, single or vector, and the random actions that a check passes to it."""

    def __init__(self, env: Any, seed: int, actions: Any = None) -> None:
        self.env, self.step, self.seed = env, 0, seed
        self.actions = copy.deepcopy(env.action_space if actions is None else actions)
        self.actions.seed(seed)
        self._done: Any = False

    def advance(self) -> Returned:
        """Take a step, or reset a finished episode if the environment does not reset itself."""
        self.step += 1
        done, self._done = self._done, False
        if np.any(done) and not isinstance(self.env, VectorEnv):
            return self.call("reset")
        if np.any(done) and self.env.metadata.get("autoreset_mode") == AutoresetMode.DISABLED:
            return self.call("reset", options={"reset_mask": np.array(done)})
        returned = self.call("step", self.actions.sample())
        self._done = np.logical_or(returned[2], returned[3])
        return returned

    def all(self, n_steps: int = N_STEPS) -> Iterator[Returned]:
        """Yield the return values of the reset and of each step."""
        yield self.call("reset", seed=self.seed)
        for _ in range(n_steps):
            yield self.advance()

    def call(self, method: str, *given: Any, **options: Any) -> Returned:
        """Call a method of the environment and check the number of returned values."""
        try:
            returned = getattr(self.env, method)(*given, **options)
        except Exception as error:
            raise FailedCheckError(f"{method} {checks.in_words(error)} ({self})") from error
        n_parts = len(OF_A_RESET if method == "reset" else OF_A_STEP)
        seen = f"{method} returned {one_line(repr(returned))}, must be {n_parts} parts"
        expect(isinstance(returned, tuple) and len(returned) == n_parts, seen, self)
        return tuple(returned)

    def __str__(self) -> str:
        return f"at step {self.step} after reset(seed={self.seed})"


def expect_same_return(actual: Returned, wanted: Returned, when: str) -> None:
    """Fail the check unless two return values are bit-identical; `when` ends the message."""
    parts = OF_A_STEP if len(actual) == len(OF_A_STEP) else OF_A_RESET
    for part, one, other in zip(parts, actual, wanted, strict=True):
        shown = f"{one_line(repr(one))} instead of {one_line(repr(other))}"
        expect(exact(one) == exact(other), f"{part} is {shown} {when}")


def expect_replay(playing: Playing, wanted: Sequence[Returned], when: str = "") -> None:
    """Fail the check unless the reset and each step of `playing` return the `wanted` values."""
    for actual, other in zip(playing.all(len(wanted) - 1), wanted, strict=True):
        expect_same_return(actual, other, f"{playing}{when}")


def passes_gymnasiums_checks(subject: Subject) -> None:
    """Gymnasium's check_env finds no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of check_env do not fail the check
        check_env(subject.make(), skip_render_check=True)


register(globals(), Kind.ENVIRONMENT)


def steps_by_the_contract(subject: Subject) -> None:
    """Observations lie in their space, rewards are finite, end flags are bool, infos are dicts."""
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
            allowed = "finite numbers" if part == "reward" else "booleans"
            shown = f"{part} is {one_line(repr(values))}, must be {shape[0]} {allowed}"
            fits = numbers.shape == shape and np.issubdtype(numbers.dtype, kind)
            expect(fits and np.isfinite(numbers).all(), shown, playing)


def refuses_invalid_actions(subject: Subject) -> None:
    """An action out of range raises an error and leaves the environment unchanged."""
    env = subject.make()
    space = getattr(env, "single_action_space", env.action_space)
    numbers = isinstance(space, gym.spaces.Discrete) and space.start == 0
    checks.applies(numbers, "its actions are not the numbers 0..n-1")
    playing, undisturbed = Playing(env, subject.seed), Playing(subject.make(), subject.seed)
    for returned, wanted in zip(playing.all(), undisturbed.all(), strict=True):
        expect_same_return(returned, wanted, f"{playing}, after refused actions")
        for action in (int(space.n), -1):
            bad = np.full(env.num_envs, action) if isinstance(env, VectorEnv) else action
            try:
                env.step(bad)
            except Exception:
                continue
            raise FailedCheckError(f"the invalid action {action} raised no error ({playing})")


def replays_from_a_seed(subject: Subject, n_steps: int = N_STEPS) -> None:
    """The seed alone determines the episodes; the clock and the global streams do not."""
    with checks.global_streams_unchanged(f"within {n_steps} steps"):
        env = subject.make()
        wanted = list(Playing(env, subject.seed).all(n_steps))
    when = " after a second reset with the same seed"
    expect_replay(Playing(env, subject.seed), wanted, when)
    with checks.other_global_state(1):
        when = " with other global streams and another clock"
        expect_replay(Playing(subject.make(), subject.seed), wanted, when)


def depends_on_its_seed(subject: Subject) -> None:
    """Different seeds give different episodes or random streams."""
    env, seen = subject.make(), set()
    for seed in range(6):
        playing = Playing(env, 0)
        playing.seed = seed  # the same actions
        env.reset(seed=seed)
        streams = env.unwrapped.np_random
        every = streams if isinstance(streams, tuple) else (streams,)
        starts = [repr(stream.bit_generator.state) for stream in every]
        seen.add(repr((starts, [exact(each) for each in playing.all()])))
    expect(len(seen) > 1, f"all seeds 0 to 5 gave the same {N_STEPS} steps")


def keeps_returned_values(subject: Subject) -> None:
    """Later steps do not change returned values."""
    playing = Playing(subject.make(), subject.seed)
    history = [(str(playing), returned, exact(returned)) for returned in playing.all()]
    for when, returned, before in history:
        expect(exact(returned) == before, f"a later step changed the values returned {when}")


def returns_no_secret(subject: Subject) -> None:
    """Observations and infos give no access to the user's seed, random stream or hidden state."""
    env = subject.make()
    bare = env.unwrapped
    many = hasattr(bare, "hidden_states")
    known = many or hasattr(bare, "hidden_state")
    checks.applies(known, "it has no hidden_state")
    playing = Playing(env, LARGE_SEED + subject.seed)
    returned, numbers, seeds = [], [], range(playing.seed, playing.seed + 100)
    for each in playing.all():
        returned.append((each[0], each[-1]))
        for truth in bare.hidden_states() if many else [bare.hidden_state()]:
            numbers += checks.numbers_of(truth)
    if hasattr(bare, "action_masks"):
        returned.append((bare.action_masks(), {}))
    for way in checks.Secrets(seeds, numbers).paths_from(returned):
        raise FailedCheckError(f"the list of returned (observation, info) has hidden data at {way}")


def continues_as_a_copy(subject: Subject, n_steps: int = N_STEPS) -> None:
    """A deepcopy or pickle of an environment continues like the original and does not change it."""
    wanted = [*Playing(subject.make(), subject.seed).all(n_steps)]
    for how, again in checks.COPIES.items():
        playing = Playing(subject.make(), subject.seed)
        expect_replay(playing, wanted[: COPIED_AFTER + 1])
        other = again(playing)
        for each, what in ((other, how), (playing, f"after its copy advanced, {how}")):
            for returned in wanted[each.step + 1 :]:
                expect_same_return(each.advance(), returned, f"{each} {what}")


register(globals(), Kind.ENVIRONMENT, Kind.VECTOR)


def lanes_are_single_environments(subject: Subject) -> None:
    """A lane and the single environment with the lane's seed return the same values."""
    alone: Any = subject.alone
    checks.applies(alone, "no single environment is known for its lanes")
    for envs, mode in _in_each_mode(subject):
        singles = SyncVectorEnv([alone] * envs.num_envs, autoreset_mode=mode)
        wanted = [*Playing(singles, subject.seed, envs.action_space).all()]
        when = f", mode {mode.value}, compared with single environments"
        expect_replay(Playing(envs, subject.seed), wanted, when)


def resets_by_its_mode(subject: Subject) -> None:
    """A finished lane gets a new user according to the autoreset mode."""
    n_ends = 0
    for envs, mode in _in_each_mode(subject):
        playing, done = Playing(envs, subject.seed), np.zeros(envs.num_envs, bool)
        for returned in playing.all():
            if len(returned) != len(OF_A_STEP):
                continue
            _, rewards, terminated, truncated, info = returned
            ended = terminated | truncated
            if mode == AutoresetMode.NEXT_STEP:
                shown = f"this step resets the ended lanes {np.flatnonzero(done).tolist()}: their "
                still = not (rewards[done].any() or ended[done].any())
                expect(still, f"{shown}rewards must be 0 and their ends False", playing)
            finals = info.get("_final_obs", np.zeros_like(ended))
            wanted = ended & (mode == AutoresetMode.SAME_STEP)
            shown = f"info has final_obs of lanes {np.flatnonzero(finals).tolist()} in mode "
            shown += f"{mode.value}, must have those of {np.flatnonzero(wanted).tolist()}"
            expect(np.array_equal(finals, wanted), shown, playing)
            done, n_ends = ended, n_ends + int(ended.sum())
    checks.applies(n_ends, "no episode ended: make episodes that end after a few steps")


def _in_each_mode(subject: Subject) -> Iterator[tuple[Any, AutoresetMode]]:
    """Yield a vector environment in each autoreset mode that `subject.make` supports."""
    try:
        every = [subject.make(autoreset_mode=mode) for mode in AutoresetMode]
    except TypeError:
        every = [subject.make()]
    for envs in every:
        yield envs, AutoresetMode(envs.metadata["autoreset_mode"])


register(globals(), Kind.VECTOR)
