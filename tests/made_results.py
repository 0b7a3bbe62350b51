"""Results made by hand, for tests of what is said of them."""

import pandas as pd

CELL = {"task": "bai", "setting": "printed", "n_arms": 5, "delta": 0.1, "step_cost": 1e-3}
PLAY_CELL = {"task": "regret", "setting": "printed", "n_arms": 5, "delta": 0.1, "horizon": 10}


def bai_runs(agent, times, correct):
    runs = {"agent": agent, "stopping_time": times, "correct": correct}
    return pd.DataFrame(runs | {"rejections": 0, "censored": False, "left": False})


def play_runs(agent, regrets):
    runs = {"regret": regrets, "utility": 1.0, "acceptances": 5, "best_arm": 1}
    most = {"most_accepted_arm": 0, "most_accepted_is_best": 0.0}
    return pd.DataFrame(runs | {"agent": agent, "last_arm": 1, "left": False} | most)
