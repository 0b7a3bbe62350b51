"""What came of the experiments, beside the published figures: tables, pictures and one report."""

from .comparison import as_markdown, compared, runs_of
from .page import as_html, glance, report, short_titles
from .reproduction import Reproduction, reproduce

__all__ = [
    "Reproduction",
    "as_html",
    "as_markdown",
    "compared",
    "glance",
    "report",
    "reproduce",
    "runs_of",
    "short_titles",
]
