"""Fitted models with all that belongs to them: made, extended, described, saved and loaded."""
