"""A guided test: presentations, plan, details, and the session on disk."""
