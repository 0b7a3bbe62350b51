"""The report on the paper's experiments: tables, pictures and one page."""

from explorative_user_env.studies.report.page import as_html, glance, report, short_titles

__all__ = ["as_html", "glance", "report", "short_titles"]
