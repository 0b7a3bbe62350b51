"""Numba's words: how the plain functions of users and agents become one compiled loop."""
