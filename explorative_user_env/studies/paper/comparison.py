"""Our figures beside the published ones."""

from collections.abc import Sequence

import pandas as pd

from explorative_user_env.results.results import Results
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies.paper.published import CELL


def compared(results: Sequence[Results], published: pd.DataFrame | None) -> pd.DataFrame:
    """Return the summaries of all cells, with published figures and differences where there are.

    `stopping_time_difference` is relative to the published time, the other differences are
    absolute; positive where ours is larger.
    """
    summary = pd.concat([cell.summary() for cell in results], ignore_index=True)
    if published is None:
        return summary
    summary = summary.merge(published, on=CELL, how="left", validate="one_to_one")
    if summary[PUBLISHED["success"]].isna().all():
        return summary.drop(columns=list(PUBLISHED.values()))
    for figure, beside in PUBLISHED.items():
        difference = summary[figure] - summary[beside]
        if figure == "stopping_time":
            difference /= summary[beside]
        summary[f"{figure}_difference"] = difference
    return summary
