"""The site: built without a warning, with no link to nowhere and no answers of the course."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from explorative_user_env.teach import LESSONS

ROOT = Path(__file__).parents[2]
PARTS = r'<link rel="(?:stylesheet|icon)"[^>]* href="(.*?)"|<(?:img|script|iframe)[^>]* src="(.*?)"'


def found(pattern, text):
    return [unescape(max(each)) for each in re.findall(f"{pattern}()", text)]


@pytest.mark.exhaustive
def test_every_link_leads_somewhere_and_answers_stay_away(tmp_path):
    for module in ("sphinx", "furo", "latex2mathml", "myst_nb", "sphinx_copybutton"):
        pytest.importorskip(module, reason="the site needs the extra docs")
    command = (sys.executable, "-m", "sphinx", "-Wnq", "--keep-going", "--no-color", "docs")
    run = [*command, tmp_path]
    finished = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = filter(str.strip, finished.stderr.splitlines())
    # Kernels say something of their own.
    assert [line for line in lines if not re.search(r"IPKernelApp|traitlets", line)] == []
    assert finished.returncode == 0

    texts = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    links = {path: found('<a [^>]*?href="(.*?)"', text) for path, text in texts.items()}
    parts = {path: found(PARTS, text) for path, text in texts.items()}
    assert sum(map(len, links.values())) > 2000
    lost = []
    for path in texts:
        # Pages are read without a network.
        assert [part for part in parts[path] if part.startswith(("http:", "https:", "//"))] == []
        for link in (*links[path], *parts[path]):
            target, _, part = unquote(link).partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            there = (path.parent / target.partition("?")[0]).resolve() if target else path
            there = there / "index.html" if there.is_dir() else there
            known = not part or there not in texts or f'id="{part}"' in texts[there]
            if not there.is_file() or not known:
                lost.append(f"{path}: {link}")
    assert lost == []

    for lesson in LESSONS:
        notebook = tmp_path / "course" / "notebooks" / f"{lesson.name}.html"
        assert any("_images/" in part for part in parts[notebook])
    assert not list(tmp_path.glob("course/solutions/*"))
    index = (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    assert '"4. BAIR, step by step, with answers"' not in index
