"""Studies built on `evaluate`, one module per question."""
