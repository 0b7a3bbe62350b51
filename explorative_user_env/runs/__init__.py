"""Runs of an agent with a user: the loop, and records, films and explanations of runs."""
