"""The plot of the regret with each of the users who come one after another."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import explorative_user_env as eu
from explorative_user_env.results.results import Results

HORIZON = 7


@pytest.fixture(scope="module")
def results() -> Results:
    users: dict[str, Any] = {"n_users": 4, "horizon": HORIZON, "n_arms": 3, "n_instances": 3}
    how: dict[str, Any] = {"compiled": False, "progress": False}
    return eu.evaluate(["UNI", "Full-information"], task="population", **users, **how)


def test_it_is_the_mean_regret_with_each_user_and_says_who_is_a_reference(results: Results) -> None:
    axes = results.plot()
    lines = [line for line in axes.get_lines() if len(np.asarray(line.get_xdata())) == 4]
    assert len(lines) == 2
    words = results.runs["regret_by_user"][results.runs["agent"] == "UNI"]
    by_hand = [sum(float(each.split(" ")[user]) for each in words) / 3 for user in range(4)]
    assert np.asarray(lines[0].get_ydata()).tolist() == pytest.approx(by_hand)
    assert np.asarray(lines[0].get_xdata()).tolist() == [1, 2, 3, 4]
    assert axes.get_ylabel() == f"regret over her {HORIZON} recommendations"
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["UNI", "Full-information†"]


def test_it_is_drawn_from_a_file_alone(results: Results, tmp_path: Path) -> None:
    results.save(tmp_path / "runs.sqlite")
    kept = eu.load(tmp_path / "runs.sqlite")
    assert isinstance(kept, Results)
    drawn, again = (each.plot().get_lines()[0].get_ydata() for each in (results, kept))
    assert np.asarray(drawn).tolist() == np.asarray(again).tolist()


@pytest.mark.parametrize("kind", ["success", "regret", "rejections", "acceptances"])
def test_no_other_plot_is_of_many_users(results: Results, kind: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match="kind must be one of regret_by_user for"):
        results.plot(kind)


def test_one_user_at_a_time_has_no_such_plot() -> None:
    one = eu.evaluate(["UNI"], task="regret", n_instances=2, compiled=False, progress=False)
    with pytest.raises(eu.InvalidArgumentError, match="it is of the task population only"):
        one.plot("regret_by_user")
