"""What an evaluation found: metrics with intervals, and the tables a person reads."""
