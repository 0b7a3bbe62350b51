"""An environment as a person sees it."""
