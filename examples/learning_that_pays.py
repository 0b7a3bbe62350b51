"""Where learning pays: trained policies against all agents of the package, on users never met.

Prints a table for each task, with a difference from the best agent whose 95% interval is over users
and training seeds, and draws what patience costs whom. A minute or two on one core; the policies
were trained by `learnt_index.py`. Run from the checkout: `python examples/learning_that_pays.py`.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.agents import AGENTS, BAIR, REFERENCES, SuccessiveElimination
from explorative_user_env.display.figures import as_svg
from explorative_user_env.display.series import (
    draw_band,
    dress,
    line_style,
    name_lines,
    plot_axes,
)
from explorative_user_env.protocol import Agent, sees_rewards
from explorative_user_env.results.crossed import crossed_difference
from explorative_user_env.results.intervals import mean_interval

sys.path.insert(0, str(Path(__file__).parent))  # of a script its folder is there already
from learnt_index import USERS_OF, shipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_INSTANCES = 2000
N_INSTANCES_DRAWN = 1000
SEED = 0
QS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Probabilities that a rejection makes a user leave."""

PICTURE = Path(__file__).parent / "pictures" / "impatience.svg"


def by_hand() -> list[Agent]:
    """Return every agent of the package that sees no rewards, and one whose options were tuned.

    Elimination after three rejections in a row is the best of a dozen ways to eliminate that were
    tried with noisy users (`examples/rl.md`); the rest are as they come.
    """
    made: list[Agent] = [make() for make in (AGENTS | REFERENCES).values()]
    tuned = SuccessiveElimination(m=3, rejections="consecutive", name="SE, 3 in a row")
    return [agent for agent in made if not sees_rewards(agent)] + [tuned]


def met(agents: Sequence[Agent], users: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the regret of each agent with each user, over 500 steps."""
    how: dict[str, Any] = {"n_arms": 5, "n_instances": n, "seed": SEED, "progress": False}
    runs = eu.evaluate(agents, task="regret", **how, **users).runs
    return {name: own["regret"].to_numpy() for name, own in runs.groupby("agent", sort=False)}


def compared(task: str) -> pd.DataFrame:
    """Return a row for each agent of a task: its regret, and how far the policy is from it."""
    policies, agents = shipped(task), by_hand()
    regrets = met([*agents, *policies], USERS_OF[task], N_INSTANCES)
    trained = np.array([regrets[policy.name] for policy in policies])
    rows = []
    for name in (agent.name for agent in agents):
        found = crossed_difference("regret", trained, regrets[name])
        rows.append([name, found.second, found.value, found.low, found.high])
    rows.sort(key=lambda row: row[1])
    own = [[policy.name, regrets[policy.name].mean(), *[np.nan] * 3] for policy in policies]
    return pd.DataFrame(
        [*own, *rows], columns=["agent", "regret", "policy minus it", "low", "high"]
    )


def patience(axes: "Axes | None" = None) -> "Axes":
    """Draw the regret of eliminating sooner, later and as was learnt, by how easily users leave."""
    axes, policies = plot_axes(axes), shipped("impatient-k5")
    agents: list[Agent] = [BAIR(), SuccessiveElimination(), *policies]
    lines: dict[str, list[Any]] = {"BAIR": [], "SE": [], "learnt index": []}
    for q in QS:
        behaviour = {"behaviour": f"impatient(probability={q})"}
        regrets = met(agents, behaviour, N_INSTANCES_DRAWN)
        regrets["learnt index"] = np.mean([regrets[each.name] for each in policies], axis=0)
        for name, values in lines.items():
            values.append((regrets[name].mean(), *mean_interval(regrets[name])))
    named, places = [], np.arange(len(QS))
    for place, (name, values) in enumerate(lines.items()):
        mean, low, high = np.array(values).T
        style = line_style(place)
        draw_band(axes, places, low, high, place, len(lines))
        how: dict[str, Any] = {"color": style.colour, "ls": style.dashes, "marker": style.mark}
        named.append((axes.plot(places, mean, lw=1.8, **how)[0], name))
    axes.set_xticks(places, [f"{q:g}" for q in QS])
    axes.set_ylim(bottom=0)
    title = f"Impatient users, K = 5, 500 steps, {N_INSTANCES_DRAWN} users; learnt at q = .02"
    dress(axes, title, "q, that a rejection makes her leave", "regret")
    name_lines(axes, named)
    return axes


def main(picture: Path | None = None) -> None:
    """Print the tables, and draw the picture if there is a place for it."""
    for task in USERS_OF:
        print(f"{task}, {N_INSTANCES} users:")
        print(compared(task).to_string(index=False, float_format="{:.1f}".format, na_rep=""))
    if picture is not None:
        picture.write_bytes(as_svg(patience(), "Regret by how easily users leave"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    main(parser.parse_args().picture)
