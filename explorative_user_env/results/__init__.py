"""Compute metrics of runs, compare agents, draw tables and plots, and store runs in a file."""
