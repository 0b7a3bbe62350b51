"""Questions that are answered with `evaluate`, a room each."""
