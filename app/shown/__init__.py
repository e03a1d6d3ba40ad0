"""A frame with all that was found out about it."""
