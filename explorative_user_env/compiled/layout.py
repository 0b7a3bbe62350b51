"""The states of many users in two blocks of memory: what a step uses together is together.

An arm has 32 bytes (what is known of it), a user 64 of her own. The places below are the layout;
`row_of` reads it in Python, `row_at` in compiled code.
"""

from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.compiled.arrays import StateTuple, long_tables
from explorative_user_env.compiled.intrinsics import (
    ARM_BYTES,
    arm_counts_at,
    arm_fractions_at,
    counts_at,
    fractions_at,
)
from explorative_user_env.users.state import User

OWN_BYTES = 64

MEAN, ESTIMATE, SCALE, COUNT = range(0, ARM_BYTES, 8)
ACCEPTANCES, INTERACTIONS, REFRESHED, WITNESS, SPREAD, REWARD, CEILING, CEILING_SPREAD = range(
    0, OWN_BYTES, 8
)


class Rows(NamedTuple):
    """A row for each user."""

    arms: np.ndarray  # (n_users, n_arms, 4), fractions, or whole numbers if seen as such
    own: np.ndarray  # (n_users, 8), likewise
    logarithms: np.ndarray
    inverse_roots: np.ndarray


def user_rows(user: User, n_users: int) -> Rows:
    """Return rows to be filled by `start`."""
    arms = np.zeros((n_users, user.n_arms, ARM_BYTES // 8))
    return Rows(arms, np.zeros((n_users, OWN_BYTES // 8)), *long_tables())


def row_of(rows: Rows, user: int) -> Any:
    """Return the state of one of many users; to change it is to change her."""
    arms, own = rows.arms[user], rows.own[user]
    return StateTuple(
        means=arms[:, MEAN // 8],
        estimates=arms[:, ESTIMATE // 8],
        counts=arms.view(int)[:, COUNT // 8],
        scales=arms[:, SCALE // 8],
        acceptances=_own(own.view(int), ACCEPTANCES),
        interactions=_own(own.view(int), INTERACTIONS),
        refreshed=_own(own.view(int), REFRESHED),
        spread=_own(own, SPREAD),
        reward=_own(own, REWARD),
        ceiling=_own(own, CEILING),
        ceiling_spread=_own(own, CEILING_SPREAD),
        witness=_own(own.view(int), WITNESS),
        logarithms=rows.logarithms,
        inverse_roots=rows.inverse_roots,
    )


def _own(numbers: np.ndarray, place: int) -> np.ndarray:
    return numbers[place // 8 : place // 8 + 1]


def row_at(arms: int, own: int, n_arms: int, user: int, logarithms: Any, inverse_roots: Any) -> Any:
    """Return, in compiled code, the state of one of many users, the blocks given by address."""
    first = memory_of_arm(arms, n_arms, user, 0)
    mine = own + user * OWN_BYTES
    return StateTuple(
        arm_fractions_at(first + MEAN, n_arms),
        arm_fractions_at(first + ESTIMATE, n_arms),
        arm_counts_at(first + COUNT, n_arms),
        arm_fractions_at(first + SCALE, n_arms),
        counts_at(mine + ACCEPTANCES, 1),
        counts_at(mine + INTERACTIONS, 1),
        counts_at(mine + REFRESHED, 1),
        fractions_at(mine + SPREAD, 1),
        fractions_at(mine + REWARD, 1),
        fractions_at(mine + CEILING, 1),
        fractions_at(mine + CEILING_SPREAD, 1),
        counts_at(mine + WITNESS, 1),
        logarithms,
        inverse_roots,
    )


def memory_of_arm(arms: int, n_arms: int, user: int, arm: int) -> int:
    """Return the address of what one of many users knows of an arm."""
    return arms + (user * n_arms + arm) * ARM_BYTES


def witness_at(own: int, user: int) -> int:
    """Return, in compiled code, the witness of one of many users."""
    witness: int = counts_at(own + user * OWN_BYTES + WITNESS, 1)[0]
    return witness
