"""Environments of one user and of many, each wrong in the one way that a check asks about."""

from typing import Any

import numpy as np

from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv


class TakesNoOptions(ExplorativeUserEnv):
    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


class PaysNothingKnown(ExplorativeUserEnv):
    def step(self, action: int) -> Any:
        observation, _, *rest = super().step(action)
        return observation, float("nan"), *rest


class PaysOneLaneTooMany(ExplorativeUserVectorEnv):
    def step(self, actions: Any) -> Any:
        observations, rewards, *rest = super().step(actions)
        return observations, np.append(rewards, 0.0), *rest


class Clips:
    def step(self, actions: Any) -> Any:
        n_arms = self.user.n_arms  # type: ignore[attr-defined]
        return super().step(np.clip(actions, 0, n_arms - 1))  # type: ignore[misc]


class IgnoresSeed:
    def reset(self, **given: Any) -> Any:
        entropy = np.random.SeedSequence().generate_state(1)[0]
        return super().reset(**given | {"seed": int(entropy)})  # type: ignore[misc]


class HasOneSeed:
    def reset(self, **given: Any) -> Any:
        return super().reset(**given | {"seed": 0})  # type: ignore[misc]


class DrawsFromAll:
    def step(self, actions: Any) -> Any:
        np.random.random()  # noqa: NPY002 - that is what is wrong
        return super().step(actions)  # type: ignore[misc]


class WritesOnOptions:
    def reset(self, **given: Any) -> Any:
        begun = super().reset(**given)  # type: ignore[misc]
        if given.get("options") is not None:
            given["options"]["seen"] = True
        return begun


class WritesOnActions(ExplorativeUserVectorEnv):
    def step(self, actions: Any) -> Any:
        heard = super().step(actions)
        actions[:] = 0
        return heard


class HandsOutOneInfo:
    info: dict[str, Any]

    def reset(self, **given: Any) -> Any:
        observation, self.info = super().reset(**given)  # type: ignore[misc]
        return observation, self.info

    def step(self, actions: Any) -> Any:
        *heard, info = super().step(actions)  # type: ignore[misc]
        self.info.clear()
        self.info.update(info)
        return *heard, self.info


class HandsOutMeans(ExplorativeUserEnv):
    def step(self, action: int) -> Any:
        *heard, info = super().step(action)
        return *heard, info | {"debug": [{"mu": np.array(self.instance().means)}]}


class HandsOutManyMeans(ExplorativeUserVectorEnv):
    def step(self, actions: Any) -> Any:
        *heard, info = super().step(actions)
        return *heard, info | {"debug": lambda: self}


class CopiesAnotherStream:
    def __deepcopy__(self, memo: Any) -> Any:
        return begun(type(self), *lanes_of(self))


class PicklesAnotherStream:
    def __reduce__(self) -> Any:
        return begun, (type(self), *lanes_of(self))


def lanes_of(env: Any) -> list[int]:
    return [env.num_envs] if hasattr(env, "num_envs") else []


def begun(kind: Any, *lanes: int) -> Any:
    env = kind(*lanes)
    env.reset(seed=99)
    return env


class ShiftsItsLanes(ExplorativeUserVectorEnv):
    """Off by one: a lane shows what the one before heard."""

    def step(self, actions: Any) -> Any:
        observations, rewards, *rest = super().step(actions)
        return np.roll(observations, 1), np.roll(rewards, 1), *rest


class BeginsWithTheNextSeed(ExplorativeUserVectorEnv):
    """Off by one: lane b has seed s + b + 1."""

    def reset(self, **given: Any) -> Any:
        if isinstance(given.get("seed"), int):
            given["seed"] += 1
        return super().reset(**given)


class PaysForResets(ExplorativeUserVectorEnv):
    """Off by one: the step in which a lane begins anew is paid as another one."""

    def step(self, actions: Any) -> Any:
        observations, rewards, *rest = super().step(actions)
        return observations, rewards - 1.0, *rest


def single(kind: type) -> Any:
    """Return a class of one user's environments that is wrong in this way."""
    return type(f"One{kind.__name__}", (kind, ExplorativeUserEnv), {"__module__": __name__})


def vector(kind: type) -> Any:
    """Return a class of many users' environments that is wrong in this way."""
    return type(f"Many{kind.__name__}", (kind, ExplorativeUserVectorEnv), {"__module__": __name__})


_BOTH: tuple[type, ...] = (Clips, IgnoresSeed, HasOneSeed, DrawsFromAll, WritesOnOptions)
_BOTH += (HandsOutOneInfo,)
_BOTH += (CopiesAnotherStream, PicklesAnotherStream)
ONE = {kind: single(kind) for kind in _BOTH}
MANY = {kind: vector(kind) for kind in _BOTH}
globals().update({made.__name__: made for made in (*ONE.values(), *MANY.values())})
