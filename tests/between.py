"""Wrappers that stand between an environment and one that shows its history."""

from typing import Any

import gymnasium as gym


class Twice(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper of one's own: everything is asked twice, and the second answer counts."""

    def step(self, action: Any) -> Any:
        first = self.env.step(action)
        return first if first[2] or first[3] else self.env.step(action)


class Flipped(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper of one's own that turns every response round."""

    def step(self, action: Any) -> Any:
        response, *rest = self.env.step(action)
        return 1 - response, *rest


class Late(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper of one's own that hands over what the step before brought."""

    def reset(self, **kwargs: Any) -> Any:
        self.kept = self.env.reset(**kwargs)
        return self.kept

    def step(self, action: Any) -> Any:
        before, (now, *rest, info) = self.kept, self.env.step(action)
        self.kept = now, info
        return before[0], *rest, before[1]


class Silent(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper of one's own that keeps the counts to itself."""

    def step(self, action: Any) -> Any:
        return *self.env.step(action)[:4], {}
