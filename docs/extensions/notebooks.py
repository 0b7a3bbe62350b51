"""The notebooks of the course as pages, with the outputs that they come with."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from explorative_user_env.teach.exercises import NOTEBOOKS, SOLUTIONS
from extensions import repository, source
from extensions.places import fill

_TITLE = re.compile(r"\A# .+")

COURSE = source.ROOT / "examples" / "course"


def bring(app: Sphinx) -> None:
    """Lay the notebooks among the pages, as Sphinx reads no others, and take away old ones."""
    folders = {kind: Path(app.srcdir) / "course" / kind for kind in (NOTEBOOKS, SOLUTIONS)}
    wanted = {
        folders[file.parent.name] / file.name: file
        for kind in folders
        for file in sorted((COURSE / kind).glob("*.ipynb"))
    }
    for path, file in wanted.items():
        content = _relinked(file.read_bytes(), file, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    for folder in folders.values():
        for path in folder.glob("*"):
            if path not in wanted:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _relinked(content: bytes, file: Path, page: Path) -> bytes:
    """Return a notebook whose links lead where they led; those with answers say so."""
    notebook = json.loads(content)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            if page.parent.name == SOLUTIONS:
                text = _TITLE.sub(r"\g<0>, with answers", text)
            cell["source"] = repository.relinked(text, file, page)
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def contents(env: Any, docname: str, kind: str) -> Iterator[str]:
    """Yield the table of contents of the notebooks, or of those with the answers."""
    folder = Path(env.srcdir) / "course" / kind
    yield from ("```{toctree}", ":maxdepth: 1", "")
    yield from (f"{kind}/{path.stem}" for path in sorted(folder.glob("*.ipynb")))
    yield "```"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what brings them and what lists them."""
    app.connect("builder-inited", bring)
    fill(app, "notebooks", contents, lambda: COURSE.rglob("*.ipynb"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
