"""What readers of the course do, in a Python that is as a browser's is: run as a program.

What is not there was found by trial in Pyodide 314 (Python 3.14): numba, some modules of the
standard library, threads, processes, and who the user is. Results go to `found.json`.
"""

import io
import json
import logging
import os
import subprocess
import sys
import threading
from contextlib import redirect_stderr
from pathlib import Path

GONE = (
    *("_multiprocessing", "_posixshmem", "_posixsubprocess", "curses", "dbm", "grp", "pwd"),
    *("readline", "resource", "tkinter", "distributed", "pygame", "stable_baselines3", "torch"),
)
"""Modules that are not there, besides numba's: of the standard library, and libraries."""


def become_a_browser():
    """Take from this process what a browser has not; libraries have chosen by their imports."""
    import scipy.stats  # noqa: F401
    from no_compiler import hide

    def no_thread(thread):
        raise RuntimeError("can't start new thread")

    def no_process(*arguments, **options):
        raise OSError(138, "emscripten does not support processes.")

    for name in [*sys.modules]:
        if name.partition(".")[0] in GONE:
            del sys.modules[name]
    hide()
    hide(GONE)
    for name in ("geteuid", "fork"):
        if hasattr(os, name):
            delattr(os, name)
    os.cpu_count = lambda: 1
    threading.Thread.start = no_thread
    subprocess.Popen.__init__ = no_process
    sys.platform = "emscripten"


def steps_of_many(mode):
    """What 70 users in step answer and what is told of them, and who they are in the end."""
    import gymnasium as gym
    import numpy as np

    from explorative_user_env.check.environments import exact

    options = {"n_arms": 4, "noise": 0.2, "max_episode_steps": 11}
    name = "explorative_user_env:ExplorativeUser-v0"
    many = gym.make_vec(name, 70, autoreset_mode=mode, **options)
    heard = [repr(exact(many.reset(seed=5)))]
    for arms in np.random.default_rng(2).integers(4, size=(40, 70)):
        given = many.step(arms)
        heard.append(repr(exact(given)))
        if mode == "Disabled" and given[3].any():
            heard.append(repr(exact(many.reset(options={"reset_mask": given[3]}))))
    return [*heard, repr(many.unwrapped.hidden_states())]


def runs_found(line_up, shared):
    """What came of evaluations, and which of them worked."""
    import explorative_user_env as eu

    bai = eu.evaluate(line_up, **shared)
    regret = eu.evaluate(line_up, task="regret", horizon=60, **shared)
    cells = eu.sweep(["BAIR"], deltas=(0.1, 0.2), n_arms=(2, 3), n_instances=3, progress=False)
    checks = eu.evaluate(["BAIR"], check_theory=True, **shared).checks
    bai.save("runs.sqlite")
    loaded = eu.load("runs.sqlite")
    found = {"versions": bai.cell["versions"]}
    for name, results in (("bai", bai), ("regret", regret)):
        found[name] = results.runs.map(repr).to_numpy().tolist()
    return found, {
        "two workers": bai.runs.equals(eu.evaluate(line_up, workers=2, **shared).runs),
        "a sweep": len(cells.runs) == 12,
        "checks of the theory": len(checks) == shared["n_instances"],
        "a file of runs": bool(loaded.runs.equals(bai.runs)),
        "a plot": type(bai.plot()).__name__ == "Axes",
    }


def has_a_bar(line_up, shared):
    import explorative_user_env as eu

    os.environ["TERM"] = "xterm"
    screen = io.StringIO()
    screen.isatty = lambda: True
    with redirect_stderr(screen):
        eu.evaluate(line_up, **shared)
    return line_up[0] in screen.getvalue()


def one_run_found():
    """What came of single runs, and which of what is made of them worked."""
    import gymnasium as gym

    import explorative_user_env as eu
    from explorative_user_env import check as testing
    from explorative_user_env import theory
    from explorative_user_env.agents import BAIR, Uniform
    from explorative_user_env.play.game import PLAYED, Game
    from explorative_user_env.play.terminal import play_lines
    from explorative_user_env.studies.lower_bound import histories
    from explorative_user_env.teach import check_exercise

    env = gym.make("ExplorativeUser-v0", n_arms=3, render_mode="svg")
    episode = eu.rollout(env, BAIR(delta=0.2), seed=1)
    episode.film().save("film.html")
    asked = gym.make_vec("ExplorativeUser-v0", 3, compiled=True)
    mine = eu.PolicyAgent(lambda seen: 0, observation="counts", horizon=20, name="mine")
    met = eu.evaluate([mine], task="regret", horizon=20, n_instances=70, progress=False)
    pair = theory.hard_pair(0.1)
    report = testing.check_agent(BAIR, raises=False)
    game = Game(options=PLAYED, seed=1)
    over = play_lines(game, ["0", "1x3", "best 1"], lambda *lines: None)
    try:
        refused = asked.reset()
    except Exception as error:
        refused = str(error)
    return {"compiled users": refused}, {
        "rollout": episode.stopping_time > 2,
        "pictures": "<svg" in env.render() and "<svg" in Path("film.html").read_text(),
        "a policy of many users": len(met.runs) == 70,
        "the hard pair": len(histories(pair, Uniform(horizon=20), 20, [1, 2, 3]).same) == 3,
        "theory": theory.characteristic_time(pair.nu) > 0,
        "the checks of an agent": not report.failed,
        "a game": over.answer == 1,
        "an exercise": not check_exercise("2.1", None).right,
    }


def main():
    asked = json.loads(sys.argv[1])
    become_a_browser()
    import explorative_user_env as eu
    from explorative_user_env import commands as cli

    notices = []
    hearing = logging.Handler()
    hearing.emit = lambda record: notices.append(record.getMessage())
    logging.getLogger(eu.__name__).addHandler(hearing)
    found, works = runs_found(asked["line_up"], asked["shared"] | {"progress": False})
    single, well = one_run_found()
    found |= single | {mode: steps_of_many(mode) for mode in asked["modes"]}
    works |= well | {"a bar": has_a_bar(asked["line_up"], asked["shared"])}
    found |= {"works": works, "notices": notices}
    Path("found.json").write_text(json.dumps(found))
    bench = "bench --quick --n-instances 4 --n-arms 2 --delta 0.2 --output bench"
    sys.argv = ["explorative-user", *bench.split()]
    cli.main()


if __name__ == "__main__":
    main()
