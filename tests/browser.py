"""A real browser for tests: headless Chromium, where there is one."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

PHONE, DESKTOP = (390, 844), (1280, 800)
"""Width and height of what a page is looked at on, in pixels."""

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")  # what the program is called
PATIENCE = 20_000  # milliseconds that something on a page may take


@pytest.fixture(scope="module")
def browser():
    """Chromium for the tests of a module: while it is there, nothing else can use asyncio."""
    api = pytest.importorskip("playwright.sync_api", reason="pages are looked at with playwright")
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.skip("pages are looked at with Chromium")
    # Root may not sandbox, as in containers; pages here are our own.
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@contextmanager
def page_in(browser, size=DESKTOP, *, dark=False, script=True):
    """Open an empty page of this size for the block, on which nothing moves by itself.

    What goes wrong in its scripts, or is against its policy, fails the test.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        java_script_enabled=script,
    )
    context.set_default_timeout(PATIENCE)
    page, wrong = context.new_page(), []

    def heard(said):
        # An answer that was meant as a refusal is none.
        if said.type == "error" and "Failed to load resource" not in said.text:
            wrong.append(said.text)

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", heard)
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


def keep_screenshot(page, name):
    """Keep how a page looks where the variable SCREENSHOTS says."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


def too_wide(page):
    """Return by how many pixels a page is wider than what it is looked at on."""
    root = "document.documentElement"
    page.wait_for_load_state()  # a new page has no root before
    return page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
