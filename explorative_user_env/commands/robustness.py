"""The command `explorative-user robustness`."""

from typing import Any

from explorative_user_env.commands.agents import agents_called
from explorative_user_env.commands.options import MORE, command, setting_named, users_a_cell
from explorative_user_env.commands.output import write_and_show
from explorative_user_env.commands.run import Run
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.studies import robustness as study
from explorative_user_env.users.population import Population


@command(
    "robustness",
    study.robustness,
    options="delta baseline_time max_steps seed",
    first="agent user n_arms n_instances seed",
    users={},
    keeps="results/robustness",
    parallel=True,
    texts={
        "agent": f"As for bench; {MORE}. None is bair, bair(m) for click noise, tas, uni, exp3.",
        "user": "paper, rho=1, alpha=0.8, alpha=2, noise=0.1, bernoulli, bounded, omniscient, "
        "forgetful, drifting, logistic, varied; or several. None is all.",
    },
)
def robustness(
    run: Run,
    workers: dict[str, Any],
    users: dict[str, Any],
    options: dict[str, Any],
    agent: list[str] | None = None,
    user: list[str] | None = None,
    n_instances: int | None = None,
    quick: bool = False,
) -> None:
    """Compare agents on users who are not the paper's: success and stopping time of each pair.

    Example: explorative-user robustness --user forgetful --user noise=0.1
    """
    setting_named(users["setting"])
    options["n_instances"] = users_a_cell(n_instances, quick)
    varieties = study.varieties_named(user)
    agents = agents_called(agent, options["max_steps"]) if agent else None
    shared: dict[str, Any] = {"population": Population(**users), **options, **workers}
    with run.opened(agents or ()) as (folder, store):
        with progress_bar() as report:
            matrix = study.robustness(agents, varieties, progress=report, store=store, **shared)
        numbers = [options[each] for each in ("delta", "n_instances", "max_steps")]
        title = study.title_of_matrix(shared["population"], *numbers)
        contents = {
            "table.md": study.matrix_page(matrix, title),
            "summary.csv": matrix,
            "heat_map.png": lambda: study.heat_map(matrix),
        }
        sections: list[Any] = [title, study.matrix_table(matrix)]
        cells = matrix.attrs["cells"]
        write_and_show(folder, contents, sections, notes=study.notes_of(matrix), cells=cells)
