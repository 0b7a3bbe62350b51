"""Our figures beside the published ones."""

from collections.abc import Sequence

import pandas as pd

from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.errors import ESTIMATED, arrays_of, figures_of
from explorative_user_env.studies.paper.published import CELL


def compared(results: Sequence[Results], published: pd.DataFrame | None) -> pd.DataFrame:
    """Return the summaries of all cells, with published figures and differences where there are.

    `stopping_time_difference` is relative to the published time, the other differences are
    absolute; positive where ours is larger. For `_error` and `_published_error` see `with_errors`.
    """
    if published is None:
        return pd.concat([cell.summary() for cell in results], ignore_index=True)
    summary = pd.concat([with_errors(cell) for cell in results], ignore_index=True)
    summary = summary.merge(published, on=CELL, how="left", validate="one_to_one")
    if summary[PUBLISHED["success"]].isna().all():
        return summary.drop(columns=list(PUBLISHED.values()))
    for figure, beside in PUBLISHED.items():
        difference = summary[figure] - summary[beside]
        if figure == "stopping_time":
            difference /= summary[beside]
        summary[f"{figure}_difference"] = difference
    return summary


def with_errors(results: Results) -> pd.DataFrame:
    """Return `Results.summary` with the relative errors of times and rejection rates.

    `_error` is that of ours, `_published_error` that of a thousand runs (see `figures_of`).
    """
    summary = results.summary()
    setting = results.population.setting
    found = [
        figures_of(
            *arrays_of(results, agent),
            rejection_rate=setting.rejection_rate,
            drops_censored=setting.drops_censored,
        )
        for agent in summary["agent"]
    ]
    names = [f"{figure}_{end}" for figure in ESTIMATED for end in ("error", "published_error")]
    return summary.assign(**{name: [float(one[name]) for one in found] for name in names})
