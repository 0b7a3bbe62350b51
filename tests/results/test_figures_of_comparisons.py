"""Plots of differences show the means of paired differences, with the tables' intervals."""

import numpy as np
import pytest

import explorative_user_env as eu
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.results import Results
from explorative_user_env.validation import InvalidArgumentError

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def results() -> Results:
    return eu.evaluate(["BAIR", "T&S", "UNI"], n_instances=30, n_arms=3, progress=False)


def drawn(axes: object) -> list[tuple[float, float, float]]:
    """The value and the ends of the interval of each line."""
    ((points, _, (ranges,)),) = axes.containers  # type: ignore[attr-defined]
    segments = [np.asarray(segment) for segment in ranges.get_segments()]
    ends = [each[:, 0].tolist() if each.size else [np.nan] * 2 for each in segments]
    values = np.asarray(points.get_xdata(), float).tolist()
    return [(value, *end) for value, end in zip(values, ends, strict=True)]


def test_a_difference_is_the_mean_of_the_differences_of_each_pair(results: Results) -> None:
    axes = results.compare("T&S", "BAIR").plot()
    runs = results.runs.set_index("user_seed")
    times = {name: own["stopping_time"] for name, own in runs.groupby("agent")}
    apart = (times["T&S"] - times["BAIR"]).to_numpy(float)
    (line,) = drawn(axes)
    assert line == pytest.approx((apart.mean(), *mean_interval(apart)))
    assert axes.get_xlabel() == "difference of means, in recommendations"
    assert axes.get_title(loc="left") == ("stopping time, minus BAIR: 30 users, 95% intervals")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_of_a_line_up_has_a_line_with_the_family_wise_interval(
    place: int, results: Results
) -> None:
    compared = results.compare_all("BAIR")
    figure = compared.comparisons[0].differences[place].figure
    axes = compared.plot(figure)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["T&S", "UNI"]
    own = [each.differences[place] for each in compared.comparisons]
    assert drawn(axes) == [pytest.approx((each.value, each.low, each.high)) for each in own]
    nothing = 0.5 if figure == "P(stops sooner)" else 0.0
    assert nothing in [line.get_xdata()[0] for line in axes.get_lines()]  # type: ignore[index]
    assert "97.5% intervals" in axes.get_title(loc="left")


def test_it_is_said_up_to_when_times_are_compared() -> None:
    results = eu.evaluate(["BAIR", "T&S"], n_instances=20, max_steps=300, progress=False)
    axes = results.compare("BAIR", "T&S").plot()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["BAIR\nup to 300"]


def test_one_user_has_no_interval(results: Results) -> None:
    one = eu.evaluate(["BAIR", "T&S"], n_instances=1, progress=False)
    ((value, low, high),) = drawn(one.compare("BAIR", "T&S").plot())
    times = one.runs["stopping_time"]
    assert value == times[0] - times[1]
    assert np.isnan([low, high]).all()


def test_another_figure_is_refused_with_those_there_are(results: Results) -> None:
    with pytest.raises(InvalidArgumentError, match=r"figure must be one of P\(stops sooner"):
        results.compare("BAIR", "UNI").plot("regret")


def test_over_a_horizon_it_is_the_regret() -> None:
    plays = eu.evaluate(["UCB1", "UNI"], task="regret", horizon=30, n_instances=9, progress=False)
    axes = plays.compare("UCB1", "UNI").plot()
    regret = plays.runs["regret"].to_numpy()
    assert drawn(axes)[0][0] == pytest.approx((regret[:9] - regret[9:]).mean())
    assert axes.get_xlabel() == "difference of means"
