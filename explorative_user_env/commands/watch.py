"""The command `explorative-user watch`."""

from functools import partial
from pathlib import Path
from typing import Any

from explorative_user_env.commands.agents import these_agents
from explorative_user_env.commands.options import command
from explorative_user_env.commands.output import say
from explorative_user_env.display.progress import OnProgress, progress_bar
from explorative_user_env.envs.user import environment_of
from explorative_user_env.protocol import CENSORED, DELTA, REGRET, needs_horizon
from explorative_user_env.runs.films import can_be_written, film_of, save_films
from explorative_user_env.runs.loop import rollout
from explorative_user_env.users.population import Population
from explorative_user_env.validation import count

#: Where a run that goes on is cut off; BAIR rarely takes a tenth of it.
MOST_STEPS = 10_000


@command(
    "watch",
    first="agent seed n_arms delta out",
    users={},
)
def watch(
    users: dict[str, Any],
    agent: list[str] | None = None,
    seed: int = 0,
    delta: float = DELTA,
    max_steps: int = MOST_STEPS,
    horizon: int | None = None,
    out: Path = Path("run.html"),
    no_reveal: bool = False,
    overwrite: bool = False,
) -> None:
    """Watch a user and an agent step by step: what she believes, and what it learns of her.

    Example: explorative-user watch --agent bair --agent uni --seed 7 --out run.html

    Options:
        agent: Agent, as of bench: a name, sb3:DIR, bair-tuned:N_1 or module:Class; several are
            shown side by side. None is bair.
        max_steps: Cut each run off after so many steps, at least 1.
        horizon: T of agents that do not stop by themselves, at least 1. None is 500, or --max-steps
            if that is less.
        out: File: a film as .html, .gif or .mp4, or the whole run as .svg or .png.
        no_reveal: Keep her intervals, the true means and the reasons secret.
        overwrite: Write over the file if it is there.
    """
    can_be_written(out, "out", overwrite)
    population = Population(**users)
    usual = min(REGRET.horizon, max_steps)
    time = usual if horizon is None else count("horizon", horizon, 1)
    films = []
    with progress_bar() as report:
        for each in these_agents(agent or ["bair"]):
            asked: dict[str, Any] = {"delta": delta, "max_steps": max_steps}
            asked["horizon"] = time if needs_horizon(each) else None
            episode = rollout(environment_of(population, each), each, seed, **asked)
            step = partial(_report_step, report, episode.agent, episode.stopping_time)
            films.append(film_of(episode, not no_reveal, step))
        save_films(films, out, argument="out", overwrite=overwrite, progress=report)
    for film in films:
        if film.revealed:
            say(f"{film.agent} and the user of seed {film.seed}", style="bold")
            say(*film.explanation.lines)
        if film.end == CENSORED and film.n_steps == max_steps:
            say(f"{film.agent} was cut off after {max_steps} steps: --max-steps shows more.")
    say(f"File: {out}")


def _report_step(report: OnProgress, name: str, n_steps: int, step: int) -> None:
    report(name, step, n_steps)
