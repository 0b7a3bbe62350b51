"""In a real notebook progress is one line that goes when the work is done, not a flood."""

from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

pytestmark = [
    pytest.mark.slow,
    # What the tools of notebooks make of each other and of this machine's network.
    pytest.mark.filterwarnings("default"),
]

CELLS = {
    "compiled": "r = eu.evaluate(['BAIR', 'UNI'], n_instances=500)",
    "two workers": "eu.evaluate(['BAIR', 'UNI'], n_instances=200, compiled=False, workers=2);",
    "results": "r",
    "comparison": "r.compare('BAIR', 'UNI')",
    "sweep": "eu.sweep(['UNI'], n_arms=(2, 3), n_instances=5, baseline_time=9)",
    "instance": "eu.Instance((0.1, 1.2), 1)",
}
PLOT = "r.plot('rejections')"
EMPTY = {"text/plain": "", "text/html": ""}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[Any]]:
    """What stands below each cell of a notebook that has run, by the cell's name."""
    cells = dict(CELLS)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        pass
    else:
        cells["plot"] = PLOT
    sources = ["import explorative_user_env as eu", *cells.values()]
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources])
    nbclient.NotebookClient(page, timeout=300).execute()
    return dict(zip(cells, [cell.outputs for cell in page.cells[1:]], strict=True))


def shown(outputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """What is there besides values of cells, and the values."""
    values = [each for each in outputs if each.output_type == "execute_result"]
    return [each for each in outputs if each not in values], [each.data for each in values]


@pytest.mark.parametrize("name", ["compiled", "two workers", "sweep", "plot"])
def test_progress_leaves_one_empty_line(name: str, outputs: dict[str, list[Any]]) -> None:
    if name not in outputs:
        pytest.skip("Matplotlib is not installed")
    (line,), _ = shown(outputs[name])
    assert line.output_type == "display_data"
    assert dict(line.data) == EMPTY


@pytest.mark.parametrize("name", ["results", "comparison", "sweep", "instance"])
def test_a_value_is_a_table_without_colours_of_its_own(
    name: str, outputs: dict[str, list[Any]]
) -> None:
    _, (data,) = shown(outputs[name])
    assert data["text/html"].startswith("<table")
    assert "color" not in data["text/html"]
    assert data["text/plain"].startswith(name.capitalize())


def test_a_plot_is_a_picture(outputs: dict[str, list[Any]]) -> None:
    if "plot" not in outputs:
        pytest.skip("Matplotlib is not installed")
    _, (data,) = shown(outputs["plot"])
    assert data["image/png"]
