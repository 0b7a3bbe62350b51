"""What came of the experiments, beside the published figures: tables, pictures and one report."""

from explorative_user_env.studies.report.comparison import as_markdown, compared, runs_of
from explorative_user_env.studies.report.page import as_html, glance, report, short_titles
from explorative_user_env.studies.report.reproduction import Reproduction, reproduce

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
