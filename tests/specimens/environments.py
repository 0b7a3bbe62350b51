"""Environments of one user and of many, each wrong in the one way that a check asks about."""

import numpy as np

from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv


class TakesNoOptions(ExplorativeUserEnv):
    def reset(self, *, seed=None):
        return super().reset(seed=seed)


class PaysNothingKnown(ExplorativeUserEnv):
    def step(self, action):
        observation, _, *rest = super().step(action)
        return observation, float("nan"), *rest


class PaysOneLaneTooMany(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, np.append(rewards, 0.0), *rest


class Clips(ExplorativeUserEnv):
    def step(self, action):
        return super().step(min(max(action, 0), self.user.n_arms - 1))


class ClipsMany(ExplorativeUserVectorEnv):
    def step(self, actions):
        return super().step(np.clip(actions, 0, self.user.n_arms - 1))


class IgnoresSeed(ExplorativeUserEnv):
    def reset(self, **given):
        entropy = np.random.SeedSequence().generate_state(1)[0]
        return super().reset(**given | {"seed": int(entropy)})


class DrawsFromAll(ExplorativeUserVectorEnv):
    def step(self, actions):
        np.random.random()  # noqa: NPY002 - that is what is wrong
        return super().step(actions)


class HasOneSeed(ExplorativeUserEnv):
    def reset(self, **given):
        return super().reset(**given | {"seed": 0})


class HasOneSeedForMany(ExplorativeUserVectorEnv):
    def reset(self, **given):
        return super().reset(**given | {"seed": 0})


class HandsOutOneInfo(ExplorativeUserEnv):
    def reset(self, **given):
        observation, self.info = super().reset(**given)
        return observation, self.info

    def step(self, action):
        *heard, info = super().step(action)
        self.info.clear()
        self.info.update(info)
        return *heard, self.info


class HandsOutMeans(ExplorativeUserEnv):
    def step(self, action):
        *heard, info = super().step(action)
        return *heard, info | {"debug": [{"mu": np.array(self.instance().means)}]}


class HandsOutItself(ExplorativeUserVectorEnv):
    def step(self, actions):
        *heard, info = super().step(actions)
        return *heard, info | {"debug": lambda: self}


def begun(kind):
    env = kind()
    env.reset(seed=99)
    return env


class CopiesAnotherStream(ExplorativeUserEnv):
    def __deepcopy__(self, memo):
        return begun(type(self))


class PicklesAnotherStream(ExplorativeUserEnv):
    def __reduce__(self):
        return begun, (type(self),)


class ShiftsItsLanes(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return np.roll(observations, 1), np.roll(rewards, 1), *rest


class BeginsWithTheNextSeed(ExplorativeUserVectorEnv):
    def reset(self, **given):
        if isinstance(given.get("seed"), int):
            given["seed"] += 1
        return super().reset(**given)


class PaysForResets(ExplorativeUserVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards - 1.0, *rest
