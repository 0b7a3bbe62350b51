"""Every command as small as it can be, with all of its tables as wide as ever."""

import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from explorative_user_env import commands as cli
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.studies import lower_bound, paper
from explorative_user_env.studies import tuning as trials

CELLS = "--n-instances 4 --workers 1"
WORDS = {
    "bench": f"bench {CELLS} --agent bair --agent uni "
    "--n-arms 2 --n-arms 20 --delta 0.1 --delta 0.01",
    "regret": f"bench {CELLS} --agent bair --agent uni --task regret --horizon 30 --n-arms 20",
    "robustness": f"suite {CELLS} --agent bair --agent uni --agent exp3 --n-arms 2 "
    "--user paper --user omniscient",
    "suite": "suite --workers 1 --quick --agent bair --agent exp3 --agent full-information "
    "--task bai-k5 --task bai-k5-uniform --task regret-k5",
    "lower-bound": f"paper lower-bound {CELLS} --delta 0.2 --delta 0.1",
    "reproduce": f"paper tables table2 {CELLS} --agent bair --agent uni --setting released",
    "tune-n1": "paper tune-n1 --n-instances 600 --workers 1 --confirm 80 --n-arms 3 --delta 0.2 "
    "--gap 0.4",
}


def few(n, delta):
    return [BAIR(delta=delta, n1=n), Uniform(horizon=n)]


@contextmanager
def made_small():
    """Leave out of a command what takes long and prints nothing else."""
    table2 = replace(paper.TABLE2, deltas=(0.1, 0.005), n_arms=(2, 20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower_bound, "success", partial(lower_bound.success, agents=few))
        patch.setattr(lower_bound, "DEFAULT_N0S", (3, 10))
        patch.setattr(trials, "FRONTIER_USERS", 40)
        patch.setitem(paper.EXPERIMENTS, "table2", table2)
        yield


def run(*arguments):
    """Run the command line in this process and return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["explorative-user", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    return stop.value.code


def run_tiny(name, output):
    with made_small():
        return run(*WORDS[name].split(), "--output", output)
