"""Tables as HTML, for notebooks."""

import pandas as pd
from rich.table import Table


def html_table(table: Table) -> str:
    """Return a Rich table as an HTML table."""
    header = [str(column.header) for column in table.columns]
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return str(pd.DataFrame(rows, columns=header).to_html(index=False, border=0))
