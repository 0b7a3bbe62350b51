import pytest
from page_client import PageClient
from page_server import WITHOUT_A_MODEL, address_of, started

from explorative_user_env.play.page import application


@pytest.fixture(scope="session")
def client():
    """What asks the page, without a server."""
    return PageClient(application())


@pytest.fixture(scope="module")
def address():
    """Where the page is, served by another process until SIGTERM comes."""
    server = started("--port", "0", command=WITHOUT_A_MODEL)
    yield address_of(server)
    server.terminate()
    printed, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert printed.splitlines()[-1].startswith("The page is closed.")
