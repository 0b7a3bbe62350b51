from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from page_client import PageClient


@pytest.fixture(scope="session")
def client() -> "PageClient":
    """What asks the page; without the extra `play` the test is skipped."""
    for name in ("httpx", "jinja2", "starlette"):
        pytest.importorskip(name, reason="the page needs the extra play")
    from page_client import PageClient

    from explorative_user_env.play.server import application

    return PageClient(application())
