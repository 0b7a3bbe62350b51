"""The commands `explorative-user watch` and `play`."""

import io
import secrets
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from explorative_user_env.commands.agents import these_agents
from explorative_user_env.commands.options import command
from explorative_user_env.commands.run import Run, say
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.display.text import is_terminal
from explorative_user_env.envs.user import environment_of
from explorative_user_env.play import game as games
from explorative_user_env.play.game import PLAYED, Game, game_of, pairs_of, query_of
from explorative_user_env.play.terminal import PROMPT, play_lines
from explorative_user_env.protocol import CENSORED, DELTA, REGRET, needs_horizon
from explorative_user_env.runs.films import can_be_written, film_of, save_films
from explorative_user_env.runs.loop import rollout
from explorative_user_env.users.population import Population
from explorative_user_env.validation import count, require

#: Where a run that goes on is cut off; BAIR rarely takes a tenth of it.
MOST_STEPS = 10_000


@command("watch", first="agent seed n_arms delta out", users={})
def watch(
    run: Run,
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
    population = Population(**run.users)
    usual = min(REGRET.horizon, max_steps)
    time = usual if horizon is None else count("horizon", horizon, 1)
    films = []
    with progress_bar() as report:

        def report_step(of: Any, step: int) -> None:
            report(of.agent, step, of.stopping_time)

        for each in these_agents(agent or ["bair"]):
            asked: dict[str, Any] = {"delta": delta, "max_steps": max_steps}
            asked["horizon"] = time if needs_horizon(each) else None
            episode = rollout(environment_of(population, each), each, seed, **asked)
            films.append(film_of(episode, not no_reveal, partial(report_step, episode)))
        save_films(films, out, argument="out", overwrite=overwrite, progress=report)
    for film in films:
        if film.revealed:
            say(f"{film.agent} and the user of seed {film.seed}", style="bold")
            say(*film.explanation.lines)
        if film.end == CENSORED and film.n_steps == max_steps:
            say(f"{film.agent} was cut off after {max_steps} steps: --max-steps shows more.")
    say(f"File: {out}")


@command(
    "play",
    first="n_arms gap seed address terminal",
    users=PLAYED,
    only=("setting", "gap", "alpha", "noise", "behaviour"),
)
def play(
    run: Run,
    n_arms: int = PLAYED["n_arms"],
    seed: int | None = None,
    address: str | None = None,
    terminal: bool = False,
    port: int | None = None,
    no_browser: bool = False,
) -> None:
    """Recommend to a user yourself, and find her best arm; then see how the agents did with her.

    The page is for this machine alone; Ctrl-C ends it. Others play in a terminal of their own.

    Example: explorative-user play --terminal --n-arms 3

    Options:
        n_arms: Number of arms K, in 2..25.
        seed: Seed of the user, at least 0. None is a surprise.
        address: Address of a game to repeat and go on with, or what follows its question mark. None
            is a new game.
        terminal: Play in this terminal; by default on a page.
        port: Port of the page; 0 is any. None is 8421, or a free one.
        no_browser: Open no browser; by default one is opened.
    """
    options = {"n_arms": n_arms, **run.users}
    game = Game(options=options, seed=secrets.randbelow(games.SURPRISES) if seed is None else seed)
    chosen = seed is not None or game.options != Game(options=PLAYED, seed=0).options
    if address is not None:  # may be of the hidden state page
        pairs, chosen = games.pairs_in(games.query_in(address)), True
        game = game_of(pairs, truth=not games.TRUTH_KEYS.isdisjoint(pairs))
        game = replace(game, guesses=(), pending=None, predicts=False)
    if terminal:
        play_lines(game, _typed(), say)
        return
    require("the page needs", "play", games.SERVED_BY)
    from explorative_user_env.play.page import open_browser, serve

    place = f"play?{query_of(pairs_of(game))}" if chosen else ""

    def ready(page: str) -> None:
        say(f"The page is at {page}{place}", "Ctrl-C ends it.")
        sys.stdout.flush()
        if not no_browser:
            open_browser(f"{page}{place}")

    try:
        serve(port, ready)
    except KeyboardInterrupt:
        say("The page is closed. Games are in their addresses: open them again any time.")


def _typed() -> Iterator[str]:
    """Yield the lines that are typed, until there are no more."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while sys.stdin is not None:
        if is_terminal(sys.stdin):
            sys.stdout.write(PROMPT)
        sys.stdout.flush()
        if not (line := sys.stdin.readline()):
            return
        yield line
