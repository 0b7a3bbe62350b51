"""The results of runs: their metrics, comparisons, tables and plots, and the file of runs."""
