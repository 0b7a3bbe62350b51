"""Three users in step who have begun, and all that there is to know of them."""

from typing import Any, TypeVar

from explorative_user_env import ExplorativeUserVectorEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv

Vector = TypeVar("Vector", bound=ExplorativeUserVectorEnv)

COUNTERS = {"has_response", "interactions", "acceptances", "rejections"}


def begun(compiled: bool, **kwargs: Any) -> ExplorativeUserVectorEnv:
    """Return three users with four arms each, who have had two recommendations."""
    return _begun(ExplorativeUserVectorEnv(3, compiled=compiled, **_given(kwargs)))


def begun_bai(compiled: bool, **kwargs: Any) -> ExplorativeUserBAIVectorEnv:
    """Return the same three users, whose best arms are to be named."""
    return _begun(ExplorativeUserBAIVectorEnv(3, compiled=compiled, **_given(kwargs)))


def _given(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"n_arms": 4, "noise": 0.1, "render_mode": "ansi"} | kwargs


def _begun(vector: Vector) -> Vector:
    vector.reset(seed=5)
    vector.step([0, 1, 2])
    vector.step([1, 1, 3])
    return vector


def everything(vector: ExplorativeUserVectorEnv) -> Any:
    """Return the truth about every user, what is shown of her, and where her stream is."""
    states = [rng.bit_generator.state for rng in vector.np_random]
    masks: Any = None
    if isinstance(vector, ExplorativeUserBAIVectorEnv):
        masks = vector.action_masks().tolist()
    return vector.hidden_states(), vector.render(), vector.np_random_seed, states, masks
