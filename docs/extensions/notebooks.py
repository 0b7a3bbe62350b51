"""The notebooks of the course among the pages, made from their sources: Sphinx reads only files."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from explorative_user_env.teach.notebooks import SOLUTIONS, notebook_files
from extensions import source
from extensions.places import fill

COURSE = source.ROOT / "examples" / "course"


def bring(app: Sphinx) -> None:
    """Write the notebooks, those with answers only for `-t answers`, and remove old ones."""
    folder, answers = Path(app.srcdir) / "course", app.tags.has("answers")
    for name, content in notebook_files(solutions=True).items():
        solved = name.startswith(SOLUTIONS)
        path = folder / name if solved else folder / "notebooks" / name
        if solved and not answers:
            shutil.rmtree(folder / SOLUTIONS, ignore_errors=True)
            continue
        if solved:
            notebook = json.loads(content)
            first = notebook["cells"][0]
            first["source"] = re.sub(r"\A# .+", r"\g<0>, with answers", first["source"])
            content = json.dumps(notebook).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def contents(env: Any, docname: str, kind: str) -> Iterator[str]:
    """Yield the table of contents of the notebooks, or of those with the answers."""
    folder = Path(env.srcdir) / "course" / kind
    yield from ("```{toctree}", ":maxdepth: 1", "")
    yield from (f"{kind}/{path.stem}" for path in sorted(folder.glob("*.ipynb")))
    yield "```"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the writer and the tables of contents."""
    app.connect("builder-inited", bring)
    fill(app, "notebooks", contents, lambda: COURSE.rglob("*.py"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
