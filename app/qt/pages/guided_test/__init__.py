"""The Test page and its parts."""
