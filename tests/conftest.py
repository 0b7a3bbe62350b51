"""Fixtures and settings shared by all tests."""

import os
from collections import Counter
from zlib import crc32

import no_compiler
import pytest
from browser import browser  # noqa: F401
from hypothesis import settings as hypothesis_settings

from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.kernels import cache as kernel_cache
from explorative_user_env.studies.paper import (
    BENCH_DELTAS,
    BENCH_N_ARMS,
    LINE_UP,
    TABLE2,
    compared,
    published_figures,
)
from explorative_user_env.users.population import SETTINGS

# Same examples in every run and no time limit on one: this is a proof, not a benchmark.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_addoption(parser):
    parser.addoption(
        no_compiler.OPTION, action="store_true", help="run as where numba is not, as in a browser"
    )
    parser.addoption("--eighth", type=int, help="run one eighth of the selected tests, 0 to 7")


def pytest_configure(config):
    if config.getoption(no_compiler.OPTION):
        no_compiler.hide()


def pytest_collection_modifyitems(config, items):
    if "exhaustive" not in config.getoption("markexpr"):
        left_out = {each for each in items if each.get_closest_marker("exhaustive")}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [each for each in items if each not in left_out]
    eighth = config.getoption("eighth")
    if eighth is not None:
        items[:] = [each for each in items if crc32(each.nodeid.encode()) % 8 == eighth]
    if hasattr(config, "workerinput"):  # one of many processes
        # Long modules go first, so that all processes end together; a slow test is as long as 50.
        lengths = Counter()
        for each in items:
            lengths[each.path] += 50 if each.get_closest_marker("slow") else 1
        items.sort(key=lambda each: (-lengths[each.path], each.path))


def pytest_runtest_setup(item):
    no_compiler.skip_without_compiler(item)


@pytest.fixture(params=sorted(SETTINGS))
def setting(request):
    """Each of the two settings in turn."""
    return SETTINGS[request.param]


@pytest.fixture(scope="session")
def bench():
    """What `explorative-user bench` finds with its defaults, beside the published figures."""
    results = run_cells(
        LINE_UP,
        BENCH_DELTAS,
        BENCH_N_ARMS,
        setting="released",
        n_instances=1000,
        workers=2,
        progress=silent,
    )
    return compared(results, published_figures(TABLE2))


@pytest.fixture
def nothing_kept(tmp_path, monkeypatch):
    """Compile whatever is asked for anew, however often tests have run."""
    monkeypatch.setattr(kernel_cache, "_folder", lambda: tmp_path / "kernels")


@pytest.fixture
def one_thread():
    """More threads of PyTorch are slower for networks as small as these."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
