"""A run met again with everything in view: told in words, and shown step by step."""
