"""A look at a model while it is trained."""

from collections.abc import Callable
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation import evaluate
from explorative_user_env.rl.agent import SB3Agent

EVALUATIONS = 10
EVALUATION_SEED = 2**31
"""Of the users a model meets while it is trained: neither those it learns from nor a table's."""


class TrainingWatch(BaseCallback):
    """Report progress, and let the model meet the same users at ten points of its training.

    Args:
        as_agent: makes an agent of the model as it is.
        met: whom the model meets, as arguments of `evaluate`.
        steps: of the whole training.
        progress: called with (what, done, total).
    """

    def __init__(
        self,
        as_agent: Callable[[], SB3Agent],
        met: dict[str, Any],
        steps: int,
        progress: OnProgress,
    ) -> None:
        super().__init__()
        self.evaluations: list[dict[str, Any]] = []
        self._as_agent, self._met = as_agent, met
        self._steps, self._progress = steps, progress
        self._told = "training"

    def _on_step(self) -> bool:
        self._progress(self._told, min(self.num_timesteps, self._steps), self._steps)
        return True

    def _on_rollout_end(self) -> None:
        due = (len(self.evaluations) + 1) * self._steps / EVALUATIONS
        if self.num_timesteps >= due:
            self._evaluate()

    def _on_training_end(self) -> None:
        if not self.evaluations or self.evaluations[-1]["steps"] < self.num_timesteps:
            self._evaluate()

    def _evaluate(self) -> None:
        agent = self._as_agent()
        results = evaluate([agent], seed=EVALUATION_SEED, progress=False, **self._met)
        summary = results.summary().iloc[0]
        names = ("regret",) if results.over_horizon else ("cost", "success", "stopping_time")
        found = {name: float(summary[name]) for name in names}
        self.evaluations.append({"steps": self.num_timesteps, **found})
        for name, value in found.items():
            self.logger.record(f"evaluation/{name}", value)
        self._told = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
