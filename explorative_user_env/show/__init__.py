"""Draw users, runs and agents as text, SVG, images and films."""
