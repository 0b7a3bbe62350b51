"""Formulas as MathML, since MathJax needs a network and the site must work without one."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

_log = logging.getLogger(__name__)

_OTHERWISE = (
    (re.compile(r"\\arg(?![A-Za-z])"), r"\\operatorname{arg}"),
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{align*}"),
)
"""Commands that the converter does not know, and their replacements."""

_UNKNOWN = re.compile(r"\\[A-Za-z]*|<mi>&</mi>|linebreak")
"""Remains of unknown commands, and of columns and line breaks outside tables."""

_FUNCTION = "<mi>(?:log|exp|ln)</mi>"
_THIN = '<mspace width="0.167em" />'
_BEFORE = re.compile(rf"(?<=</mi>|</mn>)(?={_FUNCTION})")
_BEHIND = re.compile(rf"({_FUNCTION})(?!<mo|</)")
"""The places of TeX's thin spaces: around a function's name, but not before a parenthesis."""

_PRIME = re.compile(r"<msup>(<mi>[^<]*</mi>)<mi>(&#x02032;)</mi></msup>")
"""A prime is already raised; as a superscript it would be too small."""


class FormulaError(ValueError):
    """A formula that cannot be converted."""


def markup(tex: str, block: bool = False) -> str:
    """Return a formula as MathML.

    Args:
        tex: the formula in LaTeX, without dollars.
        block: whether it is a display formula.

    Raises:
        FormulaError: for invalid LaTeX, or an unknown command.
    """
    for written, known in _OTHERWISE:
        tex = written.sub(known, tex)
    if len(re.findall(r"(?<!\\)\{", tex)) != len(re.findall(r"(?<!\\)\}", tex)):
        raise FormulaError("braces do not match")
    try:
        drawn = convert(tex, display="block" if block else "inline")
    except Exception as error:
        raise FormulaError(f"{type(error).__name__} {error}".strip()) from error
    if left := _UNKNOWN.search(drawn):
        raise FormulaError(f"{left[0]} is not understood")
    drawn = _PRIME.sub(r'\1<mo lspace="0" rspace="0">\2</mo>', drawn)
    return _BEHIND.sub(rf"\1{_THIN}", _BEFORE.sub(_THIN, drawn))


def _written(page: Any, node: nodes.Element, block: bool) -> None:
    tex = node.astext()
    try:
        drawn = markup(tex, block)
    except FormulaError as error:
        _log.warning("formula %r: %s", tex, error, location=node)
        drawn = f"<code>{page.encode(tex)}</code>"
    page.body.append(f'<div class="math">{drawn}</div>\n' if block else drawn)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer as "mathml"."""
    app.add_html_math_renderer(
        "mathml",
        (lambda page, node: _written(page, node, block=False), None),
        (lambda page, node: _written(page, node, block=True), None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
