import pytest

import explorative_user_env as eu

SHARED = {"n_instances": 40, "n_arms": 3, "max_steps": 400, "progress": False}


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """A file of three agents that met 40 users."""
    path = tmp_path_factory.mktemp("honest") / "run.sqlite"
    eu.evaluate(["BAIR", "SE", "UNI"], store=path, compiled=False, **SHARED)
    return path


@pytest.fixture
def place(tmp_path):
    return tmp_path / "run.sqlite"
