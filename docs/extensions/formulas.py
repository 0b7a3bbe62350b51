"""Formulas as MathML: every browser of today draws it, without a script and without a network."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)

_SIZES = re.compile(r"\\[bB]igg?[lrm]?(?![A-Za-z])")
"""Sizes of parentheses, which grow by themselves in MathML."""


def markup(tex: str, block: bool) -> str:
    """Return a formula as MathML.

    Args:
        tex: the formula in LaTeX, without dollars.
        block: whether it is displayed on lines of its own.

    Raises:
        MathError: for what is not LaTeX, or more of it than is understood.
    """
    return str(tex2mathml(_SIZES.sub("", tex), as_block=block))


def _written(page: Any, node: nodes.Element, block: bool) -> None:
    tex = node.astext()
    try:
        drawn = markup(tex, block)
    except MathError as error:
        _log.warning("formula %r: %s", tex, error, location=node)
        drawn = f"<code>{page.encode(tex)}</code>"
    if block:
        drawn = f'<div class="math">{drawn}</div>\n'
    page.body.append(drawn)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer as "mathml"."""
    inline = (lambda page, node: _written(page, node, block=False)), None
    block = (lambda page, node: _written(page, node, block=True)), None
    app.add_html_math_renderer("mathml", inline, block)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
