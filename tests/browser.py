"""A real browser for tests: headless Chromium, where there is one."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    pass

PHONE, DESKTOP = (390, 844), (1280, 800)
"""Width and height of what a page is looked at on, in pixels."""

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
"""What the program is called."""

PATIENCE = 20_000
"""Milliseconds that something on a page may take."""


def chromium_path():
    """Return where Chromium is; without it, or without playwright, the test is skipped."""
    pytest.importorskip("playwright", reason="pages are looked at with playwright")
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("pages are looked at with Chromium")
    return found


@pytest.fixture(scope="module")
def browser():
    """Chromium for the tests of a module: while it is there, nothing else can use asyncio."""
    path = chromium_path()
    from playwright.sync_api import sync_playwright

    # Root may not sandbox, as in containers; pages here are our own.
    with sync_playwright() as playwright:
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
    page, wrong = context.new_page(), list[str]()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if _is_fault(said) else None)
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


def _is_fault(said):
    """Return whether a message is of a fault, and not of an answer that was meant as a refusal."""
    return said.type == "error" and "Failed to load resource" not in said.text


def keep_screenshot(page, name, folder):
    """Keep how a page looks, in `folder` or where the variable SCREENSHOTS says."""
    place = Path(os.environ.get("SCREENSHOTS") or folder)
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{name}.png"
    page.screenshot(path=path, full_page=True)
    return path


def too_wide(page):
    """Return by how many pixels a page is wider than what it is looked at on."""
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide
