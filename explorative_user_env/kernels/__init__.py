"""Compiled loops: numba compiles the functions of a user and of an agent into one loop."""
