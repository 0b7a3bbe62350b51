"""The tables of the committed report, as tests read them."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples" / "reproduction"
REPORT = (FOLDER / "report.md").read_text(encoding="utf-8")

FIGURES = {
    "Stopping time": "stopping_time",
    "Rejection rate": "rejection_rate",
    "Probability of success": "success",
}


def rows_of(page: str) -> list[dict[str, str]]:
    """The rows of the first table of a page, by its headings."""
    (table,) = re.findall(r"(?:^\|.*\n?)+", page, re.M)[:1]
    lines = table.splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]


def verdict_rows() -> list[dict[str, str]]:
    """The rows of all tables of verdicts, with `experiment` and `figure`."""
    found = []
    for number, section in re.findall(r"^## Table (\d):(.*?)(?=^## |\Z)", REPORT, re.M | re.S):
        for part in section.split("\n### ")[1:]:
            title = part.splitlines()[0]
            if title in FIGURES:
                place = {"experiment": f"table{number}", "figure": FIGURES[title]}
                found += [place | row for row in rows_of(part)]
    return found
