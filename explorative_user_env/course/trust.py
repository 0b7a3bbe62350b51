"""Notebooks that Jupyter is told to trust, so that their pictures are there before they are run."""

import logging
from collections.abc import Iterable
from pathlib import Path


def trust(notebooks: Iterable[bytes]) -> None:
    """Sign notebooks for who runs this, as `jupyter trust` does, where there is a Jupyter.

    Of a notebook that was not signed it shows neither SVG nor films: pictures become bare words.
    Where it can keep no signatures, as in a home that is read-only, they are so until they run.

    Args:
        notebooks: what is in each; their outputs are of this package's making.
    """
    try:
        import nbformat
        from jupyter_core.paths import jupyter_data_dir
        from nbformat.sign import NotebookNotary
    except ImportError:
        return
    silent = logging.Logger("silent", logging.CRITICAL + 1)
    try:
        folder = Path(jupyter_data_dir())
        folder.mkdir(parents=True, exist_ok=True)
        with NotebookNotary(data_dir=str(folder), log=silent) as notary:
            for notebook in notebooks:
                notary.sign(nbformat.reads(notebook.decode(), as_version=4))
    except Exception:  # a home that is read-only, a broken store: the notebooks are written
        return
