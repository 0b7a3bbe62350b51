"""The commands `explorative-user bench` and `train`."""

from typing import Annotated, Any

import typer

from explorative_user_env.commands import agents as line_ups
from explorative_user_env.commands.options import command, users_a_cell
from explorative_user_env.commands.run import Run, say, write_and_show
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.protocol import POPULATION, TASKS
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError


@command(
    "bench",
    "evaluation.runner.evaluate",
    options="horizon n_users deviation baseline_time step_cost max_steps until_width seed",
    first="agent n_arms delta n_instances task",
    users={},
    keeps="results/bench",
    parallel=True,
)
def bench(
    run: Run,
    agent: list[str] | None = None,
    n_arms: list[int] | None = None,
    delta: list[float] | None = None,
    n_instances: int | None = None,
    task: str | None = None,
    setting: str | None = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    quick: bool = False,
) -> None:
    """Run agents on the same users and print their metrics beside the paper's.

    Example: explorative-user bench --agent bair --agent my_module:MyAgent --n-arms 20

    Options:
        agent: bair, tas, uni, exp3, se, se-transfer, bair-c, ucb1, thompson, full-information,
            oracle-champion, sb3:DIR, bair-tuned:DIR or module:Class; repeat for more. None is the
            first four agents, or all agents if --task is given.
        n_arms: Number of arms K, in 2..1000000; repeat for more. None is 5, or the K of the first
            model in --agent.
        delta: Allowed probability of a wrong answer, in (0, 1); repeat for more. None is 0.1, or
            the delta of the first model in --agent.
        task: bai (stop and name the best arm), regret (over a horizon) or population (regret over
            a sequence of similar users). None is bai, or the task of the first model in --agent.
        setting: Modelling choices: printed (the paper's text) or released (the paper's code). None
            is released (printed for the task population), or the setting of the first model in
            --agent.
        every: Run delta .1 and .01, each with K = 2, 5 and 20, as the paper does.
        until_width: Add users until the success interval of every agent has at most this width, in
            (0, 1). --n-instances is then the largest number of users, by default a million. None
            is a fixed number of users.
    """
    from explorative_user_env.evaluation import runner  # here, so that --help need not load pandas
    from explorative_user_env.results import results as runs
    from explorative_user_env.results import tables
    from explorative_user_env.studies import paper

    options = run.options
    line_up = line_ups.agents_called(agent, options["max_steps"], task)
    usual = line_ups.bench_defaults(line_up, task, setting, delta, n_arms, every)
    if options["horizon"] is not None and TASKS[usual.task].ends_itself:
        raise InvalidArgumentError("horizon", options["horizon"], "left out for the task bai")
    users = run.users | {"setting": usual.setting}
    population = Population(**users)
    if quick or options["until_width"] is None:
        n_instances = users_a_cell(n_instances, quick)
    options["n_instances"] = runner.MOST_UNTIL if n_instances is None else n_instances
    with run.opened(line_up) as (folder, store):
        with progress_bar() as report:
            how: dict[str, Any] = {"task": usual.task, "progress": report, "store": store}
            how |= users | options | run.workers
            results = runner.run_cells(line_up, usual.deltas, usual.n_arms, **how)
        published = paper.published_for(population) if usual.papers else None
        summary = paper.compared(results, published)
        words, shared = population.words(), results[0].cell
        cell = ", ".join(f"{name}={words[name]:g}" for name in ("alpha", "gap", "noise"))
        until, units = "" if options["until_width"] is None else "up to ", "users"
        if usual.task == POPULATION.name:
            units = "episodes"
            cell += f", n_users={shared['n_users']}, deviation={shared['deviation']:g}"
        title = f"{words['setting']}: {until}{options['n_instances']} {units} a cell, {cell}"
        warnings = line_ups.tuning_warnings(line_up, usual, population)
        notes = warnings + list(tables.legend_of(summary))
        contents = {
            "table.md": tables.summary_page(title, {usual.setting: summary}, notes),
            "summary.csv": summary,
            "runs.csv": runs.all_runs(results),
        }
        sections: list[Any] = [tables.table_of(summary, title), _conclusion(summary)]
        cells = [result.cell for result in results]
        write_and_show(folder, contents, sections, notes=notes, cells=cells)


def _conclusion(summary: Any) -> str:
    """Return a sentence that compares two agents by success, or by regret if there is none."""
    agents = list(dict.fromkeys(summary["agent"]))
    by_agent = summary.groupby("agent", sort=False)
    if "success" not in summary:
        regret = by_agent["regret"].mean()
        least, most = regret.idxmin(), regret.idxmax()
        rest = f"; {most} has the most, {regret[most]:.0f}" if least != most else ""
        return f"{least} has the least regret, {regret[least]:.0f} on average{rest}."
    n_users = int(by_agent["n_runs"].sum()[agents[0]])
    named = (summary["success"] * summary["n_runs"]).groupby(summary["agent"]).sum().round()
    right = {a: f"all {n_users}" if n == n_users else f"{n:.0f}" for a, n in named.items()}
    times = by_agent["stopping_time"].mean()
    sentence = f"{agents[0]} named the best arm of {right[agents[0]]}"
    sentence += " users" if named[agents[0]] == n_users else f" of {n_users} users"
    if len(agents) > 1:
        rival = "UNI" if "UNI" in agents[1:] else agents[-1]
        same = abs(times[rival] - times[agents[0]]) < 0.02 * times[agents[0]]
        when = "in the same time" if same else f"with {times[rival]:.0f} recommendations"
        sentence += f"; {rival}, {when}, of {right[rival]}"
    return f"{sentence}."


@command(
    "train",
    "rl.training.train",
    "evaluation.runner.evaluate",
    options="algo task steps seed horizon observation n_users deviation tensorboard",
    first="algo task n_arms steps output",
    users={},
    keeps="models/TASK-ALGO-kK-seedSEED",
)
def train(run: Run) -> None:
    """Train a model with Stable-Baselines3. `bench --agent sb3:DIR` evaluates the model.

    Example: explorative-user train --algo ppo --task regret --n-arms 5 --steps 1000000

    Options:
        algo: ppo, maskable-ppo (for bai), dqn or recurrent-ppo.
        task: regret (over a horizon), bai (stop and name the best arm) or population (regret over
            a sequence of similar users).
        steps: Training steps over all users, at least 1.
        seed: Seed of the training and its users, at least 0.
        horizon: Steps of an episode, or of each user of the task population, at least 1. None is
            500 for regret, 2000 for bai, 300 for population.
        observation: response, counts, sorted-counts or last-step; for population also
            population-counts or sorted-population-counts. None is the algorithm's default.
        n_users: Users of an episode of the task population, at least 1. None is 20.
        deviation: Standard deviation, over the users of an episode of the task population, of the
            mean of one arm, at least 0. None is 0.3.
        tensorboard: Folder for the logs of TensorBoard, if installed. None is no folder.
    """
    from explorative_user_env import rl  # needs an extra
    from explorative_user_env.rl.models import versions

    usual = "models/{task}-{algo}-k{n_arms}-seed{seed}".format_map(run.values)
    given = {name: value for name, value in run.values.items() if value is not None}
    opened = run.opened(libraries=versions(), usual=usual)
    with opened as (folder, store), progress_bar() as report:
        rl.train(**given | run.users, output=folder, progress=report, store=store)
    say(f"Model: {folder.path}", f"explorative-user bench --agent sb3:{folder.path}")
