"""Results: metrics with intervals, comparisons, tables, plots, and the store of finished runs."""
