"""Runs of an agent with a user: the readable loop, its record, films and explanations."""
