"""Where learning pays: trained policies against hand-written and tuned agents, on new users.

Prints a table for each task with the differences between policies and agents; their 95% intervals
are over users and training seeds. Draws the regret by how easily users leave. Takes a minute or two
on one core; `train_index.py` trained the policies. `python examples/learning_that_pays.py` runs it.
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

sys.path.insert(0, str(Path(__file__).parent))  # for a caller that imports this file
learnt: Any = import_module("learnt_index")
tuned: Any = import_module("tuned_by_hand")

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_INSTANCES = 2000
N_OF = {"regret-k20": 5000, learnt.POPULATION_TASK: 200}
"""Number of users (population: of episodes) of the tasks that do not use N_INSTANCES."""

N_INSTANCES_DRAWN = 1000
SEED = 0
QS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Probabilities q that a rejection makes a user leave."""

PICTURE = Path(__file__).parent / "pictures" / "impatience.svg"


def by_hand(task: str) -> list[Agent]:
    """Return the agents of the package that do not see rewards, and the best tuned agent.

    In the population task, of the agents that forget earlier users, only SE and BAIR.
    """
    best = tuned.best_agent(SEED, **learnt.options_of(task, n_users_of(task) // 2))
    if task == learnt.POPULATION_TASK:
        return [SuccessiveElimination(), BAIR(), *(make() for make in CARRIERS.values()), best]
    made: list[Agent] = [make() for make in (AGENTS | REFERENCES).values()]
    return [agent for agent in made if not sees_rewards(agent)] + [best]


def n_users_of(task: str) -> int:
    """Return the number of users (or of episodes) of a task."""
    return N_OF.get(task, N_INSTANCES)


def regrets_of(agents: Sequence[Agent], **options: Any) -> dict[str, Any]:
    """Return the regret of each agent with each user, or in each episode."""
    runs = eu.evaluate(agents, seed=SEED, progress=False, **options).runs
    return {name: each["regret"].to_numpy() for name, each in runs.groupby("agent", sort=False)}


def compared(task: str) -> pd.DataFrame:
    """Return one row per agent of a task: its regret, and the policies' regret minus it."""
    policies, agents = learnt.shipped(task), by_hand(task)
    regrets = regrets_of([*agents, *policies], **learnt.options_of(task, n_users_of(task)))
    trained = np.array([regrets[policy.name] for policy in policies])
    first = [[policy.name, regrets[policy.name].mean(), *[np.nan] * 3] for policy in policies]
    rows: list[list[Any]] = []
    for name in map(name_of, agents):
        if len(policies) > 1:
            gap = crossed_difference("regret", trained, regrets[name])
        else:  # one training: the interval is over users only
            gap = paired_difference("regret", AS_MEANS, trained[0], regrets[name])
        rows.append([name, gap.second, gap.value, gap.low, gap.high])
    rows.sort(key=lambda row: row[1])
    columns = ["agent", "regret", "policies minus it", "low", "high"]
    return pd.DataFrame([*first, *rows], columns=columns)


def patience(axes: "Axes | None" = None) -> "Axes":
    """Draw the regret of SE, BAIR and the trained policies against q."""
    axes, policies = plot_axes(axes), learnt.shipped("impatient-k5")
    agents: list[Agent] = [BAIR(), SuccessiveElimination(), *policies]
    lines: dict[str, list[Any]] = {"BAIR": [], "SE": [], "learnt index": []}
    for q in QS:
        options = learnt.options_of("impatient-k5", N_INSTANCES_DRAWN)
        options["behaviour"] = f"impatient(probability={q})"
        regrets = regrets_of(agents, **options)
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
    title = f"K = 5, 500 steps, {N_INSTANCES_DRAWN} users each; policies trained at q = .02"
    dress(axes, title, "q, probability that a rejection makes the user leave", "regret")
    name_lines(axes, named)
    return axes


def main(picture: Path | None = None) -> None:
    """Print the tables, and write the plot to `picture` if it is given."""
    for task in learnt.USERS_OF:
        what = "episodes" if task == learnt.POPULATION_TASK else "users"
        print(f"{task}, {n_users_of(task)} {what}:")
        print(compared(task).to_string(index=False, float_format="{:.1f}".format, na_rep=""))
    if picture is not None:
        picture.write_bytes(as_svg(patience(), "Regret by how easily users leave"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    main(parser.parse_args().picture)
