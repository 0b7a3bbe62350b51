"""Nothing on a plot is cut off or lies on other words, whoever is compared and however it went.

Matplotlib brings its own letters, so that this is the same on every machine.
"""

from itertools import combinations
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.backends.backend_agg import FigureCanvasAgg

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.results.plots import CHECKED, RUN_KINDS
from explorative_user_env.results.results import Results

pytestmark = pytest.mark.slow

LONG = "BAIR with a name that says all of its many options"
MANY: list[Any] = ["T&S", "UNI", "EXP3", "UCB1", "Thompson", "SE", "Full-information"]
OF_MEMBERS = "regret_by_user"
WHOLE: dict[str, Any] = {"progress": False, "max_steps": 1500, "check_theory": True}
ODD: dict[str, Any] = {"alpha": 0.75, "gap": 0.125, "noise": 0.125, "setting": "released"}


def words_of(axes: Any) -> list[Any]:
    """All words that are seen on a plot."""
    legend = axes.get_legend()
    found = [*(legend.get_texts() if legend else []), axes._left_title, axes.xaxis.label]
    found.append(axes.yaxis.label)
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        found += [label for place, label in ticks if low <= place <= high]
    return [text for text in found if text.get_text()]


def assert_has_room(axes: Any) -> None:
    """Make sure that all words are on the picture, and none on another or on the plot."""
    figure = axes.figure
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    whole, plot = figure.bbox, axes.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in words_of(axes)]
    for words, box in boxes:
        assert whole.x0 - 1 <= box.x0, words
        assert box.x1 <= whole.x1 + 1, words
        assert whole.y0 - 1 <= box.y0, words
        assert box.y1 <= whole.y1 + 1, words
        assert not box.padded(-2).overlaps(plot.padded(-2)), words
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.padded(-1).overlaps(another.padded(-1)), (one, other)


def results_of(agents: list[Any], n_instances: int, **options: Any) -> Results:
    return eu.evaluate(agents, n_instances=n_instances, **WHOLE | options)


COMPANY: dict[str, dict[str, Any]] = {
    "one": {"agents": ["BAIR"], "n_instances": 12},
    "one run": {"agents": ["BAIR"], "n_instances": 1},
    "nine": {"agents": ["BAIR", *MANY, BAIR(n1=30, name=LONG)], "n_instances": 2},
    "all cut off": {"agents": ["BAIR", "T&S"], "n_instances": 9, "max_steps": 20},
    "some cut off": {"agents": ["BAIR", "T&S"], "n_instances": 9, "max_steps": 500},
    "two arms": {"agents": ["BAIR", "UNI"], "n_instances": 5, "n_arms": 2},
    "hundred arms": {"agents": ["BAIR", "UNI"], "n_instances": 2, "n_arms": 100},
    "others": {"agents": ["BAIR", "T&S"], "n_instances": 3, **ODD},
}


@pytest.fixture(scope="module", params=COMPANY)
def company(request: pytest.FixtureRequest) -> Results:
    return results_of(**COMPANY[request.param])


@pytest.mark.parametrize("kind", [kind for kind in RUN_KINDS if kind != OF_MEMBERS])
def test_every_plot_of_runs_has_room_for_its_words(kind: str, company: Results) -> None:
    assert_has_room(company.plot(kind, progress=False))


@pytest.mark.parametrize(("n_agents", "n_users"), [(1, 1), (9, 20)])
def test_regret_by_user_has_room_for_its_words(n_agents: int, n_users: int) -> None:
    agents = ["SE-transfer", *MANY, BAIR(n1=30, name=LONG)][-n_agents:]
    users: dict[str, Any] = {"n_users": n_users, "horizon": 9, "n_arms": 5, "compiled": False}
    found = eu.evaluate(agents, task="population", n_instances=3, progress=False, **users)
    assert_has_room(found.plot(OF_MEMBERS))


def test_differences_have_room_for_their_words(company: Results) -> None:
    first, *others = company.deltas
    if others:
        compared = company.compare_all(first)
        for each in compared.comparisons[0].differences:
            assert_has_room(compared.plot(each.figure))
        assert_has_room(company.compare(others[-1], first).plot())


@pytest.mark.parametrize("users", [{}, ODD], ids=["usual", "others"])
@pytest.mark.parametrize(
    ("deltas", "n_arms"),
    [
        ((0.1,), (2, 5, 20, 100)),
        ((0.2, 0.1, 0.05, 0.02, 0.01), (3,)),
        ((0.2, 0.1), (2, 3, 4, 5)),
    ],
    ids=["K", "delta", "both"],
)
def test_plots_over_cells_have_room_for_their_words(
    deltas: tuple[float, ...], n_arms: tuple[int, ...], users: dict[str, Any]
) -> None:
    options: dict[str, Any] = {"n_instances": 2, **WHOLE, **users}
    agents = [BAIR(), "UNI", BAIR(n1=30, name=LONG)]
    found = eu.sweep(agents, deltas, n_arms, **options)
    for kind in ("stopping_time", "success", "rejection_rate", *CHECKED):
        assert_has_room(found.plot(kind))


def test_regret_over_a_horizon_has_room_for_its_words() -> None:
    options: dict[str, Any] = {"task": "regret", "horizon": 30, "progress": False}
    agents = ["BAIR", *MANY]
    found = eu.sweep(agents, n_arms=(2, 5), n_instances=3, **options)
    for kind in ("regret", "utility"):
        assert_has_room(found.plot(kind))
    assert_has_room(found.cells[0].plot(progress=False))
