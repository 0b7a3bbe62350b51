"""Helpers that draw plots and print tables, text and progress bars."""
