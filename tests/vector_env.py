"""Three users in step who have begun, and all that there is to know of them."""

from explorative_user_env import ExplorativeUserVectorEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv


def begun(compiled, kind=ExplorativeUserVectorEnv, **kwargs):
    """Return three users with four arms each, who have had two recommendations."""
    given = {"n_arms": 4, "noise": 0.1, "render_mode": "ansi"} | kwargs
    vector = kind(3, compiled=compiled, **given)
    vector.reset(seed=5)
    vector.step([0, 1, 2])
    vector.step([1, 1, 3])
    return vector


def begun_bai(compiled, **kwargs):
    """Return the same three users, whose best arms are to be named."""
    return begun(compiled, ExplorativeUserBAIVectorEnv, **kwargs)


def everything(vector):
    """Return the truth about every user, what is shown of her, and where her stream is."""
    states = [rng.bit_generator.state for rng in vector.np_random]
    masks = None
    if isinstance(vector, ExplorativeUserBAIVectorEnv):
        masks = vector.action_masks().tolist()
    return vector.hidden_states(), vector.render(), vector.np_random_seed, states, masks
