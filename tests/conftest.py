"""Fixtures and settings shared by all tests."""

import os

import pytest
from hypothesis import settings as hypothesis_settings

from explorative_user_env.settings import SETTINGS, Setting

# Same examples in every run and no time limit on one: this is a proof, not a benchmark.
hypothesis_settings.register_profile("steady", derandomize=True, deadline=None, max_examples=50)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(params=sorted(SETTINGS))
def setting(request: pytest.FixtureRequest) -> Setting:
    """Each of the two settings in turn."""
    return SETTINGS[request.param]
