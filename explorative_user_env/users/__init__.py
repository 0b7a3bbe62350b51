"""The user: her rule, rewards and means, other behaviours, and populations of users."""
