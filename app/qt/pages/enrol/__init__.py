"""The Enrol page and its parts."""
