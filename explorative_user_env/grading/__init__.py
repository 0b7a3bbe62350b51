"""A student's agent on hidden users: run where it cannot reach them, scored, and ranked."""
