"""The N_1 that was found, with what it rests on: a record that can be kept as JSON."""

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorative_user_env.agents import ALGORITHMS, AlgorithmAgent
from explorative_user_env.files import check_one_run, from_json
from explorative_user_env.validation import InvalidArgumentError, integer, risk

AGENT = "BAIR-tuned"
FILE = "tuned.json"


class TunedAgent(AlgorithmAgent):
    """BAIR with a tuned N_1, called "BAIR-tuned".

    Args:
        n1: N_1, at least 0.
        trained_on: the cell that N_1 was tuned in, in the words of `evaluate`, where that is
            known. In any other nothing is promised.
        max_steps: step cap of a run, at least 1; None leaves it to the harness.
    """

    def __init__(
        self,
        n1: int,
        trained_on: Mapping[str, Any] | None = None,
        max_steps: int | None = None,
    ) -> None:
        if trained_on is not None and not isinstance(trained_on, Mapping):
            raise InvalidArgumentError("trained_on", trained_on, "None or a cell, as a dict")
        self.trained_on = dict(trained_on or {})
        options = {"n1": integer("n1", n1, 0), "delta": self.trained_on.get("delta")}
        super().__init__(ALGORITHMS["BAIR"], options, AGENT, max_steps)


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval, as in `Results.summary`; NaN where there is none."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, row: Mapping[str, Any], name: str) -> "Estimate":
        """Return the figure of this name from a row of a summary."""
        return cls(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))


@dataclass(frozen=True)
class TunedN1:
    """The least N_1 that was found good, and what it is worth.

    Attributes:
        n1: N_1. With probability at least 1 - `error` its success is at least 1 - delta.
        interval: where the least such N_1 is, both ends included, on the same terms and if success
            grows with N_1; the upper end is `n1`.
        success: share of the fresh users with whom BAIR stopped and named the best arm.
        stopping_time: T with the fresh users, as the setting reports it.
        censored: share of the fresh users with whom the step cap ended the run; the released
            setting leaves them out of T.
        n_fresh: how many fresh users there were; they took no part in the search.
        paper_n1: (2K/delta)^(1/alpha)/rho_0, rounded up.
        paper_stopping_time: T with the paper's N_1, on the users of the frontier.
        error: allowed probability that any decision of the search is wrong.
        n_runs: users that the search has met.
        n_instances: the most users that a candidate was to meet.
        seed: what everything follows from.
        cell: `delta`, and the users in the words of `Population` (a `rho` of None is the
            setting's).
    """

    n1: int
    interval: tuple[int, int]
    success: Estimate
    stopping_time: Estimate
    censored: float
    n_fresh: int
    paper_n1: int
    paper_stopping_time: Estimate
    error: float
    n_runs: int
    n_instances: int
    seed: int
    cell: Mapping[str, Any]

    @property
    def saving(self) -> float:
        """The stopping time as a share of that of the paper's N_1."""
        return self.stopping_time.value / self.paper_stopping_time.value

    @property
    def confirmed(self) -> bool:
        """Whether the interval of success with fresh users has no value below 1 - delta."""
        return self.success.low >= 1.0 - float(self.cell["delta"])

    def agent(self, max_steps: int | None = None) -> TunedAgent:
        """Return BAIR with this N_1, called "BAIR-tuned", for `evaluate` or the loop.

        The guarantee is about `cell`, and no other.

        Args:
            max_steps: step cap of a run, at least 1; None leaves it to the harness.
        """
        return TunedAgent(self.n1, {"task": "bai", **self.cell}, max_steps)

    def save(self, path: Path) -> None:
        """Write the record as JSON; a figure that there is none of is null."""
        text = json.dumps(_without_nan(dataclasses.asdict(self)), indent=2, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")


CELL_NAMES = ("setting", "n_arms", "delta", "alpha", "gap", "noise", "means", "rho")


def load_tuned(source: str | Path) -> TunedN1:
    """Return the record that `TunedN1.save` or `explorative-user tune-n1` has written.

    Args:
        source: the file, or the folder with tuned.json in it.

    Raises:
        InvalidArgumentError: if there is none, or it is not complete or not as it was written.
    """
    path = Path(source)
    path = path / FILE if path.is_dir() else path
    check_one_run("tuned", path.parent, [path.name])
    try:
        given = from_json(path.read_text(encoding="utf-8"))
        for name in ("success", "stopping_time", "paper_stopping_time"):
            figures = {end: math.nan if x is None else x for end, x in given[name].items()}
            given[name] = Estimate(**figures)
        low, high = given["interval"]
        tuned = TunedN1(**given | {"interval": (low, high)})
        integer("n1", tuned.n1, 0)
        cell = {name: tuned.cell[name] for name in CELL_NAMES}
        integer("n_arms", cell["n_arms"], 2)
        risk("delta", cell["delta"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidArgumentError(
            "tuned",
            str(source),
            f"a file or folder written by tune-n1 ({type(error).__name__}: {error})",
        ) from error
    return tuned


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nan(part) for name, part in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value
