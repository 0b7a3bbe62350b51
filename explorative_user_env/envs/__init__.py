"""The Gymnasium environments: one user, or many in step; and best-arm identification as a task."""
