"""Modules for the user, her true means and rewards, her behaviour, and populations of users."""
