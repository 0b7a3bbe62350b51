"""Every command as small as it can be, with all of its tables as wide as ever."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from explorative_user_env import commands as cli
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.studies import lower_bound, paper
from explorative_user_env.studies import tuning as trials
from explorative_user_env.validation import missing_of

CELLS = "--n-instances 4 --workers 1"
WORDS = {
    "bench": f"bench {CELLS} --agent bair --agent uni "
    "--n-arms 2 --n-arms 20 --delta 0.1 --delta 0.01",
    "regret": f"bench {CELLS} --agent bair --agent uni --task regret --horizon 30 --n-arms 20",
    "robustness": f"suite {CELLS} --agent bair --agent uni --agent exp3 --n-arms 2 "
    "--user paper --user omniscient",
    "suite": "suite --workers 1 --quick --agent bair --agent exp3 --agent full-information "
    "--task bai-k2 --task bai-k5 --task regret-k5",
    "lower-bound": f"paper lower-bound {CELLS} --delta 0.2 --delta 0.1",
    "reproduce": f"paper tables table2 {CELLS} --agent bair --agent uni --setting released",
    "tune-n1": "paper tune-n1 --n-instances 600 --workers 1 --confirm 80 --n-arms 3 --delta 0.2 "
    "--gap 0.4",
}
"""What is asked for, by a name for it."""

CAN_TRAIN = not missing_of(("stable_baselines3", "sb3_contrib"))
if CAN_TRAIN:
    WORDS["train"] = "train"


def few(n: int, delta: float) -> list[AlgorithmAgent]:
    return [BAIR(delta=delta, n1=n), Uniform(horizon=n)]


ROOM = "explorative_user_env"
COMPUTED = (
    "evaluation.runner.run_cells",
    "studies.suite.robustness",
    "studies.suite.run_suite",
    "studies.lower_bound.overlap",
    "studies.lower_bound.success",
    "studies.lower_bound.needed",
    "commands.paper.reproduce",
    "commands.paper.calibration_of",
    "studies.tuning.evaluate",
    "display.plots.as_png",
)
"""What takes the time of a command, and prints nothing."""

_found: dict[tuple[str, str, int], Any] = {}


def once(command: str, where: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, which computes what it finds in the first run of a command only.

    A command of `WORDS` asks for the same in the same order whenever it is run.
    """
    calls = count()

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        key = (command, where, next(calls))
        if key not in _found:
            _found[key] = function(*arguments, **options)
        return _found[key]

    return called


@contextmanager
def made_small(name: str) -> Iterator[None]:
    """Leave out of a command what takes long and prints nothing else, and compute it once."""
    table2 = replace(paper.TABLE2, deltas=(0.1, 0.005), n_arms=(2, 20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower_bound, "success", partial(lower_bound.success, agents=few))
        patch.setattr(f"{ROOM}.studies.lower_bound.DEFAULT_N0S", (3, 10))
        patch.setattr(trials, "FRONTIER_USERS", 40)
        patch.setitem(paper.EXPERIMENTS, "table2", table2)
        if CAN_TRAIN:
            patch.setattr(f"{ROOM}.rl.train", lambda *arguments, **options: None)
        for where in COMPUTED:
            module, _, function = f"{ROOM}.{where}".rpartition(".")
            home = import_module(module)
            patch.setattr(home, function, once(name, where, getattr(home, function)))
        yield


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["explorative-user", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    assert isinstance(stop.value.code, int)
    return stop.value.code


def run_tiny(name: str, output: str, anew: bool = False) -> int:
    """Run a command of `WORDS` in this process and return its exit code.

    Its file of runs has what was computed for it, so all of them only where that is done `anew`.
    """
    if anew:
        for key in [key for key in _found if key[0] == name]:
            del _found[key]
    with made_small(name):
        return run(*WORDS[name].split(), "--output", output)
