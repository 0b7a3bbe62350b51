"""Where learning pays: trained policies against agents by hand, tuned ones too, on users never met.

Prints a table for each task, with a difference from the best agent whose 95% interval is over users
and training seeds, and draws what patience costs whom. A minute or two on one core; the policies
were trained by `train_index.py`. Run from the checkout: `python examples/learning_that_pays.py`.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import explorative_user_env as eu
from explorative_user_env.agents import AGENTS, BAIR, CARRIERS, REFERENCES, SuccessiveElimination
from explorative_user_env.display.plots import (
    as_svg,
    draw_band,
    dress,
    line_style,
    name_lines,
    plot_axes,
)
from explorative_user_env.protocol import Agent, name_of, sees_rewards
from explorative_user_env.results.compare import AS_MEANS, crossed_difference, paired_difference
from explorative_user_env.results.intervals import mean_interval

sys.path.insert(0, str(Path(__file__).parent))  # of a script its folder is there already
learnt: Any = import_module("learnt_index")
tuned: Any = import_module("tuned_by_hand")

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_INSTANCES = 2000
N_OF = {"regret-k20": 5000, learnt.POPULATION_TASK: 200}
"""Users of a task that asks for more, as little is between the agents; or episodes."""

N_INSTANCES_DRAWN = 1000
SEED = 0
QS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Probabilities that a rejection makes a user leave."""

PICTURE = Path(__file__).parent / "pictures" / "impatience.svg"


def by_hand(task: str) -> list[Agent]:
    """Return every agent of the package that sees no rewards, and the best that options make.

    Where users come one after another, of those that begin afresh with each the two best only.
    """
    best = tuned.best_way(SEED, **learnt.options_of(task, n_users_of(task) // 2))
    if task == learnt.POPULATION_TASK:
        return [SuccessiveElimination(), BAIR(), *(make() for make in CARRIERS.values()), best]
    made: list[Agent] = [make() for make in (AGENTS | REFERENCES).values()]
    return [agent for agent in made if not sees_rewards(agent)] + [best]


def n_users_of(task: str) -> int:
    """Return how many users an agent meets in a task, or episodes."""
    return N_OF.get(task, N_INSTANCES)


def regrets_of(agents: Sequence[Agent], **met: Any) -> dict[str, Any]:
    """Return the regret of each agent with each user, or in each episode."""
    runs = eu.evaluate(agents, seed=SEED, progress=False, **met).runs
    return {name: own["regret"].to_numpy() for name, own in runs.groupby("agent", sort=False)}


def compared(task: str) -> pd.DataFrame:
    """Return a row for each agent of a task: its regret, and how far the policy is from it."""
    policies, agents = learnt.shipped(task), by_hand(task)
    regrets = regrets_of([*agents, *policies], **learnt.options_of(task, n_users_of(task)))
    trained = np.array([regrets[policy.name] for policy in policies])
    own = [[policy.name, regrets[policy.name].mean(), *[np.nan] * 3] for policy in policies]
    rows: list[list[Any]] = []
    for name in map(name_of, agents):
        if len(policies) > 1:
            found = crossed_difference("regret", trained, regrets[name])
        else:  # nothing is known of another training
            found = paired_difference("regret", AS_MEANS, trained[0], regrets[name])
        rows.append([name, found.second, found.value, found.low, found.high])
    rows.sort(key=lambda row: row[1])
    columns = ["agent", "regret", "policies minus it", "low", "high"]
    return pd.DataFrame([*own, *rows], columns=columns)


def patience(axes: "Axes | None" = None) -> "Axes":
    """Draw the regret of eliminating sooner, later and as was learnt, by how easily users leave."""
    axes, policies = plot_axes(axes), learnt.shipped("impatient-k5")
    agents: list[Agent] = [BAIR(), SuccessiveElimination(), *policies]
    lines: dict[str, list[Any]] = {"BAIR": [], "SE": [], "learnt index": []}
    for q in QS:
        met = learnt.options_of("impatient-k5", N_INSTANCES_DRAWN)
        regrets = regrets_of(agents, **{**met, "behaviour": f"impatient(probability={q})"})
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
    title = f"K = 5, 500 steps, {N_INSTANCES_DRAWN} users each; learnt at q = .02"
    dress(axes, title, "q, that a rejection makes her leave", "regret")
    name_lines(axes, named)
    return axes


def main(picture: Path | None = None) -> None:
    """Print the tables, and draw the picture if there is a place for it."""
    for task in learnt.USERS_OF:
        met = "episodes" if task == learnt.POPULATION_TASK else "users"
        print(f"{task}, {n_users_of(task)} {met}:")
        print(compared(task).to_string(index=False, float_format="{:.1f}".format, na_rep=""))
    if picture is not None:
        picture.write_bytes(as_svg(patience(), "Regret by how easily users leave"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    main(parser.parse_args().picture)
