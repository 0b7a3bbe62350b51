"""In a real notebook progress is one line that goes when the work is done, not a flood."""

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")


nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")


pytest.importorskip("ipykernel", reason="ipykernel is not installed")


pytestmark = [
    pytest.mark.slow,
    # What the tools of notebooks make of each other and of this machine's network.
    pytest.mark.filterwarnings("default"),
]


def test_cells_show_an_empty_line_of_progress_and_tables_and_pictures_as_values() -> None:
    cells = [
        "import explorative_user_env as eu",
        "r = eu.evaluate(['BAIR', 'UNI'], n_instances=50)",
        "r",
        "eu.sweep(['UNI'], n_arms=(2, 3), n_instances=5, baseline_time=9)",
        "r.plot('rejections')",
    ]
    pytest.importorskip("matplotlib")
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    nbclient.NotebookClient(page, timeout=300).execute()
    _, compiled, results, sweep, plot = (cell.outputs for cell in page.cells)
    for cell in (compiled, sweep, plot):
        assert cell[0].output_type == "display_data"
        assert dict(cell[0].data) == {"text/plain": "", "text/html": ""}
    for cell, name in ((results, "Results"), (sweep, "Sweep")):
        assert cell[-1].data["text/plain"].startswith(name)
        assert cell[-1].data["text/html"].startswith("<table")
        assert "color" not in cell[-1].data["text/html"]
    assert plot[-1].data["image/png"]
    assert [len(cell) for cell in (compiled, results, sweep, plot)] == [1, 1, 2, 2]
