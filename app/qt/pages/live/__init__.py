"""The left half of the window: source, picture, notices, verdict."""
