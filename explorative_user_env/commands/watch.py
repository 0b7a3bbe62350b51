"""The command `explorative-user watch`."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.asked import OverwriteOption
from explorative_user_env.commands.options import DeltaOption, SeedOption, takes_users
from explorative_user_env.protocol import DELTA

if TYPE_CHECKING:
    from explorative_user_env.display.progress import OnProgress
    from explorative_user_env.runs.films import Film

STEPS_FILMED = 500
"""Where a run is cut off that would go on."""


@takes_users()
def watch(
    users: dict[str, Any],
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Agent, as of bench: a name, sb3:DIR, bair-tuned:N_1 or module:Class; several are "
            "shown side by side.",
            show_default="bair",
        ),
    ] = None,
    seed: SeedOption = 0,
    delta: DeltaOption = DELTA,
    max_steps: Annotated[
        int, typer.Option(help="Cut each run off after so many steps, at least 1.")
    ] = STEPS_FILMED,
    horizon: Annotated[
        int | None,
        typer.Option(
            help="T of agents that do not stop by themselves, at least 1.",
            show_default="--max-steps",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "--output",
            help="File: a film as .html, .gif or .mp4, or the whole run as .svg or .png.",
        ),
    ] = Path("run.html"),
    no_reveal: Annotated[
        bool,
        typer.Option(
            "--no-reveal",
            help="Keep her intervals and the truth secret; by default they are shown, and it is "
            "told why things happened.",
        ),
    ] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Watch a user and an agent step by step: what she believes, and what it makes of her."""
    from explorative_user_env.commands.output import say
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.protocol import CENSORED
    from explorative_user_env.runs.films import can_be_written, save_films
    from explorative_user_env.validation import count

    can_be_written(out, "out", overwrite)
    told: dict[str, Any] = {"delta": delta, "max_steps": max_steps}
    told["horizon"] = max_steps if horizon is None else count("horizon", horizon, 1)
    with progress_bar() as report:
        films = list(_filmed(agent or ["bair"], users, seed, told, not no_reveal, report))
        save_films(films, out, argument="out", overwrite=overwrite, progress=report)
    for film in films:
        if film.revealed:
            say(f"{film.agent} and the user of seed {film.seed}", style="bold")
            say(*film.explanation.lines)
        if film.end == CENSORED and film.n_steps == max_steps:
            say(f"{film.agent} was cut off after {max_steps} steps: --max-steps shows more.")
    say(f"File: {out}")


def _filmed(
    names: list[str],
    users: dict[str, Any],
    seed: int,
    told: dict[str, Any],
    reveal: bool,
    report: "OnProgress",
) -> "Iterator[Film]":
    """Let each agent meet the same user, and yield the films."""
    from explorative_user_env.commands.agent_names import these_agents
    from explorative_user_env.envs.meeting import environment_of
    from explorative_user_env.protocol import needs_horizon
    from explorative_user_env.runs.films import film_of
    from explorative_user_env.runs.loop import rollout
    from explorative_user_env.users.population import Population

    population = Population(**users)
    for agent in these_agents(names):
        horizon = told["horizon"] if needs_horizon(agent) else None
        env = environment_of(population, agent)
        episode = rollout(env, agent, seed, **{**told, "horizon": horizon})
        on_step = partial(_told, report, episode.agent, episode.stopping_time)
        yield film_of(episode, reveal, on_step)


def _told(report: "OnProgress", name: str, n_steps: int, step: int) -> None:
    report(name, step, n_steps)
