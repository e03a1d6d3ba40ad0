"""Guided tests: presentations, plans, details, and sessions on disk."""
