"""Results: metrics with intervals, comparisons, tables, plots, and the store that keeps runs."""
