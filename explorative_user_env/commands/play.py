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

#: Default step cap of `watch`; BAIR rarely needs a tenth of it.
MOST_STEPS = 10_000


@command("watch", first="agent seed n_arms delta out", users={})
def watch(
    run: Run,
    agent: list[str] | None = None,
    seed: int = 0,
    delta: float = DELTA,
    max_steps: int = MOST_STEPS,
    horizon: int | None = None,
    out: Path | None = None,
    no_reveal: bool = False,
    overwrite: bool = False,
) -> None:
    """Watch an agent and a user step by step: her beliefs, and the agent's state.

    Example: explorative-user watch --agent bair --agent uni --seed 7 --out run.html

    Options:
        agent: Agent to watch: a name of bench, sb3:DIR, bair-tuned:N_1 or module:Class; repeat for
            more, shown side by side. None is bair.
        max_steps: Step cap of each run, at least 1.
        horizon: Number of steps of agents without a stopping rule, at least 1. None is 500, or
            --max-steps if --max-steps is less.
        out: File to write: a film as .html, .gif or .mp4, or a figure as .svg or .png. None is
            run.html, or run-2.html if run.html exists, and so on.
        no_reveal: Hide the user's intervals, her true means and the reasons for her rejections.
        overwrite: Replace the file if it exists.
    """
    if out is None:
        names = ("run.html", *(f"run-{n}.html" for n in range(2, 1000)))
        out = next(path for path in map(Path, names) if overwrite or not path.exists())
    can_be_written(out, "out", overwrite)
    population = Population(**run.users)
    usual = min(REGRET.horizon, max_steps)
    time = usual if horizon is None else count("horizon", horizon, 1)
    films = []
    with progress_bar() as report:

        def report_step(of: Any, step: int) -> None:
            report(of.agent, step, of.stopping_time)

        for each in these_agents(agent or ["bair"]):
            how: dict[str, Any] = {"delta": delta, "max_steps": max_steps}
            how["horizon"] = time if needs_horizon(each) else None
            episode = rollout(environment_of(population, each), each, seed, **how)
            films.append(film_of(episode, not no_reveal, partial(report_step, episode)))
        save_films(films, out, argument="out", overwrite=overwrite, progress=report)
    for film in films:
        if film.revealed:
            say(f"{film.agent} and the user of seed {film.seed}", style="bold")
            say(*film.explanation.lines)
        if film.end == CENSORED and film.n_steps == max_steps:
            say(f"{film.agent} reached the step cap of {max_steps}; --max-steps sets another.")
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
    """Recommend arms to a user, name her best arm, and compare yourself with the agents.

    Only a browser on this machine can open the page. Ctrl-C closes the page.

    Example: explorative-user play --terminal --n-arms 3

    Options:
        n_arms: Number of arms K, in 2..25.
        seed: Seed of the user, at least 0. None is random.
        address: Address of a game to continue, or the part of the address after the question mark.
            None is a new game.
        terminal: Play in this terminal instead of on a page.
        port: Port of the page; 0 is any free port. None is 8421, or a free port.
        no_browser: Do not open a browser.
    """
    options = {"n_arms": n_arms, **run.users}
    game = Game(options=options, seed=secrets.randbelow(games.SURPRISES) if seed is None else seed)
    chosen = seed is not None or game.options != Game(options=PLAYED, seed=0).options
    if address is not None:  # perhaps the address of a page that shows the hidden state
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
        say(f"The page is at {page}{place}", "Ctrl-C closes it.")
        sys.stdout.flush()
        if not no_browser:
            open_browser(f"{page}{place}")

    try:
        serve(port, ready)
    except KeyboardInterrupt:
        say("The page is closed. A game's address opens it again at any time.")


def _typed() -> Iterator[str]:
    """Yield the typed lines until the input ends."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while sys.stdin is not None:
        if is_terminal(sys.stdin):
            sys.stdout.write(PROMPT)
        sys.stdout.flush()
        if not (line := sys.stdin.readline()):
            return
        yield line
