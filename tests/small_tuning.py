"""The tuning that tests of several files look at: a cell in which it takes a moment."""

from explorative_user_env.studies.tuning import Estimate, TunedN1

USERS = {"n_arms": 3, "delta": 0.2, "gap": 0.4, "setting": "released"}
SMALL = USERS | {"n_instances": 600, "confirm": 80, "progress": False}

CELL = {"setting": "released", "n_arms": 3, "delta": 0.2, "alpha": 1.0, "gap": 0.5}
CELL |= {"noise": 0.0, "means": "uniform", "rho": None}
TUNED = TunedN1(
    n1=7,
    interval=(4, 7),
    success=Estimate(0.9, 0.85, 0.93),
    stopping_time=Estimate(50.0, 45.0, 55.0),
    censored=0.01,
    n_fresh=100,
    paper_n1=30,
    paper_stopping_time=Estimate(200.0, 190.0, 210.0),
    error=0.05,
    n_runs=4321,
    n_instances=1000,
    seed=3,
    cell=CELL,
)
