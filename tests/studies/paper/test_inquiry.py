"""Other ways to run an agent are evaluations of it, on the experiment's own users."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from explorative_user_env import evaluate
from explorative_user_env.agents import BAIR, TrackAndStop, Uniform
from explorative_user_env.display.progress import silent
from explorative_user_env.studies import paper_verdicts as inquiry
from explorative_user_env.studies.paper import EXPERIMENTS
from explorative_user_env.studies.paper_verdicts import (
    Alternative,
    Known,
    run_alternatives,
    run_under_caps,
)

USERS: dict[str, Any] = {"alpha": 0.8, "gap": 0.4, "noise": 0.05}
EXPERIMENT = replace(EXPERIMENTS["table6"], **USERS)
OPTIONS: dict[str, Any] = {"setting": "released", "n_instances": 60, "seed": 3, "compiled": False}
FIGURES = ["stopping_time", "rejection_rate", "success", "censored"]


@pytest.mark.slow
def test_each_alternative_is_an_evaluation_of_its_agent_in_the_cell() -> None:
    cells = [
        {"delta": 0.2, "n_arms": 2, "agent": "A", "horizon": 40},
        {"delta": 0.1, "n_arms": 3, "agent": "B", "horizon": 50},
    ]
    told: list[tuple[str, int, int]] = []
    found = run_alternatives(
        EXPERIMENT,
        cells,
        lambda row: [
            Alternative("longer", Uniform(), 2 * row["horizon"]),
            Alternative("short", BAIR(n1=3)),
        ],
        progress=lambda *what: told.append(what),
        **OPTIONS,
    )
    assert found["agent"].tolist() == ["A", "A", "B", "B"]
    assert found["what"].tolist() == ["longer", "short"] * 2
    for cell, agent, horizon, row in zip(
        [cells[0], cells[0], cells[1], cells[1]],
        [Uniform(), BAIR(n1=3)] * 2,
        [80, None, 100, None],
        found.to_dict("records"),
        strict=True,
    ):
        place: dict[str, Any] = {name: cell[name] for name in ("delta", "n_arms")}
        own = evaluate(
            [agent], baseline_time=horizon, **place, **USERS, **OPTIONS, progress=False
        ).summary()
        assert {name: row[name] for name in FIGURES} == own.iloc[0][FIGURES].to_dict()
    assert told[-1][1] == told[-1][2] == 4 * 60
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_a_cap_gives_what_an_agent_with_that_cap_has() -> None:
    cells = [{"delta": 0.2, "n_arms": 3, "agent": "T&S"}]
    few: dict[str, Any] = OPTIONS | {"n_instances": 30, "compiled": True}
    cell: dict[str, Any] = {"delta": 0.2, "n_arms": 3, "progress": False}
    whole = evaluate([TrackAndStop(max_steps=600)], **cell, **USERS, **few).runs
    # Among the caps is one that a run reaches as it stops by itself.
    exactly = int(whole["interactions"].sort_values().iloc[5])
    caps = (exactly - 1, exactly, exactly + 1, 600)
    found = run_under_caps(
        EXPERIMENT, cells, TrackAndStop(max_steps=600), caps, progress=silent, **few
    )
    assert found["what"].tolist() == [f"a cap of {cap}" for cap in caps]
    assert set(found["agent"]) == {"T&S"}
    alone = pd.concat(
        evaluate([TrackAndStop(max_steps=cap)], **cell, **USERS, **few).summary() for cap in caps
    )
    assert alone["censored"].is_monotonic_decreasing
    assert alone["censored"].nunique() > 1
    for name in FIGURES:
        # A sum over fewer runs may be added up in another order.
        assert found[name].tolist() == pytest.approx(alone[name].tolist(), nan_ok=True), name


def test_what_has_run_in_a_cell_is_not_run_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[float, str]] = []

    def evaluating(agents: list[Any], **options: Any) -> Any:
        ran.append((options["delta"], repr(agents[0])))
        return evaluate(agents, **options)

    monkeypatch.setattr(inquiry, "evaluate", evaluating)
    few: dict[str, Any] = OPTIONS | {"n_instances": 5, "progress": silent}
    cells = [{"delta": delta, "n_arms": 2, "agent": "T&S"} for delta in (0.2, 0.1)]
    known: Known = {}

    def tried(cell: list[dict[str, Any]], cap: int, **more: Any) -> pd.DataFrame:
        return run_under_caps(EXPERIMENT, cell, TrackAndStop(max_steps=cap), [40], **few, **more)

    first = tried(cells, 50, known=known)
    assert len(ran) == len(known) == 2
    pd.testing.assert_frame_equal(tried(cells, 50, known=known), first)
    assert len(ran) == 2
    pd.testing.assert_frame_equal(tried(cells, 50), first)  # nobody asks for it to be kept
    tried(cells[:1], 60, known=known)
    again = [Alternative("", BAIR(n1=n)) for n in (3, 4, 3)]
    run_alternatives(EXPERIMENT, cells[:1], lambda row: again, known=known, **few)
    assert len(ran) == len(set(ran)) + 2 == 7
