"""Both environments in turn."""

import pytest

from explorative_user_env import BAI_ENV_ID, ENV_ID


@pytest.fixture(params=[ENV_ID, BAI_ENV_ID])
def name(request):
    """The name of an environment."""
    return str(request.param)
