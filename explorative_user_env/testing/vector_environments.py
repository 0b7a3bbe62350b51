"""Whether users in step are the single ones, lane by lane, and begin anew when they should."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.episodes import OF_A_STEP, Playing, expect_handed

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
