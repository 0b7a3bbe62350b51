"""The instances of many users at once, each from her own stream."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.compiled.compiler import compile_loop, once
from explorative_user_env.compiled.generators import Streams
from explorative_user_env.compiled.intrinsics import generator_at
from explorative_user_env.users.best_arms import draw_means
from explorative_user_env.users.instances import InstanceLaw


def draw_at_once(
    law: InstanceLaw, n_arms: int, n_users: int, users: Streams
) -> tuple[np.ndarray, np.ndarray]:
    """Return the true means and the best arms of users, as `law.draw` draws them one by one.

    Args:
        law: where they come from; one with a name is drawn in compiled code.
        n_arms: K.
        n_users: how many there are.
        users: their streams, at least as many.

    Returns:
        Arrays of shape (n, K) and (n,).

    Raises:
        InvalidArgumentError: for an instance that the law does not allow.
    """
    if law.named is None:
        instances = [law.draw(rng) for rng in users.rngs[:n_users]]
        means = np.array([instance.means for instance in instances])
        return means, np.array([instance.best_arm for instance in instances])
    assert law.gap is not None
    means, best_arms = np.zeros((n_users, n_arms)), np.zeros(n_users, int)
    draw_all = compiled_draw(law.named.one)
    draw_all(means, best_arms, users.states, users.draws, law.scale, law.gap, law.gap_factor)
    return means, best_arms


@once
def compiled_draw(mean: Callable[[np.random.Generator], float]) -> Callable[..., None]:
    """Return the compiled loop that draws instances, whose means are drawn by `mean`."""

    def draw_all(
        means: Any,
        best_arms: Any,
        streams: Any,
        draws: Any,
        scale: float,
        gap: float,
        gap_factor: float,
    ) -> None:
        for index in range(best_arms.shape[0]):
            rng = generator_at((streams[index], draws[0], draws[1], draws[2]))
            # No named law loses its gap.
            best_arms[index] = draw_means(means[index], mean, scale, gap, gap_factor, rng)

    loop: Callable[..., None] = compile_loop(draw_all)
    return loop
