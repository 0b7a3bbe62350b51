"""An experiment, run: all its cells under a setting."""

from collections.abc import Callable
from functools import partial
from typing import Any

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress
from explorative_user_env.evaluation import Results
from explorative_user_env.evaluation.grid import run_cells, times_for
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.settings import Setting, as_setting
from explorative_user_env.studies.paper.published import published_figures
from explorative_user_env.studies.paper.records import TOLD_THEIR_HORIZON, Entrant, Experiment
from explorative_user_env.studies.paper.shared_phase1 import run_shared_phase1


def run_experiment(
    experiment: Experiment,
    setting: Setting | str,
    *,
    progress: OnProgress,
    **options: Any,
) -> list[Results]:
    """Run all cells of `experiment` under `setting`.

    UNI and EXP3 get T = BAIR's mean time as measured under `printed`. Under a setting that counts
    private draws, as the published tables do, they get the published time of BAIR: the published
    columns of UNI and EXP3 rest on it, also in the cells where BAIR's time cannot be had again.

    Args:
        experiment: what runs.
        setting: the modelling choices.
        progress: as for `run_cells`.
        options: passed on to `evaluate`.
    """
    choices = as_setting(setting)
    makers = [partial(_made, entrant, experiment.alpha) for entrant in experiment.entrants]
    run: Callable[..., list[Results]] = partial(
        run_cells,
        deltas=experiment.deltas,
        n_arms=experiment.n_arms,
        setting=choices,
        alpha=experiment.alpha,
        gap=experiment.gap,
        noise=experiment.noise,
        **options,
    )
    published_time = _published_time(experiment, choices)
    if experiment.shared_phase1:
        return run_shared_phase1(makers, choices, run, published_time, progress)

    def line_up(delta: float, arms: int) -> list[AlgorithmAgent]:
        return [make(delta, arms) for make in makers]

    def times(delta: float, arms: int) -> dict[str, Any]:
        time = published_time(delta, arms) or experiment.entrants[0].name
        return times_for(line_up(delta, arms), time)

    return run(line_up, per_cell=times, progress=progress)


def _made(entrant: Entrant, alpha: float, delta: float, n_arms: int) -> AlgorithmAgent:
    return entrant.make(delta, n_arms, alpha)


def _published_time(experiment: Experiment, setting: Setting) -> Callable[[float, int], int | None]:
    """Return T by cell, None where it is to be measured or no one needs one."""
    if experiment.data is None or not setting.counts_private_draws:
        return lambda delta, arms: None
    published = published_figures(experiment)
    told = published[published["agent"].isin(TOLD_THEIR_HORIZON)]
    times = told.groupby(["delta", "n_arms"])[PUBLISHED["stopping_time"]].first()
    draws = 0 if experiment.shared_phase1 else setting.private_draws
    if times.empty:
        return lambda delta, arms: None
    return lambda delta, arms: max(1, int(times[delta, arms]) - draws * arms)
