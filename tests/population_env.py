"""One user after another: an episode as a slow loop over single users, and what to play there."""

from collections import namedtuple

import numpy as np
from numpy.random import SeedSequence, default_rng

from explorative_user_env import ExplorativeUserEnv

SMALL = {"n_arms": 4, "n_users": 3, "horizon": 7, "deviation": 0.6, "noise": 0.2}

COUNTS = ("interactions", "acceptances", "rejections")
Moment = namedtuple("Moment", "response, reward, over, told, means")
"""What a step hands out, and what it is about."""


def popularity_of(seed, n_arms, setting="printed"):
    """Return m_i of the episode of this seed, by the law of the setting."""
    stream = default_rng(seed)
    return stream.standard_normal(n_arms) if setting == "printed" else stream.random(n_arms)


def seed_of_member(seed, user):
    """Return the seed of a user of the episode of this seed."""
    members = SeedSequence(seed, spawn_key=(0x45A0D2FF,))
    return int(members.generate_state(user + 1, np.uint64)[-1]) // 2


def slow_episode(
    seed, arms, *, n_arms, n_users, horizon, deviation, popularity=None, first=0, **user
):
    """Return an episode as a loop over users, each the only one of an `ExplorativeUser-v0`."""
    drawn = popularity_of(seed, n_arms, user.get("setting", "printed"))
    popular = drawn if popularity is None else np.array(popularity)

    def of_a_member(n_arms, rng):
        return popular + deviation * rng.standard_normal(n_arms)

    found = []
    steps, accepted, ahead = 0, 0, iter(arms)
    for member in range(first, n_users):
        env = ExplorativeUserEnv(n_arms=n_arms, means=of_a_member, **user)
        env.reset(seed=seed_of_member(seed, member))
        for t in range(horizon):
            arm = next(ahead, None)
            if arm is None:
                return found
            response, reward, *_, own = env.step(arm)
            steps, accepted = steps + 1, accepted + response
            last, over = t + 1 == horizon, t + 1 == horizon and member + 1 == n_users
            another = last and not over
            told = {"has_response": True, "user": member + another, "new_user": another}
            told |= {name: 0 if another else own[name] for name in COUNTS}
            told |= {"all_interactions": steps, "all_acceptances": accepted}
            told["all_rejections"] = steps - accepted
            found.append(Moment(response, reward, over, told, env.instance().means))
    return found
